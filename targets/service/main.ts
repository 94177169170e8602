// npm run service: the simulated service alone.

import { runService } from "./command.ts";

await runService(process.argv.slice(2), { usage: "npm run service --", prefix: "service" });
