// With PICOGRANT_INTEGERS=1, tests run on a core that checks its numbers. This plugin rewrites the files of core/ when
// they are loaded (integer-checks.ts lists the checks).

import { fileURLToPath } from "node:url";
import { sourcesOf } from "../../targets/bundle/places.ts";
import { checkIntegers, integerChecks } from "./integer-checks.ts";

const core = fileURLToPath(new URL("../../core/", import.meta.url));

export const integersAreChecked = process.env.PICOGRANT_INTEGERS === "1";

interface LoadedModule {
  getCombinedSourcemap(): unknown;
}

export function checkedCore() {
  return {
    name: "picogrant-integers",
    enforce: "post" as const,
    transform(this: LoadedModule, code: string, id: string) {
      if (!id.startsWith(core) || !id.endsWith(".ts")) return null;
      // The tables are only inputs for generated code, and are not part of what ships.
      if (id.startsWith(`${core}tables/`)) return null;
      const places = sourcesOf(code, JSON.stringify(this.getCombinedSourcemap()));
      const text = checkIntegers(code, "module", places);
      text.append(integerChecks);
      return { code: text.toString(), map: text.generateMap({ hires: true }) };
    },
  };
}
