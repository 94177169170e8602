// Runs one conformance suite inside qjs. The servers of the HTTP suite are Node's: each call on one is a
// line of JSON on standard output, and waits for its answer on standard input.

import { type HttpTestServer, runConformance } from "../../platform/conformance.ts";
import { quickJs, scriptArguments } from "../../platform/quickjs/engine.ts";
import { writeAll } from "../../platform/quickjs/files.ts";
import { bytesOf } from "../../platform/text.ts";
import { casesOf, type Suite } from "./conformance-suites.ts";

const { os, std } = quickJs();

function tell(message: object): void {
  writeAll(os, 1, bytesOf(`${JSON.stringify(message)}\n`));
}

/** Blocks: a plan must stand before the request that it is for. */
function ask(call: string, server: number, value: unknown = null): unknown {
  tell({ call, server, value });
  const byte = new Uint8Array(1);
  let text = "";
  while (os.read(0, byte.buffer, 0, 1) === 1 && byte[0] !== 10) {
    text += String.fromCharCode(byte[0]!);
  }
  return JSON.parse(text);
}

function start(): HttpTestServer {
  const { id, ...origins } = ask("start", 0) as { id: number } & HttpTestServer;
  return {
    ...origins,
    plan: (...plans) => {
      ask("plan", id, plans.map(packed));
    },
    requests: () => ask("requests", id) as ReturnType<HttpTestServer["requests"]>,
    closeIdle: () => {
      ask("closeIdle", id);
    },
    close: () => {
      ask("close", id);
    },
  };
}

/** A typed array is an object in JSON: as a list. */
function packed(plan: object): object {
  const { body } = plan as { body?: Uint8Array };
  return body === undefined ? plan : { ...plan, body: Array.from(body) };
}

const [suite, folder, authority] = scriptArguments() as [Suite, string, string];
runConformance(casesOf(suite, { os, folder, authority, start })).then(
  (report) => {
    tell({ report });
    std.exit(0);
  },
  (error: unknown) => {
    tell({ report: { passed: [], failed: [{ name: suite, reason: String(error) }] } });
    std.exit(1);
  },
);
