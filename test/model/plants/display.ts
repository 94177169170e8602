// Faults in core/display: what is shown.

import { other, type Planted } from "./plant.ts";

export const displayPlants: readonly Planted[] = [
  other(
    "the countdown is ahead by a second",
    "display/verification-prompt.ts",
    "putTwoDigits(device, device.codeLifeS - minutes * 60);",
    "putTwoDigits(device, device.codeLifeS - minutes * 60 - 1);",
  ),
  other(
    "the application's line is longer than its room by one",
    "display/verification-prompt.ts",
    "size < device.capacity[Region.STATUS]",
    "size <= device.capacity[Region.STATUS]",
  ),
];
