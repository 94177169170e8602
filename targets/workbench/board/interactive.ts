// The interactive board: the terminal shows its display, keys are its buttons, a browser shows the service's pages.

import { serve } from "../../service/index.ts";
import { BoardEnvironment } from "./board-environment.ts";

const HELP =
  "keys: s sign in, c cancel, o sign out, a call the API, b batteries, m figures, r reset, h hang, q quit";

/** Resolves with the exit code when the user quits. */
export async function runInteractive(): Promise<number> {
  // No fixed base URL: the board uses HTTPS, and a browser on this machine uses plain HTTP.
  const environment = new BoardEnvironment({ interval: 5, baseUrl: null });
  const pages = await serve(environment.service, { port: 0 });
  try {
    await environment.open();
    const board = environment.board({ onOutput: (text) => process.stdout.write(text) });
    await board.powerOn();
    // Handle keys before the help appears, because the user may press one at once.
    const quit = keysUntilQuit((key) => board.press(key));
    console.log(`${HELP}\nenter the code at ${pages.url}/device`);
    await quit;
  } finally {
    process.stdin.setRawMode?.(false);
    process.stdin.pause();
    await pages.close();
    await environment.end();
  }
  return 0;
}

function keysUntilQuit(press: (key: string) => void): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.setRawMode?.(true);
    process.stdin.on("data", (bytes: Buffer) => {
      for (const key of bytes.toString("latin1")) {
        // In raw mode, Control-C arrives as a byte.
        if (key === "q" || key === "\u0003") resolve();
        else press(key);
      }
    });
    process.stdin.on("end", resolve);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
