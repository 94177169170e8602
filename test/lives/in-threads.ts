// A large campaign in parts, several of them at a time, each in a thread of its own. The lives are the same
// however many run at a time: a life depends on its seed alone.

import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { buildSync } from "esbuild";
import { inWorkers, type Report } from "../../targets/desktop/fleet/shards.ts";
import { type Campaign, sumOf } from "./campaign.ts";

/** What a worker is to do. */
export interface Part {
  /** The bundle's text. */
  readonly code: string;
  readonly firstSeed: number;
  readonly lives: number;
}

/** What it tells. */
export type Told = Report<Campaign>;

interface PartsOptions extends Part {
  /** So many threads. */
  readonly jobs: number;
  /** Told how many have been lived. */
  readonly progress: (lives: number) => void;
  /** Hears of a failing life as soon as its part is over. */
  readonly failed: (campaign: Campaign) => void;
}

/**
 * A part takes some minutes; one that meets a failing life is over with it, and tells. Each begins with seconds
 * in which its thread learns to run the code fast.
 */
const PART_LIVES = 50_000;
/** Room for what a life leaves behind: fewer and cheaper collections. */
const YOUNG_MB = 64;

/** Each part of the campaign stops at its first failing life; the others go on. */
export async function runInParts(options: PartsOptions): Promise<Campaign> {
  const { code, firstSeed, lives, jobs } = options;
  const size = Math.min(PART_LIVES, Math.ceil(lives / jobs));
  const parts: Part[] = [];
  for (let at = 0; at < lives; at += size) {
    parts.push({ code, firstSeed: (firstSeed + at) >>> 0, lives: Math.min(size, lives - at) });
  }
  const entry = fileURLToPath(new URL("worker.ts", import.meta.url));
  const program = buildSync({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
  }).outputFiles[0]!.text;
  const start = (part: Part): Worker => {
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    const worker = new Worker(program, { eval: true, workerData: part, resourceLimits });
    worker.on("message", (told: Told) => {
      if (told.kind === "result" && told.result.failures.length > 0) options.failed(told.result);
    });
    return worker;
  };
  const progress = (share: number): void => options.progress(Math.round(share * lives));
  return sumOf(await inWorkers(parts, jobs, start, progress));
}
