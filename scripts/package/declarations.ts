// The types of a package's entries, each in one file, with what several of them share beside it.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** @param entries names of files and the sources whose types they have */
export async function declarations(
  entries: Readonly<Record<string, string>>,
  folder: string,
): Promise<void> {
  const input = Object.entries(entries).map(([name, file]) => [name, join(root, file)]);
  const bundle = await rollup({
    input: Object.fromEntries(input),
    external: (name) => name.startsWith("node:") || name === "tweetnacl",
    plugins: [
      dts({ tsconfig: join(root, "tsconfig.json"), compilerOptions: { incremental: false } }),
    ],
    onwarn(warning) {
      // Types that a person names are exported by some entry; what is shared beside them nobody names.
      if (/references private shared type exports/.test(warning.message)) return;
      throw new Error(warning.message);
    },
  });
  await bundle.write({
    dir: folder,
    format: "es",
    entryFileNames: "[name].d.ts",
    chunkFileNames: "types-[name].d.ts",
  });
  await bundle.close();
  const files = readdirSync(folder).filter((name) => name.endsWith(".d.ts"));
  const all = files.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  for (const name of files) typesAreTypes(join(folder, name), all);
}

/** `typeof core` is written out as a namespace of values; what is a type in it is made one. */
function typesAreTypes(file: string, all: string): void {
  const text = readFileSync(file, "utf8");
  const isType = (name: string): boolean =>
    RegExp(`^(?:declare |export )*(?:interface|type) ${name}\\b`, "m").test(all) &&
    !RegExp(`^(?:declare |export )*(?:const|function|class|enum) ${name}\\b`, "m").test(all);
  const mended = text.replace(
    /^declare const (\w+): typeof (\w+);$/gm,
    (whole, name: string, other: string) => (isType(other) ? `type ${name} = ${other};` : whole),
  );
  if (mended !== text) writeFileSync(file, mended);
}
