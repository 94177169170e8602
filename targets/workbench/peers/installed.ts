// What an installer gets: files and bytes of a package as npm unpacks it, and of all that it brings along; and how much of
// it a program loads that only signs in, when it is bundled for Node.

import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Metafile } from "esbuild";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const modules = path.join(root, "node_modules");

export interface Amount {
  readonly files: number;
  readonly bytes: number;
}

interface Installed {
  readonly name: string;
  readonly own: Amount;
  /** The packages that npm installs with it. */
  readonly others: readonly string[];
  readonly all: Amount;
  /** What a program loads that signs in, minified; undefined where it is not for that. */
  readonly loaded: number | undefined;
}

/** Files and bytes of a folder, without packages that lie in it. */
export function amountOf(folder: string): Amount {
  let [files, bytes] = [0, 0];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile() || path.relative(folder, file).split(path.sep).includes("node_modules"))
      continue;
    files++;
    bytes += statSync(file).size;
  }
  return { files, bytes };
}

/** The packages that one needs, and those that they need. */
function dependenciesOf(folder: string, known = new Set<string>()): Set<string> {
  const manifest = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as {
    dependencies?: Record<string, string>;
  };
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    if (known.has(name)) continue;
    known.add(name);
    dependenciesOf(path.join(modules, name), known);
  }
  return known;
}

/** Bytes of the outputs that are there before anything is imported on demand. */
export function loadedBytes(outputs: Metafile["outputs"], entry: string): number {
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const { path: other, kind } of outputs[file]!.imports) {
      if (kind === "import-statement" && other in outputs) load(other);
    }
  };
  load(entry);
  return [...loaded].reduce((sum, file) => sum + outputs[file]!.bytes, 0);
}

/** A module that takes these names of a package, bundled for Node. */
async function bundledBytes(names: string, from: string): Promise<number> {
  const contents = `export { ${names} } from ${JSON.stringify(from)};`;
  const made = await build({
    stdin: { contents, resolveDir: root, sourcefile: "program.mjs" },
    ...{ bundle: true, minify: true, platform: "node", format: "esm", splitting: true },
    ...{ write: false, metafile: true, outdir: "out", logLevel: "silent", legalComments: "none" },
  });
  return loadedBytes(made.metafile.outputs, "out/stdin.js");
}

/** @param names what a program that signs in takes of it; "": it is not for such programs */
async function installed(name: string, folder: string, names: string): Promise<Installed> {
  const others = [...dependenciesOf(folder)];
  const amounts = [amountOf(folder), ...others.map((one) => amountOf(path.join(modules, one)))];
  const all = amounts.reduce((sum, { files, bytes }) => {
    return { files: sum.files + files, bytes: sum.bytes + bytes };
  });
  const entry = name === "picogrant" ? path.join(folder, "dist/index.js") : name;
  const loaded = names === "" ? undefined : await bundledBytes(names, entry);
  return { name, own: amounts[0]!, others, all, loaded };
}

/**
 * Ours as `npm run tool -- package` made them, beside the others as they are installed here.
 * @param used what a sign-in takes of each of the others
 */
export async function installedPackages(
  used: Readonly<Record<string, string>>,
): Promise<Installed[]> {
  const made = path.join(root, "dist/npm");
  return [
    await installed("picogrant", path.join(made, "picogrant"), "signIn"),
    await installed("picogrant-tools", path.join(made, "picogrant-tools"), ""),
    await installed("picogrant-firmware", path.join(made, "picogrant-firmware"), ""),
    ...(await Promise.all(
      Object.entries(used).map(([name, names]) => installed(name, path.join(modules, name), names)),
    )),
  ];
}
