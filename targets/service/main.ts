// npm run service: the simulated service alone.

import { runProgram } from "../desktop/command-line.ts";
import { runService, serviceLine } from "./command.ts";

await runProgram("service", () => runService(serviceLine("npm run service --").parse(), "service"));
