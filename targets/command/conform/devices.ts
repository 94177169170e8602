// `picogrant conform --device`: tests a complete device by its requests. Each row (a test in device-rows.ts) has its
// own device, server and directory, so several rows can run in parallel.

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Command } from "commander";
import { nameMeant } from "../../../platform/configuration/schema-check.ts";
import { printable } from "../../../platform/text/text.ts";
import { integer, UsageError } from "../../desktop/command-line.ts";
import { makeTlsIdentities } from "../../service/certificates.ts";
import { Exit, Failure, SIGNALS } from "../exit-codes.ts";
import { orMistake } from "../page.ts";
import { makePage } from "../page-format.ts";
import { paintFor, showProgress } from "../terminal.ts";
import { tlsServers } from "./conformance-server.ts";
import { abilities, type Hook, hooksOf, type Row, rows } from "./device-rows.ts";
import { type Client, Judge } from "./judge.ts";
import { startServer } from "./server.ts";

interface Flags {
  device: string;
  with: Record<string, unknown>;
  host: string;
  https?: boolean;
  only?: readonly Row[];
  atOnce: number;
  timeout: number;
  json?: boolean;
  firstPollAtOnce?: boolean;
  keep?: boolean;
  call?: string;
  signOut?: string;
  restart?: string;
  powerCut?: string;
  tls: boolean;
}

type Verdict = Pick<Row, "name" | "section"> & {
  readonly passed: boolean | null;
  readonly why: string;
  readonly received: Judge["received"];
};

const CLIENT: Client = { clientId: "picogrant-bench", scope: "openid" };
const BY_HAND = "-";
const HELP = `
COMMAND is run by the shell, once for each row, with {config}: the device.json, {page}: its settings page for a device
in C, {directory}: for what it keeps, and {ca}: the authority to trust. A hook is a command as well, with {pid} too; or "> LINE" for the device's standard input.
Without --restart and --power-cut the device is ended (SIGTERM, SIGKILL) and started again. Rows that need a hook which
is not there are not tried.

Examples:
  picogrant conform --device "node my-device.mjs {config}" --call "> call" --sign-out "> sign out"
  picogrant conform --device "my-device {config}" --no-pkce --no-json --only pending,slow-down
  picogrant conform --device -            it says where device.json is, and you start the device

Rows: ${rows.map(({ name }) => name).join(", ")}

Exit code 1: a row failed, or the device sent no request.`;

export function deviceLine(command: Command): Command {
  command
    .requiredOption("--device <command>", "starts the device; - : you start it by hand")
    .option("--with <json>", "further members of device.json", readMembers, {})
    .option("--only <names>", "only these rows: NAME[,NAME]", readRows)
    .option("--call <hook>", "has the device call its resource: endpoints.resources[0]")
    .option("--sign-out <hook>", "has the device sign out")
    .option("--restart <hook>", "ends the device in order and starts it again")
    .option("--power-cut <hook>", "takes its power, and gives it back")
    .option("--host <address>", "address to listen on, as the device is to call it", "127.0.0.1")
    .option("--https", "every row over https, for a device that takes nothing else")
    .option("--at-once <number>", "devices side by side", integer(1, 100), 8)
    .option("--timeout <seconds>", "how long a request is waited for", integer(1, 3600), 30)
    .option("--first-poll-at-once", "the first poll need not wait for an interval")
    .option("--keep", "leave the directories of the devices")
    .option("--json", "one JSON object for each row");
  for (const [name, what] of Object.entries(abilities)) {
    command.option(`--no-${name}`, `leave out ${what}`);
  }
  return command.addHelpText("after", HELP);
}

export async function judgeDevices(command: Command): Promise<number> {
  const flags = command.opts<Flags>();
  if (flags.https && !flags.tls) throw new UsageError("--https and --no-tls exclude each other");
  const bench = new Bench(flags);
  // Stop the devices at each exit, even after an exception. They have process groups of their own, so Ctrl-C does not
  // reach them.
  process.once("exit", () => bench.close());
  for (const [signal, code] of Object.entries(SIGNALS))
    process.once(signal, () => process.exit(code));
  return report(await bench.run(flags.only ?? rows, (verdict) => print(verdict, flags)), flags);
}

function readMembers(text: string): Record<string, unknown> {
  try {
    const members = JSON.parse(text);
    if (Object.prototype.toString.call(members) === "[object Object]") return members;
  } catch {
    // The error below also covers text that is not JSON.
  }
  throw new UsageError("--with: it is no JSON object");
}

function readRows(text: string): readonly Row[] {
  const names = text.split(",");
  const known = rows.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return rows.filter(({ name }) => names.includes(name));
  const meant = nameMeant(unknown, known);
  const advice = meant === undefined ? "--help lists the rows" : `did you mean ${meant}?`;
  throw new UsageError(`--only: there is no row ${JSON.stringify(unknown)}; ${advice}`);
}

function print(verdict: Verdict, { json }: Flags): void {
  showProgress("");
  const { name, section, passed, why } = verdict;
  const word = passed ? "passed" : `${passed === null ? "not tried" : "failed"}: ${why}`;
  const title = paintFor(process.stdout, process.env).bold(name);
  process.stdout.write(json ? `${JSON.stringify(verdict)}\n` : `  ${title} (${section}) ${word}\n`);
}

function report(verdicts: readonly Verdict[], { json }: Flags): number {
  const count = (passed: boolean | null): number =>
    verdicts.filter((one) => one.passed === passed).length;
  const passed = `${count(true)} of ${verdicts.length - count(null)} rows pass`;
  if (!json) process.stdout.write(`${passed}; ${count(null)} are not tried\n`);
  return count(false) > 0 ? Exit.FAILED : Exit.DONE;
}

class Bench {
  readonly #flags: Flags;
  readonly #tls = makeTlsIdentities();
  readonly #folder = mkdtempSync(path.join(tmpdir(), "picogrant-bench-"));
  readonly #devices = new Set<Device>();
  #hasCome = false;

  constructor(flags: Flags) {
    this.#flags = flags;
  }

  async run(chosen: readonly Row[], onVerdict: (verdict: Verdict) => void): Promise<Verdict[]> {
    const verdicts: Verdict[] = [];
    // Verdicts before the first connection. If no device connects, the run reports one failure instead of all these.
    const held: Verdict[] = [];
    const left = [...chosen];
    const running = new Set<string>();
    const isByHand = this.#flags.device === BY_HAND;
    const lane = async (): Promise<void> => {
      for (let row = left.shift(); row !== undefined; row = left.shift()) {
        running.add(row.name);
        showProgress(`${verdicts.length} of ${chosen.length} rows: ${[...running].join(", ")}`);
        const verdict = await this.#judge(row);
        running.delete(row.name);
        verdicts.push(verdict);
        held.push(verdict);
        if (this.#hasCome || isByHand) held.splice(0).forEach(onVerdict);
        if (this.#hasCome || verdict.passed === null || isByHand) continue;
        left.length = 0;
      }
    };
    const lanes = isByHand ? 1 : this.#flags.atOnce;
    await Promise.all(Array.from({ length: lanes }, lane));
    showProgress("");
    const tried = verdicts.filter(({ passed }) => passed !== null);
    if (tried.length > 0 && !this.#hasCome) throw new Failure(tried[0]!.why);
    held.forEach(onVerdict);
    return verdicts;
  }

  close(): void {
    for (const device of this.#devices) device.end();
    if (!this.#flags.keep) rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Returns why a row is skipped, "" if it is not. */
  #lackOf(row: Row): string {
    const { needs } = row;
    if (needs !== undefined && (this.#flags as unknown as Record<string, unknown>)[needs] === false)
      return `--no-${needs}`;
    const missing = hooksOf(row).find((hook) => this.#commandOf(hook) === undefined);
    return missing === undefined ? "" : `there is no --${missing}`;
  }

  /**
   * The shell command of a hook, or "> LINE" for the device's standard input. "": the bench restarts the device's process
   * itself. Undefined: the action is not possible.
   */
  #commandOf(hook: Hook): string | undefined {
    const { call, signOut, restart, powerCut, device } = this.#flags;
    const own = device === BY_HAND ? undefined : "";
    if (hook === "call") return call;
    if (hook === "sign-out") return signOut;
    return (hook === "restart" ? restart : powerCut) ?? own;
  }

  async #judge(row: Row): Promise<Verdict> {
    const { name, section } = row;
    const lack = this.#lackOf(row);
    if (lack !== "") return { name, section, passed: null, why: lack, received: [] };
    const { timeout, host, https, device: start } = this.#flags;
    const each = timeout * 1000;
    const directory = path.join(this.#folder, name);
    const device = new Device(directory, start);
    this.#devices.add(device);
    const shows = row.shows ?? (https ? "trusted" : undefined);
    const tls = shows && tlsServers(this.#tls.identities)[shows];
    const elsewhere = await startServer(host, undefined, {
      request: (arrival) => judge.elsewhere(arrival),
    });
    const judge = new Judge(row, {
      client: { ...CLIENT, ...this.#flags.with },
      timeoutMs: { first: start === BY_HAND ? 0 : each, each },
      firstPollAtOnce: this.#flags.firstPollAtOnce === true,
      hook: (hook) => device.pull(hook, this.#commandOf(hook)!),
    });
    const server = await startServer(host, tls, {
      connection: () => judge.connection(),
      noise: (what) => judge.noise(what),
      request: (arrival, reply) =>
        judge.request(arrival, (response) => {
          const bytes = response.bytes.replace("{elsewhere}", `${elsewhere.origin}/token`);
          return reply({ ...response, bytes });
        }),
    });
    this.#configure(directory, server.origin, row);
    if (start === BY_HAND) console.error(`${name}: start a device with ${directory}/device.json`);
    else device.start();
    const why = await judge.verdict;
    if (judge.connections > 0) this.#hasCome = true;
    await device.end();
    this.#devices.delete(device);
    await Promise.all([server.close(), elsewhere.close()]);
    const words = printable(why + device.output(why));
    return { name, section, passed: why === "", why: words, received: judge.received };
  }

  #configure(directory: string, origin: string, { hasNoRevocation = false }: Row): void {
    mkdirSync(directory, { mode: 0o700 });
    const write = (name: string, content: string | Buffer): string => {
      const file = path.join(directory, name);
      writeFileSync(file, content, { mode: 0o600 });
      return file;
    };
    const config = {
      ...CLIENT,
      clientAuthentication: "none",
      endpoints: {
        deviceAuthorization: `${origin}/device`,
        token: `${origin}/token`,
        ...(!hasNoRevocation && { revocation: `${origin}/revoke` }),
        resources: [`${origin}/api`],
      },
      storage: {
        directory: path.join(directory, "state"),
        deviceKeyFile: write("device.key", randomBytes(32)),
      },
      http: { certificates: write("ca.pem", this.#tls.ca) },
      ...this.#flags.with,
    };
    const text = JSON.stringify(config);
    write("device.json", text);
    if (!this.#flags.device.includes("{page}")) return;
    const authorities = [this.#tls.ca];
    write(
      "device.page",
      orMistake("--with", () => makePage(text, { authorities })),
    );
  }
}

/** The process of one row, and the actions on it. */
class Device {
  readonly #directory: string;
  readonly #command: string;
  readonly #running = new Set<ChildProcess>();
  #child: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #lastOutput = "";
  #isOver = false;

  constructor(directory: string, command: string) {
    this.#directory = directory;
    this.#command = command;
  }

  start(): void {
    if (this.#isOver) return;
    const child = this.#shell(this.#command);
    this.#child = child;
    this.#ended = new Promise((done) => child.once("close", done));
  }

  end(): Promise<unknown> {
    this.#isOver = true;
    // Kill whole process groups, because the processes that a shell has started may still run.
    for (const child of [this.#child, ...this.#running]) if (child) kill(child, "SIGKILL");
    // Close the pipes, because a process that has left the group would keep them open.
    const cut = (): void => {
      for (const child of this.#running) for (const pipe of child.stdio) pipe?.destroy();
    };
    setTimeout(cut, 500).unref();
    return this.#ended;
  }

  pull(hook: Hook, command: string): void {
    if (command.startsWith(">")) this.#child?.stdin?.write(`${command.slice(1).trim()}\n`);
    else if (command !== "")
      this.#shell(command).on("close", (code) => {
        if (code) this.#lastOutput = `--${hook} ended with ${code}`;
      });
    else {
      kill(this.#child!, hook === "restart" ? "SIGTERM" : "SIGKILL");
      void this.#ended.then(() => this.start());
    }
  }

  /** The last line that the device or a hook wrote to standard error, or a hook's exit code, to add to a failure. */
  output(why: string): string {
    const line = this.#lastOutput.trim().split("\n").at(-1) ?? "";
    return why === "" || line === "" ? "" : `; its last output: ${line}`;
  }

  #shell(command: string): ChildProcess {
    const words: Record<string, string> = {
      "{config}": path.join(this.#directory, "device.json"),
      "{page}": path.join(this.#directory, "device.page"),
      "{ca}": path.join(this.#directory, "ca.pem"),
      "{directory}": this.#directory,
      "{pid}": String(this.#child?.pid),
    };
    const line = command.replace(/\{\w+\}/g, (word) => words[word] ?? word);
    const child = spawn("/bin/sh", ["-c", line], { stdio: "pipe", detached: true });
    this.#running.add(child);
    child.on("close", () => this.#running.delete(child));
    child.on("error", () => {});
    child.stdin.on("error", () => {});
    child.stdout.resume();
    child.stderr.on("data", (bytes: Buffer) => {
      this.#lastOutput = (this.#lastOutput + bytes.toString("latin1")).slice(-500);
    });
    return child;
  }
}

/** Sends a signal to the shell and to the processes that it has started, which are its process group. */
function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-child.pid!, signal);
  } catch {
    // The process group has already ended.
  }
}
