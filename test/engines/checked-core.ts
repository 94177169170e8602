// With PICOGRANT_INTEGERS=1 the whole test suite runs on a core in which every number is checked: each
// file of core/ is rewritten as it is loaded (targets/workbench/engines/integers.ts says what is checked).

import { fileURLToPath } from "node:url";
import { sourcesOf } from "../../targets/bundle/places.ts";
import { checkIntegers, integerChecks } from "../../targets/workbench/engines/integers.ts";

const core = fileURLToPath(new URL("../../core/", import.meta.url));

/** Whether the suite is to run on the checked core. */
export const integersAreChecked = process.env.PICOGRANT_INTEGERS === "1";

interface LoadedModule {
  getCombinedSourcemap(): unknown;
}

/** The plugin for vitest's configuration. */
export function checkedCore() {
  return {
    name: "picogrant-integers",
    enforce: "post" as const,
    transform(this: LoadedModule, code: string, id: string) {
      if (!id.startsWith(core) || !id.endsWith(".ts")) return null;
      // What is shipped is made of the tables; they themselves run on a desk only.
      if (id.startsWith(`${core}tables/`)) return null;
      const places = sourcesOf(code, JSON.stringify(this.getCombinedSourcemap()));
      const text = checkIntegers(code, "module", places);
      text.append(integerChecks);
      return { code: text.toString(), map: text.generateMap({ hires: true }) };
    },
  };
}
