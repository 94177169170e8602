// The rules of contracts.ts as runnable cases, for any adapter and any test runner: every function here
// gives a list of named cases whose `run()` rejects with a Violation when the adapter breaks the rule.
// No test framework, no Node: the suite runs wherever promises do, so on a device with QuickJS too.

export {
  type ConformanceCase,
  type ConformanceReport,
  type Environment,
  runConformance,
  Violation,
} from "./case.ts";
export { type DisplaySubject, displayConformance } from "./display.ts";
export { type EntropySubject, entropyConformance } from "./entropy.ts";
export { httpConformance } from "./http.ts";
export type {
  HttpLimits,
  HttpSubject,
  HttpTestBench,
  HttpTestServer,
  RequestOnServer,
  ResponsePlan,
  ServerPlan,
} from "./http-bench.ts";
export { type StorageSubject, storageConformance } from "./storage.ts";
export { type TimersSubject, timersConformance } from "./timers.ts";
