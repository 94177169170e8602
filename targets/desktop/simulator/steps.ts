// The steps of terminal, buttons and scenario files. A step is one line, or the name of an action (actions.ts).
import { ErrorCode } from "../../../core/complete.ts";
import { nameMeant } from "../../../platform/configuration/schema-check.ts";
import { type Language, languages } from "../../../platform/display/languages.ts";
import type { ServiceOptionsInput } from "../../service/options.ts";
import type { Service } from "../../service/service.ts";
import { ACTIONS, actionOf, stepOf } from "./actions.ts";
import { CALLS, type CallName } from "./device/application.ts";
import { DEVICE_KINDS, deviceKind } from "./device/kinds.ts";
import { activeFaults, applyFault, FAULTS, findFault } from "./environment/faults.ts";
import { ACCOUNT_ACTION_NAMES, type AccountAction, accountLine } from "./log/user.ts";
import { NO_KEYS, NOBODY } from "./preconditions.ts";
import { BUTTONS, type Button, type Simulation } from "./simulation.ts";

export const NO_CODE = "there is no code on the display";

/** The step is invalid, or not possible now. */
export class StepError extends Error {
  override readonly name = "StepError";
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration such as "500ms", "5s", "30m" or "2h". */
export function readDuration(text: string): number {
  const [, count, unit] = /^(\d{1,10})(ms|s|m|h)$/.exec(text) ?? [];
  if (unit === undefined) throw new StepError(`"${text}" is no duration such as 5s, 30m or 2h`);
  return Number(count) * UNITS[unit]!;
}

type Perform = (simulation: Simulation, words: readonly string[]) => string | Promise<string>;

const STEPS: Readonly<Record<string, Perform>> = {
  press: (simulation, [button = ""]) => {
    if (!(BUTTONS as readonly string[]).includes(button)) {
      throw new StepError(`there is no button "${button}", but ${BUTTONS.join(", ")}`);
    }
    if (!simulation.isOn) return "the device has no power";
    if (button === "list" && !simulation.driver!.isSignedIn) return "nobody is signed in";
    const label = button === "list" ? "update list" : button.replace("-", " ");
    simulation.timeline.note(`${label} pressed`, "button");
    const before = simulation.driver!.device.moves;
    simulation.press(button as Button);
    const isDone = simulation.driver!.device.moves !== before || button === "list";
    return isDone ? "" : `${button.replace("-", " ")}: nothing to do in this state`;
  },
  allow: (simulation, [account]) => {
    if (account !== undefined) checkAccount(simulation, account);
    return output(simulation.decide("allow", account));
  },
  deny: (simulation) => output(simulation.decide("deny")),
  power: (simulation, [how]) => {
    if (how === "on") simulation.powerOn();
    else if (how === "off") simulation.powerOff();
    else if (how === "cycle") simulation.powerCycle();
    else if (how === undefined) {
      if (simulation.isOn) simulation.powerOff();
      else simulation.powerOn();
    } else throw new StepError("power is on, off or cycle");
    return "";
  },
  fault: (simulation, [name = "", how]) => {
    const fault = findFault(name);
    if (fault === undefined) {
      throw new StepError(`no fault "${name}", but ${FAULTS.map((one) => one.name).join(", ")}`);
    }
    if (how !== undefined && how !== "on" && how !== "off") throw new StepError("on or off");
    return applyFault(simulation, fault, how === undefined ? undefined : how === "on");
  },
  fix: (simulation) => {
    const active = activeFaults(simulation);
    for (const fault of FAULTS)
      if (active.includes(fault.name)) applyFault(simulation, fault, false);
    return active.length === 0 ? "there is no fault to fix" : "";
  },
  advance: async (simulation, [duration = ""]) => {
    await simulation.clock.jump(readDuration(duration));
    return "";
  },
  pause: ({ clock }) => {
    clock.paused = !clock.paused;
    return "";
  },
  step: async ({ clock }) => {
    clock.paused = true;
    await clock.step();
    return "";
  },
  speed: ({ clock }, [factor]) => {
    if (factor !== undefined && !/^\d{1,4}$/.test(factor)) throw new StepError("1 to 9999 times");
    clock.speed = factor === undefined ? after(SPEEDS, clock.speed) : Math.max(1, Number(factor));
    return "";
  },
  jump: async (simulation, [what = ""]) => {
    if (what !== "poll" && what !== "code" && what !== "access") {
      throw new StepError("a jump goes to the end of poll, code or access");
    }
    const { clock, driver } = simulation;
    if (what === "poll" && driver?.device.inFlight === 1) {
      // Wait for the end of the request in flight.
      await clock.jump(UNDER_WAY_MS, () => simulation.driver?.device.inFlight !== 1);
    } else {
      const leftMs = simulation.left[what];
      if (leftMs === 0) return NOTHING_RUNS[what];
      // Add a millisecond, so that the expiry has taken effect.
      await clock.jump(Math.ceil(leftMs) + 1);
    }
    return "";
  },
  display: (simulation, [required = ""]) => {
    const { display } = simulation;
    const size =
      required === "next" ? after(DISPLAYS, `${display.columns}x${display.rows}`) : required;
    const [, columns, rows] = /^(\d{2})x(\d)$/.exec(size) ?? [];
    orPrint(() => simulation.resize(Number(columns), Number(rows)));
    return simulation.isOn ? `a display of ${size}: the device was switched off for it` : "";
  },
  device: (simulation, [required = ""]) => {
    const names = DEVICE_KINDS.map(({ name }) => name);
    const name = required === "next" ? after(names, simulation.kind.name) : required;
    const kind = deviceKind(name);
    if (kind === undefined) throw new StepError(`no device "${name}", but ${names.join(", ")}`);
    simulation.become(kind);
    return `${kind.title}, ${kind.columns}x${kind.rows}: the device was switched off for it`;
  },
  language: (simulation, [required = "", rom]) => {
    const language = required === "next" ? after(languages, simulation.language) : required;
    if (!isLanguage(language)) {
      throw new StepError(`no language "${language}", but ${languages.join(", ")}`);
    }
    if (rom !== undefined && rom !== "A00" && rom !== "A02") throw new StepError("A00 or A02");
    orPrint(() => simulation.useLanguage(language, rom));
    return `${language} on a display with the ROM ${simulation.display.rom}: switched off for it`;
  },
  call: (simulation, [name = "", ...words]) => {
    if (!(CALLS as readonly string[]).includes(name)) {
      throw new StepError(`no call "${name}", but ${CALLS.join(", ")}`);
    }
    return simulation.call(name as CallName, words);
  },
  client: (simulation, [id = "", word = ""]) => {
    if (id === "") throw new StepError("a client has an identifier");
    const secret = /^secret=(.*)$/.exec(word)?.[1];
    simulation.timeline.note(`the device is the client ${id}${secret ? ", wrong secret" : ""}`);
    simulation.useClient(id, secret);
    return `the device is the client ${id} now`;
  },
  scope: (simulation, scopes) => {
    if (scopes.length === 0) throw new StepError("name the scopes to ask for");
    simulation.timeline.note(`the device requests ${scopes.join(" ")}`);
    simulation.useScope(scopes);
    return "";
  },
  stream: (simulation, [how = ""]) => {
    const { manufacturer, timeline } = simulation;
    if (how === "verify") {
      timeline.note("the developer's server requests a test event", "manufacturer");
      return manufacturer.verifyStream();
    }
    if (how !== "poll" && how !== "push" && how !== "off") {
      throw new StepError("a stream is poll, push, off or verify");
    }
    const problem = manufacturer.setUp(how);
    if (problem === "")
      timeline.note(`the developer's server sets its stream up: ${how}`, "manufacturer");
    return problem;
  },
  account: (simulation, [what = "", id = simulation.settings.account]) => {
    const service = serviceOf(simulation);
    const actions: Readonly<Record<AccountAction, () => void>> = {
      remove: () => service.revokeAllFor(id, simulation.config.clientId),
      "sign-out-everywhere": () => service.signOutEverywhere(id),
      disable: () => service.disableAccount(id, "hijacking"),
      enable: () => service.enableAccount(id),
      "change-credential": () => service.requireCredentialChange(id),
    };
    const name = ACCOUNT_ACTION_NAMES.find((one) => one === what);
    if (name === undefined) {
      throw new StepError(
        `an account has no action "${what}", but ${ACCOUNT_ACTION_NAMES.join(", ")}`,
      );
    }
    checkAccount(simulation, id);
    const isDisabled = service.isDisabled(id);
    if ((name === "enable" && !isDisabled) || (name === "disable" && isDisabled)) {
      return `${id}'s account is ${isDisabled ? "disabled" : "enabled"} already`;
    }
    simulation.timeline.note(accountLine(id, name), "user");
    actions[name]();
    return "";
  },
  service: (simulation, [name = "", value = ""]) => {
    const service = serviceOf(simulation);
    if (name === "dpop" && simulation.settings.signer === undefined) return NO_KEYS;
    const changes =
      name === "as-usual"
        ? (simulation.usualOptions ?? {})
        : ({ [name]: readValue(value) } as ServiceOptionsInput);
    orPrint(() => service.setOptions(changes));
    if (name === "as-usual") usualRules(simulation);
    const line =
      name === "as-usual"
        ? "the service has its default settings"
        : `the service: ${name} ${value}`;
    simulation.timeline.note(line);
    // The device reads the server's support of DPoP only when it starts.
    if (name === "dpop" && simulation.isOn) simulation.powerCycle();
    return `${line}; issued codes and tokens keep their lifetimes`;
  },
  steal: (simulation) => {
    const { lastCall: call, exchanges, timeline } = simulation;
    if (!simulation.driver?.isSignedIn) return NOBODY;
    if (call === undefined) return "the device has not sent its token to an API yet";
    timeline.note("a thief sends the device's access token, without its key");
    const authorization = call.authorization.replace(/^DPoP/, "Bearer");
    const { method, url } = call;
    const { pathname: path, search } = new URL(url);
    const entry = exchanges.begin({ ...call, authorization, headers: [] }, "a thief calls the API");
    const { status, headers, body } = serviceOf(simulation).handle({
      ...{ method, path, query: search.slice(1), headers: { authorization } },
      body: new Uint8Array(0),
    });
    const authenticate = headers["www-authenticate"] ?? "";
    exchanges.responded(entry, { status, retryAfterS: -1, authenticate }, body);
    return `the service responds to the thief: ${entry.status} ${entry.output}`;
  },
  policy: (simulation, [id = "", ...scopes]) => {
    const service = serviceOf(simulation);
    orPrint(() => service.setPolicy(id, scopes));
    simulation.timeline.note(
      `${id} ${scopes.length > 0 ? `forbids ${scopes.join(" ")}` : "forbids nothing now"}`,
    );
    return "";
  },
  administrator: (simulation) => {
    const step = administratorsStep(simulation);
    return step === "" ? "there is nothing for an administrator to fix" : perform(simulation, step);
  },
  admit: (simulation, [id = "", organization = ""]) => {
    const service = serviceOf(simulation);
    orPrint(() => service.admit(id, organization || undefined));
    simulation.timeline.note(
      organization ? `${organization} admits ${id}` : `${id} is in no organization`,
    );
    return "";
  },
};

function usualRules(simulation: Simulation): void {
  const { service, fixture = {}, settings } = simulation;
  const { accounts = [], organizations = [] } = fixture;
  for (const { id, blockedScopes } of organizations) service?.setPolicy(id, blockedScopes ?? []);
  for (const { id, blockedScopes, organization } of accounts) {
    service?.admit(id, organization);
    const isFault = id === settings.account && activeFaults(simulation).includes("policy");
    if (!isFault) service?.setPolicy(id, blockedScopes ?? []);
  }
}

const SPEEDS = [1, 10, 100];
const UNDER_WAY_MS = 60_000;
const NOTHING_RUNS = {
  poll: "the device is not waiting to send a request",
  code: NO_CODE,
  access: "there is no access token",
};
const DISPLAYS = ["20x4", "16x2", "40x2", "24x4", "40x4"];

function after<T>(list: readonly T[], value: T): T {
  return list[(list.indexOf(value) + 1) % list.length]!;
}

function serviceOf({ service }: Simulation): Service {
  if (service === undefined) throw new StepError("only with the simulated service");
  return service;
}

function orPrint(act: () => void): void {
  try {
    act();
  } catch (error) {
    throw new StepError((error as Error).message);
  }
}

function isLanguage(name: string): name is Language {
  return (languages as readonly string[]).includes(name);
}

export function readValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function checkAccount({ fixture }: Simulation, id: string): void {
  const ids = fixture?.accounts?.map((account) => account.id) ?? [id];
  if (!ids.includes(id)) throw new StepError(`no account "${id}", but ${ids.join(", ")}`);
}

const STEP_NAMES = [
  ...new Set([...ACTIONS.map(({ name }) => name), ...Object.keys(STEPS), "quit"]),
];

export function isStep(line: string): boolean {
  return actionOf(line) !== undefined || Object.hasOwn(STEPS, line.split(" ", 1)[0]!);
}

/** Returns a line for the user, or "" if the display shows enough. @throws StepError */
export async function perform(simulation: Simulation, line: string): Promise<string> {
  const inFull = stepOf(line.trim());
  const [verb = "", ...words] = inFull.split(/\s+/);
  const step = Object.hasOwn(STEPS, verb) ? STEPS[verb] : undefined;
  if (verb === "?" || verb === "help") return `steps: ${STEP_NAMES.join(", ")}`;
  if (step === undefined) {
    const meant = nameMeant(verb, STEP_NAMES);
    throw new StepError(
      `there is no step "${verb}"; ${meant ? `did you mean ${meant}?` : "? lists all"}`,
    );
  }
  const output = await step(simulation, words);
  simulation.touch();
  return output;
}

function output(outcome: string): string {
  switch (outcome) {
    case "granted":
    case "access_denied":
    // No text for these two refusals: the log and the phone show them, and the device after its next poll.
    case "admin_policy_enforced":
    case "org_internal":
      return "";
    case "no-code":
      return NO_CODE;
    default:
      return outcome.replaceAll("_", " ").replaceAll("-", " ");
  }
}

/** The step with which an administrator fixes the device's error; "" if there is nothing to fix. */
export function administratorsStep(simulation: Simulation): string {
  const { service, driver, fixture, config, lastAccount: id } = simulation;
  if (!service || !driver || !fixture?.accounts?.some((one) => one.id === id)) return "";
  const organization = service.organizationOf(id);
  switch (driver.device.error) {
    case ErrorCode.ACCOUNT_DISABLED:
      return service.isDisabled(id) ? `account enable ${id}` : "";
    case ErrorCode.ADMIN_POLICY_ENFORCED: {
      const forbids = (who = ""): boolean => who !== "" && service.policyOf(who).length > 0;
      const holder = [id, organization].find(forbids);
      return holder === undefined ? "" : `policy ${holder}`;
    }
    case ErrorCode.ORG_INTERNAL: {
      const required = fixture.clients?.find((one) => one.id === config.clientId)?.internalTo;
      return required && required !== organization ? `admit ${id} ${required}` : "";
    }
    default:
      return "";
  }
}
