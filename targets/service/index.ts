// The public API of the simulated service.
export type { ApprovalChoices, DecisionOutcome, DisableReason } from "./decisions.ts";
export type { Environment, PushDelivery, PushResponse } from "./environment.ts";
export type { Fixture, FixtureInput } from "./fixture.ts";
export { readFixture } from "./fixture.ts";
export { nodeEnvironment } from "./node-environment.ts";
export type { Observer, ServiceEvent } from "./observers.ts";
export type { ServiceOptions, ServiceOptionsInput } from "./options.ts";
export { listen, type RunningServer, type ServeSettings, serve } from "./server.ts";
export {
  createService,
  type PendingAttempt,
  type Service,
  type ServiceSettings,
} from "./service.ts";
export { readSnapshot, type ServiceSnapshot } from "./snapshot.ts";
export type { ProtocolRequest, ProtocolResponse } from "./wire.ts";
