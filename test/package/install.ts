// Packs what npm would publish, once for all files of tests, and installs it in a project outside of this repository.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { MANIFESTS } from "../../targets/workbench/package-contents.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A folder with the packages in its node_modules. */
    project: string;
  }
}

const root = fileURLToPath(new URL("../../", import.meta.url));

export default function setup({ provide }: TestProject): () => void {
  const project = mkdtempSync(join(tmpdir(), "picogrant-package-"));
  const run = (command: string, args: readonly string[], cwd = root): void => {
    execFileSync(command, args, { cwd, stdio: "pipe" });
  };
  run("npm", ["run", "-s", "build"]);
  run("npm", ["run", "-s", "tool", "--", "package"]);
  const modules = join(project, "node_modules");
  mkdirSync(join(modules, "@types"), { recursive: true });
  mkdirSync(join(modules, ".bin"));
  for (const name of Object.keys(MANIFESTS)) {
    run("npm", ["pack", "--pack-destination", project], join(root, "dist/npm", name));
    const tarball = readdirSync(project).find((file) =>
      RegExp(`^${name}-\\d.*\\.tgz$`).test(file),
    )!;
    run("tar", ["-xzf", tarball, "-C", "node_modules"], project);
    renameSync(join(modules, "package"), join(modules, name));
  }
  // What a TypeScript project installs beside them: the types of Node.
  for (const name of ["@types/node", "undici-types"]) {
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  symlinkSync(
    join(modules, "picogrant-tools/dist/command/main.js"),
    join(modules, ".bin/picogrant"),
  );
  provide("project", project);
  return () => rmSync(project, { recursive: true, force: true });
}
