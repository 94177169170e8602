// The code and its addresses as whoever stands before the device can read them.
import * as core from "../../../../core/complete.ts";
import type { Driver } from "../../../../platform/driver.ts";
import { asciiOf } from "../../../../platform/text.ts";
import type { FrameDisplay } from "./frame-display.ts";

type Device = Driver["device"];

/** What a region holds, "" where no code can be read from the display. */
export function shownText(
  device: Device | undefined,
  display: FrameDisplay,
  region: number,
): string {
  return device !== undefined && hasCode(device, display) ? textIn(device, region) : "";
}

/** Whether a code can be read from the display: a good one, or one that is being checked after a restart. */
function hasCode(device: Device, display: FrameDisplay): boolean {
  if (device.codeShown === 1) return true;
  const code = textIn(device, core.Field.USER_CODE);
  const isKept = device.state === core.State.PENDING && code !== "";
  return isKept && (display.lines.at(-1)?.includes(code) ?? false);
}

function textIn({ memory, start, length }: Device, region: number): string {
  const from = start[region]!;
  return asciiOf(memory, from, from + Math.max(0, length[region]!));
}
