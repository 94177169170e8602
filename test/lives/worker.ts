// A part of a large campaign in a thread of its own.

import { parentPort, workerData } from "node:worker_threads";
import { runCampaign } from "./campaign.ts";
import { coreOf } from "./core-of.ts";
import type { Part, Told } from "./in-threads.ts";

const { code, firstSeed, lives } = workerData as Part;

const tell = (told: Told): void => parentPort?.postMessage(told);
const campaign = runCampaign({
  core: coreOf(code),
  firstSeed,
  lives,
  progress: (done) => tell({ kind: "progress", share: done / lives }),
});
tell({ kind: "result", result: campaign });
