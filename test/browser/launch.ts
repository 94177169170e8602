// Starts the browser of tests and pictures: Debian's Chromium, headless, driven by playwright-core.
import { type Browser, chromium } from "playwright-core";

export const EXECUTABLE = process.env.PICOGRANT_CHROMIUM ?? "/usr/bin/chromium";
export const MISSING =
  `${EXECUTABLE} is missing: install the Debian package chromium (apt-get install chromium), ` +
  "or name another one in PICOGRANT_CHROMIUM";
const ARGUMENTS = [
  "--no-sandbox",
  "--headless",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts Chromium; the caller closes it. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
}
