// Every answer of the device document's section 7: for each row of its table, and for the sentence below it,
// the deeds that provoke it, and what the display says then. `answer NAME` plays a row up to its answer, in whatever
// state the world was before.
import { ErrorKind, State } from "../../../core/complete.ts";
import { Message } from "../../../core/device/errors.ts";
import { errorRows } from "../../../core/tables/errors.ts";
import { shows } from "./device/display.ts";
import type { ExchangeEntry, ExchangePurpose } from "./log/exchanges.ts";
import {
  AT_SIGN_OUT,
  reasonOfDevice,
  textOf,
  textOfError,
  toldByName,
  wordsOf,
} from "./log/reasons.ts";
import type { Simulation } from "./simulation.ts";

export const ANSWERS_SECTION = "7";

export interface Answer {
  /** One word, for `answer NAME`. */
  readonly name: string;
  /** The row's first column. */
  readonly where: "Device code request" | "Poll" | "Revoke";
  readonly status: number;
  /** On the wire the value of `error`, or of `member`. */
  readonly code: string;
  readonly member?: "error" | "error_code";
  /** The row's name where it is not made of the three above. */
  readonly row?: string;
  /** Names of deeds (deeds.ts): from a code on the display to the answer. */
  readonly deeds: readonly string[];
}

/** An answer to a poll. */
function poll(status: number, code: string, ...deeds: readonly string[]): Answer {
  return { name: code.replaceAll("_", "-"), where: "Poll", status, code, deeds };
}

export const ANSWERS: readonly Answer[] = [
  {
    name: "rate-limit-exceeded",
    where: "Device code request",
    status: 403,
    code: "rate_limit_exceeded",
    member: "error_code",
    deeds: ["quota", "new-code"],
  },
  poll(428, "authorization_pending", "new-code"),
  poll(403, "access_denied", "deny"),
  poll(403, "slow_down", "repeat-poll"),
  poll(400, "admin_policy_enforced", "allow-as-pupil"),
  poll(401, "invalid_client", "wrong-secret"),
  poll(400, "invalid_grant", "restart"),
  poll(400, "unsupported_grant_type", "wrong-grant-type"),
  poll(403, "org_internal", "northwind-kiosk", "allow"),
  {
    name: "revocation-failed",
    where: "Revoke",
    status: 400,
    code: "invalid_token",
    row: "Revoke 400",
    deeds: ["allow", "remove-access", "sign-out"],
  },
  {
    ...poll(400, "invalid_request", "cut-poll"),
    name: "missing-parameter",
    row: "missing parameters or wrong values",
  },
];

export function answerOf(name: string): Answer | undefined {
  return ANSWERS.find((answer) => answer.name === name);
}

/** "Poll: 403 slow_down" */
export function titleOf({ where, status, code }: Answer): string {
  return `${where}: ${status} ${code}`;
}

/** What the display then says, in English: a code again where the device goes on or has got another, else the error. */
export function displayOf({ where, code }: Answer): string {
  if (where === "Revoke") return textOf(Message.SIGNED_OUT);
  const kind = errorRows().find(({ names }) => names.includes(code))?.kind;
  const goesOn = kind === ErrorKind.TRANSIENT || kind === ErrorKind.RENEWABLE;
  return where === "Poll" && goesOn ? textOf(Message.OPEN) : textOfError(code);
}

/** What the log says of it, as of every answer. */
export function loggedAs({ status, code, member = "error" }: Answer): string {
  return `${status} ${wordsOf(status, JSON.stringify({ [member]: code }))}`;
}

/** Who can mend it, as it is told everywhere. */
export function mendOf({ where, code }: Answer): string {
  return where === "Revoke" ? AT_SIGN_OUT : toldByName(code).mend;
}

/** The row's name, as the tests refer to it (test/coverage/rows.ts). */
export function rowOf({ row, where, status, code }: Answer): string {
  return row ?? `${where} ${status} ${code}`;
}

/** What makes the world as it usually is, whatever was done to it. */
const AS_USUAL = ["power on", "mend", "usual-settings", "enable-account"];
/** How long is waited for anything: a device that has to wait itself waits 64 s at most. */
const PATIENCE_MS = 180_000;
/** From the answer to the words on the display: a revocation is tried four times before. */
const WORDS_MS = 60_000;

const PURPOSES: Readonly<Record<Answer["where"], ExchangePurpose>> = {
  "Device code request": "ask for a code",
  Poll: "poll",
  Revoke: "revoke",
};

/**
 * The exchange with this answer among those from number `from` on. What is answered to the copy of a poll,
 * the device does not hear.
 */
export function exchangeOf(
  { where, status, code, member = "error" }: Answer,
  simulation: Simulation,
  from: number,
): ExchangeEntry | undefined {
  return simulation.exchanges.entries.find(
    (entry) =>
      entry.id >= from &&
      entry.purpose === PURPOSES[where] &&
      entry.fault !== "repeat-poll" &&
      entry.status === status &&
      entry.answer.split(" ").includes(`${member}=${code}`),
  );
}

/**
 * Plays a row: makes the world as usual with a new code on the display, does the row's deeds each as soon as
 * it can be done, and lets time pass until the answer has come.
 * @param carryOut carries out a deed by its name, or a step
 * @returns a line for the person at the screen
 */
export async function playAnswer(
  simulation: Simulation,
  answer: Answer,
  carryOut: (step: string) => Promise<void>,
): Promise<string> {
  const title = titleOf(answer);
  const waitFor = async (isThere: () => boolean, mostMs = PATIENCE_MS): Promise<boolean> => {
    await simulation.clock.jump(mostMs, isThere);
    return isThere();
  };
  for (const step of AS_USUAL) await carryOut(step);
  await carryOut(`client ${simulation.kind.client}`);
  if (!(await takeNewCode(simulation, carryOut, waitFor))) {
    return `${title} did not come: the device got no code`;
  }
  const from = simulation.exchanges.count;
  for (const deed of answer.deeds) {
    if (!(await waitFor(() => canBeDone(simulation, deed)))) {
      return `${title} did not come: it was too early for ${deed}`;
    }
    await carryOut(deed);
  }
  if (!(await waitFor(() => exchangeOf(answer, simulation, from) !== undefined))) {
    return `${title} did not come: it takes the accounts and clients that the service has by itself`;
  }
  const { display } = simulation;
  if (simulation.language === "en") {
    await waitFor(() => shows(display.lines, displayOf(answer)), WORDS_MS);
  }
  return isTold(simulation, answer) ? title : `${title}; who can mend it: ${mendOf(answer)}`;
}

/** Whether screen and panel say of themselves who can mend it. They do not of a code that waits: nothing is wrong. */
function isTold({ driver }: Simulation, { code }: Answer): boolean {
  return (
    code !== "authorization_pending" &&
    driver !== undefined &&
    reasonOfDevice(driver)?.name === code
  );
}

/** From whatever state the device is in to a code that nobody has had before. */
async function takeNewCode(
  simulation: Simulation,
  carryOut: (step: string) => Promise<void>,
  waitFor: (isThere: () => boolean) => Promise<boolean>,
): Promise<boolean> {
  const state = (): number => simulation.driver?.device.state ?? State.FAILED;
  const rests = (): boolean =>
    simulation.userCode !== "" ||
    [State.SIGNED_IN, State.SIGNED_OUT, State.FAILED].includes(state());
  if (!(await waitFor(rests))) return false;
  if (state() === State.SIGNED_IN) {
    await carryOut("sign-out");
    await waitFor(() => state() === State.SIGNED_OUT || state() === State.FAILED);
  }
  const before = simulation.userCode;
  await carryOut("new-code");
  return await waitFor(() => simulation.userCode !== "" && simulation.userCode !== before);
}

/** People decide about a code on the display; what is done to a session wants one. */
function canBeDone(simulation: Simulation, deed: string): boolean {
  if (["allow", "deny", "allow-as-pupil"].includes(deed)) return simulation.userCode !== "";
  if (["remove-access", "sign-out"].includes(deed)) return simulation.isSettled;
  return true;
}
