// Runs the conformance suites on the QuickJS adapters, inside qjs. The servers of the HTTP suite are Node's: each call
// on one is a line of JSON on standard output, and waits for its answer on standard input.

import {
  displayConformance,
  entropyConformance,
  type HttpTestServer,
  httpConformance,
  runConformance,
  storageConformance,
  timersConformance,
  type World,
} from "../../platform/conformance.ts";
import { CurlHttp } from "../../platform/quickjs/curl-http.ts";
import { LineDisplay } from "../../platform/quickjs/displays.ts";
import { quickJs, scriptArguments } from "../../platform/quickjs/engine.ts";
import { QuickJsEntropy } from "../../platform/quickjs/entropy.ts";
import { QuickJsFileStorage } from "../../platform/quickjs/file-storage.ts";
import { writeAll } from "../../platform/quickjs/files.ts";
import { QuickJsTimers } from "../../platform/quickjs/timers.ts";
import { bytesOf } from "../../platform/text.ts";

const { os, std } = quickJs();
const [folder, authority] = scriptArguments() as [folder: string, authority: string];

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

const world: World = {
  wait: (ms) =>
    new Promise((done) => {
      os.setTimeout(() => done(), ms);
    }),
};

let count = 0;
const cases = [
  ...httpConformance(
    (limits) => {
      const http = new CurlHttp(os, { ...limits, certificates: authority });
      return { http, dispose: () => http.abort() };
    },
    { wire: true, tls: true, world, start },
  ),
  ...storageConformance(() => {
    const directory = `${folder}/${count++}`;
    let storage = new QuickJsFileStorage(os, directory, { capacity: 600 });
    return {
      storage,
      world,
      restart() {
        storage.close();
        storage = new QuickJsFileStorage(os, directory, { capacity: 600 });
        return storage;
      },
      dispose: () => storage.close(),
    };
  }),
  ...timersConformance(() => {
    const timers = new QuickJsTimers(os);
    return { timers, world, dispose: () => timers.cancel() };
  }),
  ...entropyConformance(() => ({ entropy: new QuickJsEntropy(os) })),
  ...displayConformance(() => {
    let frame: string[] = [];
    const write = (text: string): void => {
      frame = text.split("\n").slice(0, 4);
    };
    const plain = (rows: readonly string[]): string => rows.join("\n");
    const display = new LineDisplay({ columns: 20, rows: 4 }, plain, false, write);
    return { display, world, look: () => frame };
  }),
];

runConformance(cases).then(
  ({ passed, failed }) => {
    tell({ report: { failed, isComplete: passed.length === cases.length } });
    std.exit(0);
  },
  (error: unknown) => {
    tell({ report: String(error) });
    std.exit(1);
  },
);
