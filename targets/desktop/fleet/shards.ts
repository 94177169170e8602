// A large fleet in parts: each part is simulated on its own, against an instance of the service with its share of the
// capacity, as a load balancer would deal them out. The parts do not depend on how many run at a time, so that a seed
// gives the same figures on every computer.
import type { Worker } from "node:worker_threads";

/** So many devices share the memory of one part: some hundred MiB. */
const DEVICES_PER_SHARD = 50_000;

export function shardCount(devices: number): number {
  return Math.max(1, Math.ceil(devices / DEVICES_PER_SHARD));
}

/** The devices of each part; they differ by one at most. */
export function shardSizes(devices: number, count = shardCount(devices)): number[] {
  return Array.from(
    { length: count },
    (_, at) => Math.floor(((at + 1) * devices) / count) - Math.floor((at * devices) / count),
  );
}

/** What a worker posts. */
export type Report<Result> =
  | { readonly kind: "progress"; readonly share: number }
  | { readonly kind: "result"; readonly result: Result };

/**
 * Lets workers carry jobs out, so many at a time.
 * @param start makes a worker for a job; it ends by itself after its result
 * @param progress told how much of all jobs is done, from 0 to 1
 */
export async function inWorkers<Job, Result>(
  jobs: readonly Job[],
  workers: number,
  start: (job: Job) => Worker,
  progress: (share: number) => void,
): Promise<Result[]> {
  const shares = jobs.map(() => 0);
  const results = new Array<Result>(jobs.length);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < jobs.length; at = next++) {
      results[at] = await one(start(jobs[at]!), (share) => {
        shares[at] = share;
        progress(shares.reduce((sum, value) => sum + value, 0) / jobs.length);
      });
      shares[at] = 1;
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, jobs.length) }, work));
  return results;
}

function one<Result>(worker: Worker, progress: (share: number) => void): Promise<Result> {
  return new Promise((resolve, reject) => {
    worker.on("message", (report: Report<Result>) => {
      if (report.kind === "progress") progress(report.share);
      else resolve(report.result);
    });
    worker.once("error", reject);
    worker.once("exit", (code) => {
      if (code !== 0) reject(new Error(`a worker of the fleet ended with exit code ${code}`));
    });
  });
}
