// npm run service: the simulated service alone.

import { runService, serviceLine } from "./command.ts";

const how = { usage: "npm run service --", prefix: "service" };
await runService(serviceLine(how).parse(), how);
