// Runs the bench (`picogrant conform --device`) as a process.

import { spawn } from "node:child_process";
import { expect } from "vitest";
import { rows } from "../targets/command/conform/device-rows.ts";
import { bundledProgram, Running } from "./program.ts";

/** With these options, the bench types `a` to make a device call the API, and `o` to make it sign out. */
export const KEYS = ["--call", "> a", "--sign-out", "> o"];

export async function bench(...args: string[]): Promise<{ status: number | null; output: string }> {
  const words = [await bundledProgram("targets/command/main.ts"), "conform", ...args];
  const running = new Running(
    spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] }),
  );
  const { code: status } = await running.end;
  return { status, output: running.output };
}

/** Runs the bench. The device must pass all rows. Options may skip rows: `left` is the number of skipped rows. */
export async function expectAllPass(
  device: string,
  options: readonly string[],
  left = 0,
  of = rows.length,
): Promise<void> {
  const { status, output } = await bench("--device", device, ...options);
  const passed = `${of - left} of ${of - left} rows pass; ${left} are not tried`;
  expect([output.split("\n").at(-2), status], output).toEqual([passed, 0]);
}
