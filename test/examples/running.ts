// An example as its reader runs it: a process of its own, with the simulated service as its server.

import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { TV } from "../service/harness.ts";
import type { RealWorld } from "../world/real-world.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
export const examples = path.join(root, "targets/examples");

/** What the package's entries are in this repository: the sources, as targets/examples/tsconfig.json says. */
const entries = { TSX_TSCONFIG_PATH: path.join(examples, "tsconfig.json") };

/** A program that has been started; `output` is all that it has printed. */
export class Program {
  output = "";
  readonly #child: ChildProcess;
  readonly #closed: Promise<number | null>;
  #look = (): void => {};

  constructor(
    file: string,
    { url, folder }: RealWorld,
    env: Record<string, string> = {},
    args: readonly string[] = [],
  ) {
    this.#child = spawn(process.execPath, ["--import", "tsx", file, ...args], {
      cwd: root,
      env: {
        ...process.env,
        ...entries,
        SERVER: url,
        CLIENT_ID: TV.client_id,
        CLIENT_SECRET: TV.client_secret,
        STATE: path.join(folder, "state"),
        ...env,
      },
    });
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.on("data", (chunk) => {
        this.output += chunk;
        this.#look();
      });
    }
    this.#closed = new Promise((resolve) => this.#child.on("close", resolve));
  }

  /** Waits until the output matches; fails where the program ends first. */
  until(wanted: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      this.#look = () => {
        const match = wanted.exec(this.output);
        if (match) resolve(match);
      };
      void this.#closed.then((code) =>
        reject(new Error(`ended with ${code} before ${wanted}:\n${this.output}`)),
      );
      this.#look();
    });
  }

  type(line: string): void {
    this.#child.stdin!.write(`${line}\n`);
  }

  /** Its exit code, once it has ended by itself. */
  ended(): Promise<number | null> {
    return this.#closed;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#closed;
  }
}

/** Starts a program, runs `body` with it and ends it whatever happens. */
export async function withProgram(
  file: string,
  world: RealWorld,
  body: (program: Program) => Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  const program = new Program(file, world, env);
  try {
    await body(program);
  } finally {
    await program.kill();
  }
}

/** The user allows the attempt that is waiting, once the program has shown its code. */
export async function allow({ service }: RealWorld, program: Program): Promise<void> {
  const [attempt] = service.pending();
  await program.until(new RegExp(attempt ? attempt.userCode : "[A-Z]{4}-[A-Z]{4}"));
  service.approve(service.pending()[0]!.userCode, "ada");
}
