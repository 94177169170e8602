// Opens an address in the user's browser, the way the system does it. A system without one stays as it is.
import { spawn } from "node:child_process";

export function openBrowser(url: string): void {
  const commands: Partial<Record<NodeJS.Platform, [string, string[]]>> = {
    darwin: ["open", [url]],
    win32: ["rundll32", ["url.dll,FileProtocolHandler", url]],
  };
  const [command, args] = commands[process.platform] ?? ["xdg-open", [url]];
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  // The address is on the screen anyway.
  child.on("error", () => {});
  child.unref();
}
