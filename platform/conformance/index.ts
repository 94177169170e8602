// The rules of contracts.ts as cases for any adapter and test runner: each function returns a list of named cases whose
// `run()` rejects with a Violation if the adapter breaks the rule. The suite needs promises, but neither a test framework
// nor Node, so it also runs on a device with QuickJS.

export {
  type ConformanceCase,
  type ConformanceReport,
  type Environment,
  runConformance,
  Violation,
} from "./case.ts";
export { type DisplaySubject, displayConformance } from "./display.ts";
export {
  type EntropySubject,
  entropyConformance,
  type SignerSubject,
  signerConformance,
} from "./entropy.ts";
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
