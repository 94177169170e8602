// Mutants that no test kills, each with the reason why none can. `npm run tool -- mutation` fails where one is
// missing here, and in a whole run where one here is killed.

import { CORE } from "./survivors/core.ts";
import { DRIVER } from "./survivors/driver.ts";
import type { Explanation } from "./survivors/explanation.ts";
import { NODE } from "./survivors/node.ts";
import { OTHERS } from "./survivors/others.ts";
import { SESSION } from "./survivors/session.ts";

export const SURVIVORS: readonly Explanation[] = [
  ...CORE,
  ...DRIVER,
  ...SESSION,
  ...NODE,
  ...OTHERS,
];
