// Wraps a core to find reads of stale values (SPEC.md, Regions). After a call that may have ended a value, the wrapper
// overwrites the bytes that hold no current value, in most regions. Code that still reads them gets garbage.
// The wrapper also checks that no two values share a byte.

import { type Device, Field, Region } from "../../core/complete.ts";
import { OutputUse } from "../../core/device/regions.ts";
import { Verification } from "../../core/requests/call.ts";
import type { Core } from "./subject.ts";

const CORRUPTING = new Map<Core, Core>();

/** The byte that overwrites stale values. It is neither printable nor valid UTF-8. */
export const CORRUPTED = 0xa5;

/** Regions without stale values: create writes them once, or the core draws them anew from current values (FRAME). */
const CONSTANT: readonly number[] = [
  ...[Field.NONE, Region.FRAME, Region.CLIENT, Region.DEVICE_AUTHORIZATION],
  ...[Region.CLIENT_CREDENTIALS, Region.TOKEN_PARAMETERS],
];
const REGIONS = Array.from({ length: Region.COUNT }, (_, region) => region).filter(
  (region) => !CONSTANT.includes(region),
);

const MOVABLE: ReadonlySet<number> = new Set([
  ...[Field.DEVICE_CODE, Field.ACCESS_TOKEN, Field.RECEIVED_REFRESH_TOKEN, Region.REFRESH_TOKEN],
  Region.CODE_VERIFIER,
]);

interface Range {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

function values(device: Device): Range[] {
  return REGIONS.filter((region) => region !== Region.OUTPUT && device.length[region]! > 0).map(
    (region) => ({
      name: Region[region] ?? Field[region]!,
      from: device.start[region]!,
      to: device.start[region]! + device.length[region]!,
    }),
  );
}

function lent(device: Device): Range[] {
  const ranges: Range[] = [];
  const add = (name: string, from: number, length: number): void => {
    if (length > 0) ranges.push({ name, from, to: from + length });
  };
  if (device.inFlight || device.abortDue) {
    add("target", device.target, device.targetLength);
    add("body", device.body, device.bodyLength);
  }
  if (device.verification === Verification.REQUESTED || device.abortDue) {
    add("data", device.data, device.dataLength);
  }
  if (device.outputUse === OutputUse.RECORD) {
    add("OUTPUT", device.start[Region.OUTPUT]!, device.capacity[Region.OUTPUT]!);
  }
  return ranges;
}

function checkPlaces(device: Device): void {
  const live = values(device).sort((a, b) => a.from - b.from);
  for (const [i, { name, to }] of live.entries()) {
    const next = live[i + 1];
    if (next && next.from < to) throw new Error(`${name} and ${next.name} share bytes`);
  }
}

function corrupt(device: Device): void {
  const memory = device.memory as Uint8Array;
  const live = [...values(device), ...lent(device)];
  const valid = live.map(({ from, to }) => ({ from, bytes: memory.slice(from, to) }));
  for (const region of REGIONS) {
    // MOVABLE regions follow OUTPUT. Each of their bytes belongs to a current value.
    if (MOVABLE.has(region)) continue;
    const from = device.start[region]!;
    const size = Math.max(0, device.capacity[region]!);
    memory.fill(CORRUPTED, from, from + size);
  }
  for (const { from, bytes } of valid) memory.set(bytes, from);
}

function ledger(device: Device): number[] {
  const { outputUse, inFlight, abortDue, verification, state } = device;
  const lengths = REGIONS.map((region) => device.length[region]!);
  return [outputUse, inFlight, abortDue, verification, state, ...lengths];
}

/** Wraps a core. The wrapper has no effect on a build that does not expose which values are valid. */
export function corrupting(core: Core): Core {
  let known = CORRUPTING.get(core);
  if (!known) {
    known = makeCorrupting(core);
    CORRUPTING.set(core, known);
  }
  return known;
}

function makeCorrupting(core: Core): Core {
  const before = new WeakMap<Device, number[]>();
  const look = (device: Device): void => {
    if (typeof device.outputUse !== "number") return;
    const now = ledger(device);
    const then = before.get(device);
    before.set(device, now);
    if (!then || now.some((value, i) => i >= 5 && value > 0 !== then[i]! > 0)) checkPlaces(device);
    const isOver = !then || now.some((value, i) => (i < 5 ? value !== then[i] : value < then[i]!));
    if (isOver) corrupt(device);
  };
  const wrapped: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(core)) {
    if (typeof value !== "function" || name === "errorKind" || name === "errorMessage") {
      wrapped[name] = value;
      continue;
    }
    wrapped[name] = (...args: unknown[]): unknown => {
      const result = (value as (...args: unknown[]) => unknown)(...args);
      const device = (name === "create" ? result : args[0]) as Device | null;
      if (device) look(device);
      return result;
    };
  }
  return wrapped as Core;
}
