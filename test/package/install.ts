// Packs the npm packages once for all test files, installs them in a project outside this repository, and runs the
// installed `picogrant`.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import { MANIFESTS } from "../../targets/workbench/package-contents.ts";
import { type Ended, Running } from "../program.ts";

declare module "vitest" {
  export interface ProvidedContext {
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
  // A TypeScript project also needs the types of Node.
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

export function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
  const project = inject("project");
  const command = join(project, "node_modules/.bin/picogrant");
  const stdio = ["ignore", "pipe", "pipe"] as const;
  const how = { cwd: project, env: { ...process.env, ...env }, stdio: [...stdio] };
  return new Running(spawn(command, args, how));
}

export function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return start(args, env).end;
}

export function events(stdout: string): Record<string, unknown>[] {
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
