// npm run package: makes of the sources what npm publishes, dist/esm and dist/cjs, each with its types. Runs by
// itself before `npm pack`. The bundles for firmware in dist are those of `npm run build`.

import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandLine } from "./command-line.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** The modules that package.json's `exports` names; what they import comes along. */
const entries = [
  "core/complete.ts",
  "core/index.ts",
  "platform/conformance.ts",
  "platform/driver.ts",
  "platform/fake/index.ts",
  "platform/flash/flash-storage.ts",
  "platform/node/conformance-server.ts",
  "platform/node/index.ts",
  "platform/node/sign-in.ts",
  "platform/sealed-storage.ts",
  "platform/servers/index.ts",
];

type Kind = "esm" | "cjs";

/** The compiler's settings for one kind, beside those of tsconfig.json. */
function settingsOf(kind: Kind, outDir: string): object {
  return {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      resolveJsonModule: true,
      rootDir: root,
      outDir,
      typeRoots: [join(root, "node_modules/@types")],
      ...(kind === "cjs" && { module: "commonjs", verbatimModuleSyntax: false }),
    },
    include: [],
    files: entries.map((entry) => join(root, entry)),
  };
}

/** Makes dist/esm or dist/cjs; the old one stays until the new one is complete. */
function make(kind: Kind): number {
  const dist = join(root, "dist");
  mkdirSync(dist, { recursive: true });
  const draft = mkdtempSync(join(dist, "package-"));
  try {
    const outDir = join(draft, kind);
    const project = join(draft, "tsconfig.json");
    writeFileSync(project, JSON.stringify(settingsOf(kind, outDir)));
    execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", project], { stdio: "inherit" });
    writeFileSync(join(outDir, "package.json"), JSON.stringify({ type: typeOf(kind) }));
    const count = finish(kind, outDir);
    rmSync(join(dist, kind), { recursive: true, force: true });
    renameSync(outDir, join(dist, kind));
    return count;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function typeOf(kind: Kind): string {
  return kind === "esm" ? "module" : "commonjs";
}

/** What the compiler leaves undone: endings in declarations, and JSON, which a module of Node cannot import. */
function finish(kind: Kind, folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const name of files) {
    const file = join(folder, name);
    if (name.endsWith(".json") && name !== "package.json" && kind === "esm") {
      writeFileSync(`${file}.js`, `export default ${readFileSync(file, "utf8").trim()};\n`);
    } else if (name.endsWith(".d.ts") || name.endsWith(".js")) {
      const text = readFileSync(file, "utf8");
      const ended = name.endsWith(".d.ts")
        ? text.replace(/(["']\.[^"']*)\.ts(["'])/g, "$1.js$2")
        : text;
      const whole =
        kind === "esm" ? ended.replace(/(["']\.[^"']*\.json)(["'])/g, "$1.js$2") : ended;
      if (whole !== text) writeFileSync(file, whole);
    }
  }
  return files.filter((name) => name.endsWith(".js")).length;
}

commandLine("package", "Makes dist/esm and dist/cjs: what npm publishes.").parse();
for (const kind of ["esm", "cjs"] as const) {
  console.log(`dist/${kind}: ${make(kind)} modules`);
}
