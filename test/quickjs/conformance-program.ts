// Runs inside qjs: the conformance suites of the QuickJS adapters, except HTTP, which the bench checks (qjs.test.ts).

import {
  displayConformance,
  type Environment,
  entropyConformance,
  runConformance,
  storageConformance,
  timersConformance,
} from "../../platform/conformance/index.ts";
import { lineDisplay } from "../../platform/quickjs/displays.ts";
import {
  quickJs,
  quickJsEntropy,
  quickJsTimers,
  scriptArguments,
} from "../../platform/quickjs/engine.ts";
import { QuickJsFileStorage } from "../../platform/quickjs/file-storage.ts";
import { writeAll } from "../../platform/quickjs/files.ts";
import { bytesOf } from "../../platform/text/text.ts";

const { os, std } = quickJs();
const [folder] = scriptArguments() as [folder: string];

function report(message: object): void {
  writeAll(os, 1, bytesOf(`${JSON.stringify(message)}\n`));
}

const environment: Environment = {
  wait: (ms) =>
    new Promise((done) => {
      os.setTimeout(() => done(), ms);
    }),
};

let count = 0;
const cases = [
  ...storageConformance(() => {
    const directory = `${folder}/${count++}`;
    let storage = new QuickJsFileStorage(os, directory, 600);
    return {
      storage,
      environment,
      restart() {
        storage.close();
        storage = new QuickJsFileStorage(os, directory, 600);
        return storage;
      },
      dispose: () => storage.close(),
    };
  }),
  ...timersConformance(() => {
    const timers = quickJsTimers(os);
    return { timers, environment, dispose: () => void timers.cancel() };
  }),
  ...entropyConformance(() => ({ entropy: quickJsEntropy(os) })),
  ...displayConformance(() => {
    let frame: string[] = [];
    const write = (text: string): void => {
      frame = text.split("\n").slice(0, 4);
    };
    const display = lineDisplay({ columns: 20, rows: 4 }, false, write);
    return { display, environment, look: () => frame };
  }),
];

runConformance(cases).then(
  ({ passed, failed }) => {
    report({ report: { failed, isComplete: passed.length === cases.length } });
    std.exit(0);
  },
  (error: unknown) => {
    report({ report: String(error) });
    std.exit(1);
  },
);
