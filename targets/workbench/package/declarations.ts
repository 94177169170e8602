// The types of a package's entries, each in one file, with what several of them share beside it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { kept, keyOf } from "../../bundle/kept.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** @param entries names of files and the sources whose types they have */
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
  const files = await kept(key, () => make(entries));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/** The files' texts by their names. The compiler that makes them takes ten seconds, and one to load. */
async function make(entries: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const [{ rollup }, { dts }] = await Promise.all([import("rollup"), import("rollup-plugin-dts")]);
  const input = Object.entries(entries).map(([name, file]) => [name, join(root, file)]);
  const bundle = await rollup({
    input: Object.fromEntries(input),
    external: (name) => name.startsWith("node:") || name === "tweetnacl",
    plugins: [
      dts({
        tsconfig: join(root, "tsconfig.json"),
        // What is marked @internal is not for programs.
        compilerOptions: { incremental: false, stripInternal: true },
      }),
    ],
    onwarn(warning) {
      // Types that a person names are exported by some entry; what is shared beside them nobody names.
      if (/references private shared type exports/.test(warning.message)) return;
      throw new Error(warning.message);
    },
  });
  const own = new Set(input.map(([, file]) => file!));
  // They are CommonJS's, which a module may import, too; the other way round TypeScript refuses it.
  const { output } = await bundle.generate({
    format: "es",
    entryFileNames: "[name].d.cts",
    chunkFileNames: "types-[name].d.cts",
    // What several entries share is one file, and not as many as there are ways to share it.
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

/** `typeof core` is written out as a namespace of values; what is a type in it is made one. */
function typesAreTypes(text: string, all: string): string {
  const isType = (name: string): boolean =>
    RegExp(`^(?:declare |export )*(?:interface|type) ${name}\\b`, "m").test(all) &&
    !RegExp(`^(?:declare |export )*(?:const|function|class|enum) ${name}\\b`, "m").test(all);
  return text.replace(
    /^declare const (\w+): typeof (\w+);$/gm,
    (whole, name: string, other: string) => (isType(other) ? `type ${name} = ${other};` : whole),
  );
}
