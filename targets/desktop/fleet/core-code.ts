// The built text of a core, brought to life: in this thread or in another.
import type { FleetCore } from "./core-variants.ts";

export function coreOf(code: string): FleetCore {
  return new Function(`${code}\nreturn picogrant;`)() as FleetCore;
}
