// The files of dist/ for a build of the core: the same code as a script that defines a global, as CommonJS and as an ES
// module, each with its types, and the map of the script.

import { bundleCore } from "./bundled-core.ts";
import { declarations } from "./declarations.ts";
import { exportsOf, nameOf, type Variant } from "./surface.ts";

/** The files to write, by their names; the script comes first. */
export async function shippedFiles(variant: Variant): Promise<Record<string, string>> {
  const name = nameOf(variant);
  const { code, map } = await bundleCore(variant);
  const types = declarations(variant);
  const names = exportsOf(variant);
  const named = names.map((item) => `${item} = picogrant.${item}`).join(",\n  ");
  return {
    [`${name}.js`]: code,
    [`${name}.js.map`]: map,
    [`${name}.cjs`]: `${code}module.exports = picogrant;\n`,
    [`${name}.mjs`]: `${code}export var ${named};\nexport default picogrant;\n`,
    [`${name}.d.ts`]: types.script,
    [`${name}.d.cts`]: types.module,
    [`${name}.d.mts`]: `${types.module}\n${defaultType(names)}`,
  };
}

/** The object with all exports: a firmware deletes `create` from it when it is no longer needed. */
function defaultType(names: readonly string[]): string {
  const members = names.map((name) => `  ${name}: typeof ${name};\n`).join("");
  return `declare const picogrant: {\n${members}};\nexport default picogrant;\n`;
}
