// A copy of this repository, in which a test follows a recipe of its pages: what the recipe does not name stays as it is.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** For a whole recipe: a limit against hanging. */
export const RECIPE_MS = 1_800_000;

export class RepositoryCopy {
  readonly #folder = mkdtempSync(path.join(tmpdir(), "picogrant-recipe-"));

  constructor() {
    for (const file of filesOf(["-co", "--exclude-standard"])) {
      cpSync(path.join(ROOT, file), path.join(this.#folder, file), { recursive: true });
    }
    symlinkSync(path.join(ROOT, "node_modules"), path.join(this.#folder, "node_modules"));
  }

  read(file: string): string {
    return readFileSync(path.join(this.#folder, file), "utf8");
  }

  write(file: string, text: string): void {
    writeFileSync(path.join(this.#folder, file), text);
  }

  /** Replaces what stands in a file, each time that it does. @throws Error where it does not stand there */
  replace(file: string, old: string | RegExp, by: string): void {
    const before = this.read(file);
    const after = before.replaceAll(old, by);
    if (after === before) throw new Error(`${file}: no ${old} there`);
    this.write(file, after);
  }

  /** Files in which words stand, below some folders. */
  filesWith(words: string, ...folders: string[]): string[] {
    return filesOf(["-co", "--exclude-standard", "--", ...folders]).filter((file) =>
      this.read(file).includes(words),
    );
  }

  /** `npm run generate`, and the tests of these names: the short ones, since this one is not among them. */
  generateAndTest(generated: readonly string[], tests: readonly string[]): string {
    this.#run("npm", "run", "-s", "generate", ...generated);
    const files = tests.map((name) => `test/${name}`);
    return this.#run("npx", "vitest", "run", "--config", "test/vitest.config.ts", ...files);
  }

  /** The types, with the compiler of `npm run check`: the one of that name in `.bin` is another's, and slower. */
  check(): void {
    for (const project of ["core", "."])
      this.#run("node", "node_modules/@typescript/native/bin/tsc", "-p", project);
  }

  dispose(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** @throws Error with what the command has said where it fails */
  #run(command: string, ...words: string[]): string {
    try {
      return execFileSync(command, words, {
        cwd: this.#folder,
        encoding: "utf8",
        stdio: "pipe",
        env: { ...process.env, CI: "", PICOGRANT_ALL: "" },
      });
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      throw new Error(`${command} ${words.join(" ")}\n${stdout}\n${stderr}`);
    }
  }
}

function filesOf(words: readonly string[]): string[] {
  const listed = execFileSync("git", ["ls-files", "-z", ...words], { cwd: ROOT, encoding: "utf8" });
  return listed.split("\0").filter(Boolean);
}
