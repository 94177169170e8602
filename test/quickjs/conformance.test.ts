// The adapter contracts (platform/contracts.ts) on the QuickJS adapters, inside a real qjs with a real
// curl, real files and real pipes.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ConformanceReport, HttpTestServer, ServerPlan } from "../../platform/conformance.ts";
import {
  startConformanceServer,
  type TlsIdentities,
} from "../../platform/node/conformance-server.ts";
import type { Os } from "../../platform/quickjs/engine.ts";
import { makeTlsIdentities } from "../platform/certificates.ts";
import { casesOf, SUITES, type Suite } from "./conformance-suites.ts";
import { within } from "./limits.ts";
import { enginesHere, temporaryFolder, writeTestProgram } from "./qjs.ts";

interface Call {
  call: string;
  server: number;
  value: (ServerPlan & { body?: number[] })[] | null;
}

/** Does on real servers what the program asks for. */
class Servers {
  readonly #all: HttpTestServer[] = [];
  readonly #identities: TlsIdentities;

  constructor(identities: TlsIdentities) {
    this.#identities = identities;
  }

  async answer({ call, server: id, value }: Call): Promise<unknown> {
    if (call === "start") {
      const server = await startConformanceServer(this.#identities);
      const { origin, deadOrigin, tls } = server;
      return { id: this.#all.push(server) - 1, origin, deadOrigin, tls };
    }
    const server = this.#all[id]!;
    if (call === "plan") {
      for (const plan of value ?? []) {
        const body = plan.body && Uint8Array.from(plan.body);
        server.plan({ ...plan, ...(body && { body }) } as ServerPlan);
      }
    } else if (call === "requests") {
      return server.requests().map((one) => ({ ...one, body: Array.from(one.body) }));
    } else if (call === "closeIdle") await server.closeIdle();
    else await server.close();
    return null;
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.#all.map((server) => server.close()));
  }
}

async function converse(
  child: ChildProcessWithoutNullStreams,
  servers: Servers,
): Promise<ConformanceReport> {
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  for (let last = "its start"; ; ) {
    const line = await within(`the line after ${last}`, child, lines.next(), () => errors);
    if (line.done) throw new Error(`the program ended without a report: ${errors}`);
    const message = JSON.parse(line.value) as Call & { report?: ConformanceReport };
    if (message.report !== undefined) return message.report;
    last = line.value;
    child.stdin.write(`${JSON.stringify(await servers.answer(message))}\n`);
  }
}

function namesOf(suite: Suite): string[] {
  const nowhere = { os: {} as Os, folder: "", authority: "", start: () => ({}) as HttpTestServer };
  return casesOf(suite, nowhere).map(({ name }) => name);
}

const engines = enginesHere();
/** Made once: keys take their time. */
let tls: ReturnType<typeof makeTlsIdentities> | undefined;

describe("adapters in qjs", () => {
  describe.each(engines)("%s", (_, qjs) => {
    it.each(SUITES)("contracts.ts, every rule of %s", async (suite) => {
      const folder = temporaryFolder();
      tls ??= makeTlsIdentities();
      const authority = join(folder, "ca.pem");
      writeFileSync(authority, tls.ca);
      const program = await writeTestProgram("conformance-program", folder);
      const child = spawn(qjs, ["--std", "-m", program, suite, folder, authority]);
      const servers = new Servers(tls.identities);
      onTestFinished(async () => {
        child.kill("SIGKILL");
        await servers.closeAll();
      });
      const { passed, failed } = await converse(child, servers);
      expect(failed).toEqual([]);
      expect(passed).toEqual(namesOf(suite));
    });
  });
});
