// The faults of network, service and device.
import { Message } from "../../../../core/device/errors.ts";
import type { Service } from "../../../service/index.ts";
import { textOf } from "../log/reasons.ts";
import type { Need } from "../preconditions.ts";
import type { Simulation } from "../simulation.ts";
import { LASTING_FAULTS, type LastingFault, type PassingFault } from "./network.ts";

export interface Fault {
  readonly name: string;
  readonly key: string;
  /** The text in diagram and log. */
  readonly title: string;
  readonly label: string;
  readonly sees: string;
  /** The text on the display; "" if the fault does not change it. */
  readonly display: string;
  /** Whether the fault lasts until it is fixed. Others happen once. */
  readonly lasting: boolean;
  readonly needsService: boolean;
  readonly needs?: Need;
}

const LASTS = { lasting: true, needsService: false };
const PASSES = { lasting: false, needsService: false };
const SERVICE_LASTS = { lasting: true, needsService: true };
const SERVICE_PASSES = { lasting: false, needsService: true };

export const FAULTS: readonly Fault[] = [
  {
    ...{ ...LASTS, name: "offline", key: "1", label: "unplug the network" },
    title: "network unplugged",
    sees: "A code on the display stays valid, and the device retries at growing intervals. Without a code it shows:",
    display: textOf(Message.NO_CONNECTION),
  },
  {
    ...{ ...LASTS, name: "drop", key: "2", label: "lose every packet" },
    title: "packets vanish, 30 s time limit",
    sees: "Each request times out after 30 s; then as without a network. A code stays valid; without one:",
    display: textOf(Message.NO_CONNECTION),
  },
  {
    ...{ ...LASTS, name: "slow", key: "3", label: "responses take 8 s" },
    title: "responses take 8 s",
    sees: "The device polls an interval after each response, and never sends two requests at once. Nothing else changes.",
    display: "",
  },
  {
    ...{ ...LASTS, name: "corrupt", key: "4", label: "garble every response" },
    title: "every response garbled",
    sees: "The device ignores garbled responses, and a code stays valid. Without one:",
    display: textOf(Message.BUSY),
  },
  {
    ...{ ...LASTS, name: "captive-portal", key: "5", label: "a hotspot responds instead" },
    title: "captive portal responds with HTML",
    sees: "The device ignores the hotspot's page, though its status is 200. A code stays valid; without one:",
    display: textOf(Message.BUSY),
  },
  {
    ...{ ...LASTS, name: "unavailable", key: "6", label: "the service is down (503)" },
    title: "503 from the service",
    sees: "The device waits longer each time, and a code stays valid. Without one:",
    display: textOf(Message.BUSY),
  },
  {
    ...{ ...PASSES, name: "slow-down", key: "7", label: "the service sends slow_down" },
    needs: "code",
    title: "next poll: slow_down",
    sees: "After the next poll, the interval is five seconds longer until the code ends. The code stays valid.",
    display: textOf(Message.OPEN),
  },
  {
    ...{ ...SERVICE_LASTS, name: "quota", key: "8", label: "no more codes for this client" },
    title: "no more codes: quota",
    sees: "Press new code: the service refuses, the device shows that and retries by itself.",
    display: textOf(Message.BUSY),
  },
  {
    ...{ ...SERVICE_PASSES, name: "repeat-poll", key: "r", label: "the next poll arrives twice" },
    needs: "code",
    title: "a proxy repeats the next poll: too early for the service",
    sees: "For the service, the device's next poll is too early: slow_down, five seconds more until the code ends.",
    display: textOf(Message.OPEN),
  },
  {
    ...{ ...PASSES, name: "wrong-grant-type", key: "h", label: "the next poll arrives changed" },
    needs: "code",
    title: "a proxy changes the next poll's grant_type",
    sees: "The service does not support such a grant. Only the developer can fix that; the device stops polling.",
    display: textOf(Message.SETUP),
  },
  {
    ...{ ...PASSES, name: "cut-poll", key: "z", label: "the next poll arrives cut short" },
    needs: "code",
    title: "the next poll arrives without its last parameter",
    sees: "The service misses a parameter. Only the developer can fix that; the device stops polling.",
    display: textOf(Message.SETUP),
  },
  {
    ...{ ...SERVICE_PASSES, name: "restart", key: "9", label: "the service loses its codes" },
    needs: "code",
    title: "service restarts, loses codes",
    sees: "The next poll is refused, and the device shows a new code by itself.",
    display: textOf(Message.OPEN),
  },
  {
    ...{ ...SERVICE_PASSES, name: "revoke", key: "v", label: "the user removes this device" },
    needs: "session",
    title: "user removes the device's access",
    sees: "The device's next call is refused, and so is the refresh: it wipes its tokens and shows:",
    display: textOf(Message.SESSION_ENDED),
  },
  {
    ...{ ...SERVICE_LASTS, name: "policy", key: "g", label: "the organization forbids it" },
    title: "organization forbids the scope",
    sees: "Then allow on the phone: the device is refused, and shows who can change that.",
    display: textOf(Message.POLICY),
  },
  {
    ...{
      ...SERVICE_PASSES,
      name: "lose-response",
      key: "l",
      label: "lose the response to a refresh",
    },
    needs: "session",
    title: "lose the response of a rotation",
    sees: "The device is switched off and on, and retries the refresh with the token that it has.",
    display: textOf(Message.SIGNED_IN),
  },
  {
    ...{ ...PASSES, name: "flip-bit", key: "b", label: "flip a bit of what is stored" },
    needs: "record",
    title: "flip a bit in storage",
    sees: "Switch it off and on: the device ignores the record, is signed out and requests a new code.",
    display: textOf(Message.OPEN),
  },
];

export function activeFaults(simulation: Simulation): string[] {
  return FAULTS.filter((fault) => fault.lasting && isActive(simulation, fault)).map(
    (fault) => fault.name,
  );
}

function isActive(simulation: Simulation, fault: Fault): boolean {
  const { service, network, settings } = simulation;
  if (fault.name === "quota") return service?.options.deviceCodeQuota?.requests === 0;
  if (fault.name === "policy") return normalOf(simulation).policyOf === settings.account;
  return network.lasting.has(fault.name as LastingFault);
}

/** Settings before a fault. */
interface Normal {
  quota?: Service["options"]["deviceCodeQuota"];
  /** The account with the policy fault, and its previous policy. */
  policyOf?: string;
  blockedScopes?: readonly string[];
}

const normals = new WeakMap<Simulation, Normal>();

function normalOf(simulation: Simulation): Normal {
  const normal = normals.get(simulation) ?? {};
  normals.set(simulation, normal);
  return normal;
}

export function findFault(name: string): Fault | undefined {
  return FAULTS.find((fault) => fault.name === name);
}

/** Starts a fault or fixes it. Default of `on`: the opposite of the current state. Returns a line for the user. */
export function applyFault(simulation: Simulation, fault: Fault, on?: boolean): string {
  if (fault.needsService && simulation.service === undefined) {
    return `${fault.title}: only with the simulated service`;
  }
  const start = on ?? !(fault.lasting && isActive(simulation, fault));
  if (fault.lasting && start === isActive(simulation, fault)) {
    return `${fault.title}: ${start ? "on already" : "was not on"}`;
  }
  const line = `${fault.lasting ? (start ? "from now on: " : "no longer: ") : ""}${fault.title}`;
  simulation.timeline.note(line, start ? "fault" : "environment");
  const done = fault.lasting ? last(simulation, fault, start) : strike(simulation, fault);
  return done || line;
}

function last(simulation: Simulation, fault: Fault, on: boolean): string {
  const { service, network, settings } = simulation;
  const normal = normalOf(simulation);
  if (fault.name === "quota") {
    if (on && service?.options.deviceCodeQuota?.requests !== 0) {
      normal.quota = service?.options.deviceCodeQuota ?? null;
    }
    const quota = on ? { requests: 0, windowSeconds: 60 } : (normal.quota ?? null);
    service?.setOptions({ deviceCodeQuota: quota });
  } else if (fault.name === "policy") {
    if (on) {
      normal.blockedScopes ??= service?.policyOf(settings.account) ?? [];
      normal.policyOf = settings.account;
      service?.setPolicy(settings.account, ["video", "video.readonly"]);
    } else if (normal.blockedScopes) {
      service?.setPolicy(settings.account, normal.blockedScopes);
      delete normal.blockedScopes;
      delete normal.policyOf;
    }
  } else if ((LASTING_FAULTS as readonly string[]).includes(fault.name)) {
    if (on) network.lasting.add(fault.name as LastingFault);
    else network.lasting.delete(fault.name as LastingFault);
  }
  return "";
}

function strike(simulation: Simulation, fault: Fault): string {
  const { service, network, settings, storage } = simulation;
  switch (fault.name) {
    case "restart":
      service?.restart({ loseCodes: true });
      return "";
    case "revoke":
      service?.revokeAllFor(settings.account, settings.config.clientId);
      // Without a security event, the device notices a revocation only at its next API call or refresh.
      simulation.press("list");
      return "";
    case "flip-bit":
      return storage.flipBit()
        ? `${fault.title}: read at the next start`
        : `${fault.title}: both slots are empty`;
    case "lose-response":
      service?.setOptions({ refreshTokenRotation: true });
      network.passing.add("lose-response");
      // A restarted device refreshes its tokens at once.
      if (simulation.driver?.isSignedIn) simulation.powerCycle();
      return `${fault.title}: the next refresh rotates, and its response is lost`;
    default:
      network.passing.add(fault.name as PassingFault);
      return "";
  }
}
