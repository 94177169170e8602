// Runs the installed `picogrant` as its user does, in a process of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { inject } from "vitest";

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  /** What it has said so far. */
  stdout: string;
  stderr: string;
  readonly end: Promise<Ended>;
}

export function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
  const project = inject("project");
  const child = spawn(join(project, "node_modules/.bin/picogrant"), args, {
    cwd: project,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const running = { child, stdout: "", stderr: "" };
  child.stdout.on("data", (data: Buffer) => {
    running.stdout += data.toString();
  });
  child.stderr.on("data", (data: Buffer) => {
    running.stderr += data.toString();
  });
  const end = new Promise<Ended>((resolve) => {
    child.on("close", (code) => {
      resolve({ code, stdout: running.stdout, stderr: running.stderr });
    });
  });
  return Object.assign(running, { end });
}

export function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return start(args, env).end;
}

/** The objects that --json printed. */
export function events(stdout: string): Record<string, unknown>[] {
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
