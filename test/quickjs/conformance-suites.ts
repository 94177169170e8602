// The conformance suites for the QuickJS adapters. Runs inside qjs; Node reads the names of the cases
// from here too, so that none can get lost on the way. Knows neither side's way of talking.

import {
  type ConformanceCase,
  displayConformance,
  entropyConformance,
  type HttpTestServer,
  httpConformance,
  storageConformance,
  timersConformance,
  type World,
} from "../../platform/conformance.ts";
import { CurlHttp } from "../../platform/quickjs/curl-http.ts";
import { LineDisplay } from "../../platform/quickjs/displays.ts";
import type { Os } from "../../platform/quickjs/engine.ts";
import { QuickJsEntropy } from "../../platform/quickjs/entropy.ts";
import { QuickJsFileStorage } from "../../platform/quickjs/file-storage.ts";
import { QuickJsTimers } from "../../platform/quickjs/timers.ts";

export const SUITES = ["http", "storage", "timers", "entropy", "display"] as const;
export type Suite = (typeof SUITES)[number];

export interface Surroundings {
  readonly os: Os;
  /** An empty directory. */
  readonly folder: string;
  /** File with the test authority's certificate. */
  readonly authority: string;
  start(): HttpTestServer;
}

export function casesOf(suite: Suite, given: Surroundings): ConformanceCase[] {
  const { os } = given;
  const world = worldOf(os);
  switch (suite) {
    case "http":
      return httpConformance(
        (limits) => {
          const http = new CurlHttp(os, { ...limits, certificates: given.authority });
          return { http, dispose: () => http.abort() };
        },
        { wire: true, tls: true, world, start: given.start },
      );
    case "storage":
      return storageCases(given, world);
    case "timers":
      return timersConformance(() => {
        const timers = new QuickJsTimers(os);
        return { timers, world, dispose: () => timers.cancel() };
      });
    case "entropy":
      return entropyConformance(() => ({ entropy: new QuickJsEntropy(os) }));
    default:
      return displayConformance(() => {
        let frame: string[] = [];
        const write = (text: string): void => {
          frame = text.split("\n").slice(0, 4);
        };
        const plain = (rows: readonly string[]): string => rows.join("\n");
        const display = new LineDisplay({ columns: 20, rows: 4 }, plain, false, write);
        return { display, world, look: () => frame };
      });
  }
}

function storageCases({ os, folder }: Surroundings, world: World): ConformanceCase[] {
  let count = 0;
  return storageConformance(() => {
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
  });
}

function worldOf(os: Os): World {
  return {
    wait: (ms) =>
      new Promise((done) => {
        os.setTimeout(() => done(), ms);
      }),
  };
}
