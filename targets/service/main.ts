// npm run service: the simulated service alone.

import { runService, serviceLine } from "./command.ts";

await runService(serviceLine("service", "npm run service --").parse(), "service");
