// Starts the browser of tests and pictures: Debian's Chromium without its own windows, driven by playwright-core. The
// whole one draws its tabs and menus for nobody, which takes as long again as the pages do.
import type { Browser } from "playwright-core";

export const EXECUTABLE = process.env.PICOGRANT_CHROMIUM ?? "/usr/bin/chromium-headless-shell";
export const MISSING =
  `${EXECUTABLE} is missing: install the Debian package chromium-headless-shell ` +
  "(apt-get install chromium-headless-shell), or name another one in PICOGRANT_CHROMIUM";
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
export async function launchChromium(): Promise<Browser> {
  // It takes a second to load, which nobody wants to wait for who asks a program for its options.
  const { chromium } = await import("playwright-core");
  return chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
}
