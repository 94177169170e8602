// Output in a terminal.

import { openBrowser } from "../desktop/command-line.ts";

export type Paint = ReturnType<typeof paintFor>;

export function isScreen(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env.TERM !== "dumb";
}

/** In POSIX, the first of the three variables that is set names the character set. */
export function hasUtf8(
  { LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv,
  platform: string = process.platform,
): boolean {
  return platform === "win32" || /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || "");
}

/** No colors in a pipe, in a dumb terminal, or if NO_COLOR is set (no-color.org). */
export function paintFor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv) {
  const isPlain = !isScreen(stream, env) || env.NO_COLOR;
  const paint = (codes: string) => (text: string) =>
    isPlain ? text : `\x1b[${codes}m${text}\x1b[0m`;
  // `paper` is white on black, because the characters of a QR code are its light modules (platform/node/qr-code.ts).
  return { bold: paint("1"), faint: paint("2"), paper: paint("97;40") };
}

/** Replaces the status line, truncated to the width of the screen. "" removes it. */
export function showProgress(text: string, stream: NodeJS.WriteStream = process.stderr): void {
  if (!isScreen(stream, process.env)) return;
  stream.write(`\r\x1b[K${text.slice(0, (stream.columns || 80) - 1)}`);
}

/** Examples: `59 s`, `14 min`, `2 h`, `90 days`. Rounds down. */
export function inWords(seconds: number): string {
  if (seconds < 120) return `${Math.floor(seconds)} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}

export function asClock(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

export function hasBrowser(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  const hasDesktop = process.platform !== "linux" || env.DISPLAY || env.WAYLAND_DISPLAY;
  return process.stdin.isTTY && isScreen(stream, env) && Boolean(hasDesktop);
}

/** Opens the address when the user presses Enter. Returns a function that stops this. */
export function openOnEnter(address: string): () => void {
  const { stdin } = process;
  const receive = (line: Buffer): void => {
    if (/^\r?\n$/.test(`${line}`)) openBrowser(address);
  };
  stdin.on("data", receive);
  return () => {
    stdin.off("data", receive);
    stdin.pause();
  };
}

/** Shows `text` as a status line, until the returned function is called. A narrow terminal truncates the line at its end. */
export function showCountdown(
  stream: NodeJS.WriteStream,
  seconds: number,
  text: (secondsLeft: number) => string,
): () => void {
  const endMs = performance.now() + seconds * 1000;
  const draw = (): void => showProgress(text((endMs - performance.now()) / 1000), stream);
  const interval = setInterval(draw, 1000);
  draw();
  return () => {
    clearInterval(interval);
    showProgress("", stream);
  };
}
