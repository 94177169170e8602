// Starts the simulator's screen in the terminal, and then throws.
import { Screen } from "../../targets/desktop/terminal/screen.ts";

const screen = new Screen(process.stdout, process.stdin, () => ["on the screen"], {
  onLine: () => {},
  onQuit: () => {},
});
screen.open();
setTimeout(() => {
  throw new Error("a mistake");
}, 50);
