// The faults at hand: one table for keys, buttons and scenarios. Each says what it is and does it.
import { Message } from "../../../../core/device/errors.ts";
import type { Service } from "../../../service/index.ts";
import { textOf } from "../log/reasons.ts";
import type { Need } from "../needs.ts";
import type { Simulation } from "../simulation.ts";
import { LASTING_FAULTS, type LastingFault, type PassingFault } from "./network.ts";

export interface Fault {
  readonly name: string;
  /** Key on the panel. */
  readonly key: string;
  /** What has happened, for diagram and log. */
  readonly title: string;
  /** What it is to press, in plain words. */
  readonly label: string;
  /** What one should then see happen, in plain words. */
  readonly sees: string;
  /** What the display says in the end; "" where it says what it said before. */
  readonly display: string;
  /** Whether it lasts until it is mended; the others happen once. */
  readonly lasting: boolean;
  /** Whether it is one of the embedded service, and impossible with a real one. */
  readonly needsService: boolean;
  /** What it strikes: without that it is of no use. */
  readonly needs?: Need;
}

/** Kind of a fault: whether it lasts, and whether only the embedded service can have it. */
const LASTS = { lasting: true, needsService: false };
const PASSES = { lasting: false, needsService: false };
const SERVICE_LASTS = { lasting: true, needsService: true };
const SERVICE_PASSES = { lasting: false, needsService: true };

export const FAULTS: readonly Fault[] = [
  {
    ...{ ...LASTS, name: "offline", key: "1", label: "unplug the network" },
    title: "network unplugged",
    sees: "A code on the display stays good, and the device tries again, ever later. Without a code it says:",
    display: textOf(Message.NO_CONNECTION),
  },
  {
    ...{ ...LASTS, name: "drop", key: "2", label: "lose every packet" },
    title: "packets vanish, 30 s time limit",
    sees: "Each request waits 30 s for nothing; then as without a network. A code stays good; without one:",
    display: textOf(Message.NO_CONNECTION),
  },
  {
    ...{ ...LASTS, name: "slow", key: "3", label: "answers take 8 s" },
    title: "answers take 8 s",
    sees: "The device asks again an interval after each answer, and never twice at once. Nothing else changes.",
    display: "",
  },
  {
    ...{ ...LASTS, name: "corrupt", key: "4", label: "garble every answer" },
    title: "every answer garbled by a bit",
    sees: "What is garbled is taken for no answer, and a code stays good. Without one:",
    display: textOf(Message.BUSY),
  },
  {
    ...{ ...LASTS, name: "captive-portal", key: "5", label: "a hotspot answers instead" },
    title: "captive portal answers HTML",
    sees: "The hotspot's page is taken for no answer, though its status is 200. A code stays good; without one:",
    display: textOf(Message.BUSY),
  },
  {
    ...{ ...LASTS, name: "unavailable", key: "6", label: "the service is down (503)" },
    title: "503 from the service",
    sees: "The device waits longer each time, and a code stays good. Without one:",
    display: textOf(Message.BUSY),
  },
  {
    ...{ ...PASSES, name: "slow-down", key: "7", label: "the service says slow_down" },
    needs: "code",
    title: "next poll: slow_down",
    sees: "After the next poll, five seconds more lie between two polls, for good. The code stays.",
    display: textOf(Message.OPEN),
  },
  {
    ...{ ...SERVICE_LASTS, name: "quota", key: "8", label: "no more codes for this client" },
    title: "no more codes: quota",
    sees: "Press new code: the device is refused one, says so, and tries again by itself.",
    display: textOf(Message.BUSY),
  },
  {
    ...{ ...SERVICE_PASSES, name: "repeat-poll", key: "r", label: "the next poll arrives twice" },
    needs: "code",
    title: "a proxy repeats the next poll: too early for the service",
    sees: "The service finds the second one too early: slow_down, five seconds more, for good.",
    display: textOf(Message.OPEN),
  },
  {
    ...{ ...PASSES, name: "wrong-grant-type", key: "h", label: "the next poll arrives changed" },
    needs: "code",
    title: "a proxy changes the next poll's grant_type",
    sees: "The service does not know such a grant. Only the maker can mend that; the device asks no more.",
    display: textOf(Message.SETUP),
  },
  {
    ...{ ...PASSES, name: "cut-poll", key: "z", label: "the next poll arrives cut short" },
    needs: "code",
    title: "the next poll arrives without its last parameter",
    sees: "The service misses a parameter. Only the maker can mend that; the device asks no more.",
    display: textOf(Message.SETUP),
  },
  {
    ...{ ...SERVICE_PASSES, name: "restart", key: "9", label: "the service forgets its codes" },
    needs: "code",
    title: "service restarts, forgets codes",
    sees: "The next poll is refused, and the device shows a new code by itself.",
    display: textOf(Message.OPEN),
  },
  {
    ...{ ...SERVICE_PASSES, name: "revoke", key: "v", label: "the user removes this device" },
    needs: "session",
    title: "user removes the device's access",
    sees: "The device's next call is refused, and so is the refresh: it wipes its tokens and says so.",
    display: textOf(Message.SESSION_ENDED),
  },
  {
    ...{ ...SERVICE_LASTS, name: "policy", key: "g", label: "the organization forbids it" },
    title: "organization forbids the scope",
    sees: "Then allow on the phone: the device is refused, and says who can change that.",
    display: textOf(Message.POLICY),
  },
  {
    ...{ ...SERVICE_PASSES, name: "lose-answer", key: "l", label: "lose the answer to a refresh" },
    needs: "session",
    title: "lose the answer of a rotation",
    sees: "The device is switched off and on, and tries the refresh again with the token that it has.",
    display: textOf(Message.SIGNED_IN),
  },
  {
    ...{ ...PASSES, name: "flip-bit", key: "b", label: "flip a bit of what is stored" },
    needs: "record",
    title: "flip a bit in storage",
    sees: "Switch it off and on: the record is not used. What it was signed in with is gone, and it asks anew.",
    display: textOf(Message.OPEN),
  },
];

/** Faults that last and are there now. */
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

/** What was set before a fault changed it, to be set again when it is mended. */
interface Normal {
  quota?: Service["options"]["deviceCodeQuota"];
  /** Whom the policy fault has struck, and what the account's own policy was. */
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

/**
 * Lets a fault happen; a lasting one that is there is mended instead, unless `on` says which way.
 * @returns one line about what happened
 */
export function applyFault(simulation: Simulation, fault: Fault, on?: boolean): string {
  if (fault.needsService && simulation.service === undefined) {
    return `${fault.title}: only with the simulated service`;
  }
  const start = on ?? !(fault.lasting && isActive(simulation, fault));
  if (fault.lasting && start === isActive(simulation, fault)) {
    return `${fault.title}: ${start ? "on already" : "was not on"}`;
  }
  const line = `${fault.lasting ? (start ? "from now on: " : "no longer: ") : ""}${fault.title}`;
  simulation.timeline.note(line, start ? "fault" : "world");
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
      // The device learns of it when it next uses its token: it does so now.
      simulation.press("list");
      return "";
    case "flip-bit":
      return storage.flipBit()
        ? `${fault.title}: read at the next start`
        : `${fault.title}: both slots are empty`;
    case "lose-answer":
      service?.setOptions({ refreshTokenRotation: true });
      network.passing.add("lose-answer");
      // A device that starts with tokens refreshes them first: no need to wait for the hour.
      if (simulation.driver?.isSignedIn) simulation.powerCycle();
      return `${fault.title}: the next refresh rotates, and its answer is lost`;
    default:
      network.passing.add(fault.name as PassingFault);
      return "";
  }
}
