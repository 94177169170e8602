// npm run tool -- package: makes the folders that npm publishes, dist/npm/NAME (targets/workbench/package-contents.ts
// lists their contents). If a page links to a file outside its package, the link leads to the repository that
// package.json names. Without a repository, the link becomes plain text.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { nameOf, variants } from "../targets/bundle/surface.ts";
import { generate, generateC } from "../targets/workbench/host/generate.ts";
import {
  bundleEntries,
  bundleModules,
  bundleRequired,
  type Inputs,
  manualOf,
} from "../targets/workbench/package/bundle-entries.ts";
import { declarations } from "../targets/workbench/package/declarations.ts";
import {
  FIRMWARE_FILES,
  fileOf,
  isRequired,
  LIBRARY_ENTRIES,
  MANIFESTS,
  PAGES,
  type Pages,
  SERVICE_ENTRIES,
} from "../targets/workbench/package-contents.ts";
import { commandLine } from "../targets/workbench/script-options.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

function mitOf(holder: string): string {
  const text = readFileSync(join(root, "LICENSE"), "utf8");
  return text.replace(/^Copyright .*$/m, `Copyright (c) ${holder}`).trim();
}

function packagesIn(inputs: Inputs): string[] {
  const folders = inputs.flatMap((input) => {
    const found = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input);
    return found ? [found[0]] : [];
  });
  return [...new Set(folders)].sort();
}

function identities(inputs: Inputs): object[] {
  return packagesIn(inputs).map((folder) => {
    const { name, version, license } = manifestOf(folder);
    return { name, version, license };
  });
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly author?: string | { readonly name: string };
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
}

/** The text of THIRD-PARTY-LICENSES.txt. @throws Error if a package has no licence file and another licence than MIT */
function notices(inputs: Inputs): string {
  const head =
    "The bundles in this package contain code of these packages, under these licences.\n";
  return [head, ...packagesIn(inputs).map(noticeOf)].join("\n");
}

function noticeOf(folder: string): string {
  const path = join(root, folder);
  const { name, version, license, author } = manifestOf(folder);
  const file = readdirSync(path).find((one) => /^licen[cs]e(\.|$)/i.test(one));
  const text = file === undefined ? undefined : readFileSync(join(path, file), "utf8").trim();
  const holder = typeof author === "object" ? author.name : (author ?? `the authors of ${name}`);
  if (text === undefined && license !== "MIT") {
    throw new Error(`${folder} has no licence file; add its notice to scripts/package.ts`);
  }
  const line = "-".repeat(80);
  return `${line}\n${name} ${version} (${license})\n\n${text ?? mitOf(holder)}\n`;
}

const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  version: string;
  license: string;
  engines: object;
  repository?: { url: string };
  homepage?: string;
  bugs?: object;
};

/** The files that `npm run build` makes. Do not copy others from `dist`, because they may be older. */
const BUILT = [
  ...variants.flatMap((variant) => {
    const modules = [".js", ".js.map", ".cjs", ".mjs", ".d.ts", ".d.cts", ".d.mts"];
    return [...modules, "-conformance.js"].map((outcome) => nameOf(variant) + outcome);
  }),
  "picogrant.qjs.js",
  "picogrant-numbers.h",
  "picogrant.c",
  "picogrant.h",
];

/** Makes dist/npm/NAME. The old folder stays until the new one is complete. */
async function makePackage(
  name: string,
  pages: Pages,
  fill: (folder: string) => Promise<Inputs>,
): Promise<Inputs> {
  const place = join(root, "dist/npm");
  mkdirSync(place, { recursive: true });
  const folder = mkdtempSync(join(place, ".draft-"));
  try {
    const { version, license, engines, repository, homepage, bugs } = own;
    const shared = { sideEffects: false, license, engines, repository, homepage, bugs };
    const manifest = { name, version, ...MANIFESTS[name], ...shared };
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
    const inputs = await fill(folder);
    if (inputs.length > 0) writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), notices(inputs));
    for (const [file, source] of Object.entries(pages)) writePage(folder, file, source, pages);
    rmSync(join(place, name), { recursive: true, force: true });
    renameSync(folder, join(place, name));
    console.log(`dist/npm/${name}: ${sizeOf(join(place, name))}`);
    return inputs;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function filesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => statSync(join(folder, name)).isFile());
}

function sizeOf(folder: string): string {
  const files = filesIn(folder);
  const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  return `${files.length} files, ${Math.ceil(bytes / 1000)} KB`;
}

function writePage(folder: string, file: string, source: string, pages: Pages): void {
  const text = readFileSync(join(root, source), "utf8");
  const places = new Map(Object.entries(pages).map(([there, here]) => [here, there]));
  const fixed = text.replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, picture, words, target) => {
    if (/^(?:[a-z]+:|#)/.test(target)) return whole;
    const [path, anchor] = target.split("#") as [string, string?];
    const inside = normalize(join(dirname(source), path)).replace(/\/$/, "");
    const behind = anchor === undefined ? "" : `#${anchor}`;
    const there = places.get(inside) ?? inside;
    if (places.has(inside) || existsSync(join(folder, there))) {
      return `${picture}[${words}](${relative(dirname(file), there) || "."}${behind})`;
    }
    // Remove `git+` and `.git`, which npm and git add to the repository's web address.
    const web = own.repository?.url.replace(/^git\+/, "").replace(/\.git$/, "");
    if (web === undefined) return picture === "" ? words : "";
    const kind = picture === "" ? "blob" : "raw";
    return `${picture}[${words}](${web}/${kind}/v${own.version}/${inside}${behind})`;
  });
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), fixed);
}

const named = (entries: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(entries).map(([entry, file]) => [fileOf(entry), file]));

async function addEntries(
  folder: string,
  entries: Readonly<Record<string, string>>,
): Promise<Inputs> {
  const dist = join(folder, "dist");
  const inputs = await bundleEntries(named(entries), dist);
  const required = Object.entries(entries).filter(([entry]) => isRequired(entry));
  await bundleRequired(named(Object.fromEntries(required)), dist);
  await declarations(named(entries), dist);
  return inputs;
}

/** Adds the generated core files that the Makefiles need, because a user of the package does not have our scripts. */
async function addGeneratedC(folder: string): Promise<void> {
  await generateC(join(folder, "generated"));
  // The Makefile for QuickJS compiles `core.js` of this folder to bytecode.
  await generate(join(folder, "generated-complete"), "complete");
}

const lines = (...all: readonly string[]): string => `${all.join("\n")}\n`;
const pairs = (sign: string, all: Readonly<Record<string, string | undefined>>): string =>
  lines(
    ...Object.entries(all).flatMap(([name, value]) => (value ? [`${name}${sign}${value}`] : [])),
  );

function addLibrary(folder: string): void {
  const { version, license, homepage } = own;
  const description =
    "OAuth 2.0 device authorization grant (RFC 8628) for devices without a keyboard";
  const name = "picogrant";
  const sources = BUILT.filter((file) => file.endsWith(".c"));
  const below = (place: string): string => sources.map((file) => `${place}${file}`).join(" ");
  const build = { srcDir: "src", includeDir: "src" };
  const files = {
    "CMakeLists.txt": lines(
      "cmake_minimum_required(VERSION 3.20)",
      "if(ESP_PLATFORM)",
      `  idf_component_register(SRCS ${below("src/")} INCLUDE_DIRS src)`,
      "else()",
      "  project(picogrant-firmware C)\n  add_subdirectory(targets/host)",
      "endif()",
    ),
    "idf_component.yml": pairs(": ", { version, license, url: homepage, description }),
    "zephyr/module.yml": "name: picogrant\nbuild:\n  cmake: zephyr\n  kconfig: zephyr/Kconfig\n",
    "zephyr/CMakeLists.txt": lines(
      "if(CONFIG_PICOGRANT)",
      "  zephyr_include_directories(../src)\n  zephyr_library()",
      `  zephyr_library_sources(${below("../src/")})`,
      `  zephyr_library_compile_definitions(PICOGRANT_BUILD=\${CONFIG_PICOGRANT_BUILD})`,
      "endif()",
    ),
    "zephyr/Kconfig": lines(
      'config PICOGRANT\n\tbool "picogrant: OAuth 2.0 device authorization grant"\n',
      'config PICOGRANT_BUILD\n\tint "1: sign-in alone, 2: with API calls, 3: complete"',
      "\trange 1 3\n\tdefault 3\n\tdepends on PICOGRANT",
    ),
    "library.json": JSON.stringify({ name, version, description, license, build }, null, 2),
    "library.properties": pairs("=", {
      ...{ name, version, author: name, maintainer: name, sentence: description },
      paragraph: "The core of picogrant: it does no I/O and allocates nothing.",
      ...{ category: "Communication", url: homepage, architectures: "*", includes: "picogrant.h" },
    }),
  };
  mkdirSync(join(folder, "zephyr"));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  for (const file of [...sources, "picogrant.h"])
    cpSync(join(root, "dist", file), join(folder, "src", file));
  cpSync(join(root, "targets/examples/Core.ino"), join(folder, "examples/Core/Core.ino"));
}

commandLine("package", "Makes what npm publishes: the folders in dist/npm.").parse();
const library = await makePackage("picogrant", PAGES.picogrant!, (folder) =>
  addEntries(folder, LIBRARY_ENTRIES),
);
const tools = await makePackage("picogrant-tools", PAGES["picogrant-tools"]!, async (folder) => {
  const inputs = await bundleModules("targets/command/main.ts", join(folder, "dist/command"));
  const manual = manualOf(join(folder, "dist/command/main.js"), own.version);
  writeFileSync(join(folder, "dist/picogrant.1"), manual);
  return [...inputs, ...(await addEntries(folder, SERVICE_ENTRIES))];
});
const firmwarePages = FIRMWARE_FILES.flatMap((path) =>
  path.endsWith(".md") ? [path] : filesIn(join(root, path)).map((name) => `${path}/${name}`),
).filter((path) => path.endsWith(".md"));
await makePackage(
  "picogrant-firmware",
  {
    ...PAGES["picogrant-firmware"],
    ...Object.fromEntries(firmwarePages.map((path) => [path, path])),
  },
  async (folder) => {
    for (const path of FIRMWARE_FILES)
      cpSync(join(root, path), join(folder, path), { recursive: true });
    mkdirSync(join(folder, "dist"));
    for (const name of BUILT) cpSync(join(root, "dist", name), join(folder, "dist", name));
    await addGeneratedC(join(folder, "dist/host"));
    addLibrary(folder);
    return [];
  },
);
const all = [...new Set([...library, ...tools])];
writeFileSync(join(root, "dist/bundled-packages.json"), `${JSON.stringify(identities(all))}\n`);
