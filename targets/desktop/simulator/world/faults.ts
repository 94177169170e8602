// The faults at hand: one table for keys, buttons and scenarios. Each says what it is and does it.

import type { Service } from "../../../service/index.ts";
import type { Simulation } from "../simulation.ts";
import { LASTING_FAULTS, type LastingFault, type PassingFault } from "./network.ts";

export interface Fault {
  readonly name: string;
  /** Key in the terminal. */
  readonly key: string;
  readonly title: string;
  /** Whether it lasts until it is mended; the others happen once. */
  readonly lasting: boolean;
  /** Whether it is one of the embedded service, and impossible with a real one. */
  readonly needsService: boolean;
}

function lasting(name: LastingFault, key: string, title: string): Fault {
  return { name, key, title, lasting: true, needsService: false };
}

function once(name: string, key: string, title: string, needsService = true): Fault {
  return { name, key, title, lasting: false, needsService };
}

export const FAULTS: readonly Fault[] = [
  lasting("offline", "1", "network unplugged"),
  lasting("drop", "2", "packets vanish, 30 s time limit"),
  lasting("slow", "3", "answers take 8 s"),
  lasting("corrupt", "4", "a bit of every answer flips"),
  lasting("captive-portal", "5", "captive portal answers HTML"),
  lasting("unavailable", "6", "503 from the service"),
  once("slow-down", "7", "next poll: slow_down", false),
  { name: "quota", key: "8", title: "no more codes: quota", lasting: true, needsService: true },
  once("repeat-poll", "r", "a proxy repeats the next poll: too early for the service"),
  once("wrong-grant-type", "h", "a proxy changes the next poll's grant_type", false),
  once("cut-poll", "z", "the next poll arrives without its last parameter", false),
  once("restart", "9", "service restarts, forgets codes"),
  once("revoke", "v", "user removes the device's access"),
  {
    name: "policy",
    key: "g",
    title: "organization forbids the scope",
    lasting: true,
    needsService: true,
  },
  once("lose-answer", "l", "lose the answer of a rotation"),
  once("flip-bit", "b", "flip a bit in storage", false),
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
  const line = fault.lasting ? `${fault.title}: ${start ? "on" : "off"}` : fault.title;
  simulation.timeline.note(line);
  const done = fault.lasting ? last(simulation, fault, start) : strike(simulation, fault);
  simulation.touch();
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
