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
export * from "./display.ts";
export * from "./entropy.ts";
export * from "./http.ts";
export type {
  HttpLimits,
  HttpSubject,
  HttpTestBench,
  HttpTestServer,
  RequestOnServer,
  ResponsePlan,
  ServerPlan,
} from "./http-bench.ts";
export * from "./storage.ts";
export * from "./timers.ts";
