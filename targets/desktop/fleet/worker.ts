// One part of a fleet in a thread of its own.
import { parentPort, workerData } from "node:worker_threads";
import { coreOf } from "./core-code.ts";
import type { Report } from "./shards.ts";
import { type FleetPlan, playShard, type ShardResult } from "./story.ts";

const { code, plan } = workerData as { code: string; plan: FleetPlan };

const tell = (report: Report<ShardResult>): void => parentPort?.postMessage(report);
const result = playShard(coreOf(code), plan, (share) => tell({ kind: "progress", share }));
tell({ kind: "result", result });
