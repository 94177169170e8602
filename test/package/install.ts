// Packs what npm would publish, once for all files of tests, and installs it in a project that knows nothing of this
// repository.

import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** A folder with the package in its node_modules. */
    project: string;
  }
}

const root = fileURLToPath(new URL("../../", import.meta.url));

export default function setup({ provide }: TestProject): () => void {
  const project = mkdtempSync(join(tmpdir(), "picogrant-package-"));
  execFileSync("npm", ["pack", "--pack-destination", project], { cwd: root, stdio: "pipe" });
  const tarball = readdirSync(project).find((name) => name.endsWith(".tgz"))!;
  const modules = join(project, "node_modules");
  mkdirSync(join(modules, "@types"), { recursive: true });
  mkdirSync(join(modules, ".bin"));
  execFileSync("tar", ["-xzf", tarball, "-C", "node_modules"], { cwd: project });
  const installed = join(modules, "picogrant");
  cpSync(join(modules, "package"), installed, { recursive: true });
  rmSync(join(modules, "package"), { recursive: true });
  // What npm would install beside it: its one dependency, and a TypeScript project's types of Node.
  for (const name of ["tweetnacl", "@types/node", "undici-types"]) {
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  const { bin } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    bin: Record<string, string>;
  };
  for (const [name, file] of Object.entries(bin)) {
    symlinkSync(join(installed, file), join(modules, ".bin", name));
  }
  provide("project", project);
  return () => rmSync(project, { recursive: true, force: true });
}
