// Faults planted into the core, to show that the model finds them: the test of its oracles. Each is a small
// change of the sources, and fails loudly where their text has moved on.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { runCampaign } from "./campaign.ts";
import { devicePlants } from "./plants/device.ts";
import { displayPlants } from "./plants/display.ts";
import { documentsPlants } from "./plants/documents.ts";
import { grantPlants } from "./plants/grant.ts";
import { loopPlants } from "./plants/loop.ts";
import type { Planted } from "./plants/plant.ts";
import { recordsPlants } from "./plants/records.ts";
import { requestsPlants } from "./plants/requests.ts";
import { textPlants } from "./plants/text.ts";
import { type MakeCore, ofBundle } from "./subject.ts";

/** By the rooms of the core. */
export const PLANTED: readonly Planted[] = [
  ...devicePlants,
  ...textPlants,
  ...recordsPlants,
  ...grantPlants,
  ...displayPlants,
  ...requestsPlants,
  ...documentsPlants,
  ...loopPlants,
];

const core = fileURLToPath(new URL("../../core/", import.meta.url));

/** The files of the core that a fault changes. @throws Error where its place is not there any more, or there twice */
export function textsWith({ name, edits }: Planted): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { file, find, replacement } of edits) {
    const path = core + file;
    const text = texts.get(path) ?? readFileSync(path, "utf8");
    const parts = text.split(find);
    if (parts.length !== 2) {
      throw new Error(`planted fault "${name}": its place is ${parts.length - 1} times in ${file}`);
    }
    texts.set(path, parts.join(replacement));
  }
  return texts;
}

/** The core with the fault in it. @throws Error as `textsWith` */
export async function plant(fault: Planted): Promise<MakeCore> {
  const texts = textsWith(fault);
  const result = await build({
    entryPoints: [`${core}complete.ts`],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "picogrant",
    plugins: [
      {
        name: "planted",
        setup(setup) {
          setup.onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const contents = texts.get(path);
            return contents === undefined ? undefined : { contents, loader: "ts" };
          });
        },
      },
    ],
  });
  // As the sources, it drives any number of devices: evaluated once, its functions become fast.
  const planted = ofBundle(result.outputFiles[0]!.text)();
  return () => planted;
}

export interface Hunt {
  name: string;
  /** The oracle that found it, and after how many steps. */
  oracle: string | undefined;
  what: string;
  steps: number;
}

/** Sequences with this fault in the core, until one finds it. */
export async function hunt(fault: Planted, seed: number, stepsMax: number): Promise<Hunt> {
  const makeCore = await plant(fault);
  const { failure, steps } = runCampaign({ makeCore, seed, steps: stepsMax });
  const { oracle, what = "" } = failure?.broken ?? { oracle: undefined };
  return { name: fault.name, oracle, what, steps };
}
