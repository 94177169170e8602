// Makes the types of a package: one file for each entry, and one file for shared types.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { keyOf, stored } from "../../bundle/build-cache.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** @param entries the sources of the entries, by the names of their files in the package */
export async function declarations(
  entries: Readonly<Record<string, string>>,
  folder: string,
): Promise<void> {
  const key = keyOf(`types ${JSON.stringify(entries)}`, [
    "core",
    "platform",
    "targets",
    "scripts/package",
  ]);
  const files = await stored(key, () => make(entries));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

async function make(entries: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const [{ rollup }, { dts }] = await Promise.all([import("rollup"), import("rollup-plugin-dts")]);
  const input = Object.entries(entries).map(([name, file]) => [name, join(root, file)]);
  const bundle = await rollup({
    input: Object.fromEntries(input),
    external: (name) => name.startsWith("node:") || name === "tweetnacl",
    plugins: [
      dts({
        tsconfig: join(root, "tsconfig.json"),
        // Remove declarations with @internal, which are not public.
        compilerOptions: { incremental: false, stripInternal: true },
      }),
    ],
    onwarn(warning) {
      // Ignore this warning: every public type is exported by some entry.
      if (/references private shared type exports/.test(warning.message)) return;
      throw new Error(warning.message);
    },
  });
  const own = new Set(input.map(([, file]) => file!));
  // Generate CommonJS types, because ES modules may import them. CommonJS may not import the types of ES modules.
  const { output } = await bundle.generate({
    format: "es",
    entryFileNames: "[name].d.cts",
    chunkFileNames: "types-[name].d.cts",
    // Make one shared file. By default, rollup would make one for each combination of entries.
    manualChunks: (id) => (own.has(id) ? undefined : "shared"),
  });
  await bundle.close();
  const texts = output.map((file) => [file.fileName, "code" in file ? file.code : ""] as const);
  const all = texts.map(([, text]) => text).join("\n");
  const modules = Object.keys(entries).map((name) => [
    `${name}.d.ts`,
    `export * from "./${name}.cjs";\n`,
  ]);
  const found = texts.map(([name, text]) => [name, typesAreTypes(text, all)]);
  return Object.fromEntries([...found, ...modules]);
}

/** The output declares the types of a namespace as values, `declare const A: typeof B;`. Restores `type A = B;`. */
function typesAreTypes(text: string, all: string): string {
  const isType = (name: string): boolean =>
    RegExp(`^(?:declare |export )*(?:interface|type) ${name}\\b`, "m").test(all) &&
    !RegExp(`^(?:declare |export )*(?:const|function|class|enum) ${name}\\b`, "m").test(all);
  return text.replace(
    /^declare const (\w+): typeof (\w+);$/gm,
    (whole, name: string, other: string) => (isType(other) ? `type ${name} = ${other};` : whole),
  );
}
