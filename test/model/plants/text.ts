// Faults in core/text: JSON and forms.

import { other, type Planted } from "./plant.ts";

export const textPlants: readonly Planted[] = [
  other(
    "a region is longer by one",
    "text/unicode.ts",
    "if (size <= device.capacity[region]) {",
    "if (size <= device.capacity[region] + 1) {",
  ),
  other(
    "an error of 0 takes back the one before it",
    "text/json-scanner.ts",
    "field === device.nameField && holds(device, field)",
    "field === Region.KEY && holds(device, field)",
  ),
];
