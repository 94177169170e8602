// The table of all actions: their names in the terminal and in scenario files, and the panel's buttons and keys.

import { FAULTS } from "./environment/faults.ts";
import type { Need } from "./preconditions.ts";

type Row = readonly [
  name: string,
  label: string,
  step: string,
  needs?: Need | undefined,
  key?: string,
];

const GROUPS = {
  user: [
    ["allow", "allow", "allow", "code", "a"],
    ["deny", "deny", "deny", "code", "d"],
    ["allow-as-ben", "allow as Ben", "allow ben", "code"],
    ["allow-as-pupil", "allow as a pupil (policy)", "allow pupil", "code"],
    ["allow-as-nora", "allow as Nora (Northwind)", "allow nora", "code"],
    ["allow-for-an-hour", "allow for an hour", "allow guest", "code"],
    ["allow-as-robot", "allow as a service account", "allow robot", "code"],
    ["administrator", "the administrator fixes it", "administrator", "refusal"],
    ["remove-access", "remove access; the device learns later", "account remove"],
  ],
  device: [
    ["new-code", "new code", "press new-code", "no session", "n"],
    ["cancel", "cancel", "press cancel", "attempt", "c"],
    ["list", "update list", "press list", "session", "u"],
    ["sign-out", "sign out", "press sign-out", "to sign out", "o"],
    ["power-cycle", "power cycle", "power cycle", undefined, "p"],
    ["power", "power on/off", "power", undefined, "x"],
    ["next-display", "display", "display next", undefined, "w"],
    ["next-device", "device", "device next", undefined, "k"],
    ["next-language", "language", "language next", undefined, "t"],
  ],
  calls: [
    ["broadcasts", "broadcasts: mine", "call broadcasts", "session"],
    ["broadcast-by-id", "... by id", "call broadcasts id=regatta part=id,status", "session"],
    [
      "active-broadcasts",
      "... that are on air",
      "call broadcasts broadcastStatus=active",
      "session",
    ],
    ["first-page", "... one a page", "call broadcasts maxResults=1", "session", "f"],
    ["next-page", "the next page", "call next-page", "next page", ">"],
    ["token-in-query", "... token in the query", "call broadcasts token=query", "session"],
    ["no-filter", "... without a filter", "call broadcasts mine=", "session"],
    ["two-filters", "... with two filters", "call broadcasts mine=true id=regatta", "session"],
    ["unknown-part", "... with an unknown part", "call broadcasts part=colour", "session"],
    ["wrong-page", "... with a wrong page token", "call broadcasts pageToken=x", "session"],
    ["discover", "discover the endpoints", "call discover", "power", "i"],
  ],
  offers: [
    ["publisher", "become a publisher's console", "client publisher-console"],
    ["offers", "list offers", "call offers", "session"],
    ["create-offer", "create an offer", "call create-offer spring", "session"],
    ["show-offer", "show it", "call offer spring", "session"],
    ["activate-offer", "activate it", "call activate-offer spring", "session"],
    ["deactivate-offer", "deactivate it", "call deactivate-offer spring", "session"],
    ["bare-offer", "create one without phases", "call create-offer bare phases=no", "session"],
    ["activate-bare-offer", "activate that one", "call activate-offer bare", "session"],
    ["prepaid-offer", "on a prepaid plan", "call create-offer odd plan=prepaid-30", "session"],
    ["unknown-plan", "on an unknown plan", "call create-offer odd plan=weekly", "session"],
    ["unknown-app", "of an unknown app", "call create-offer odd package=test.nobody", "session"],
    ["unknown-regions", "with unknown regions", "call create-offer odd regions=1999/01", "session"],
    ["wrong-offer-id", "with a wrong identifier", "call create-offer Spring!", "session"],
    ["other-offer-id", "with another in the body", "call create-offer odd body=even", "session"],
  ],
  events: [
    ["stream-poll", "stream: polled", "stream poll", undefined, "e"],
    ["stream-push", "stream: pushed", "stream push"],
    ["stream-off", "stream: off", "stream off"],
    ["stream-verify", "request a test event", "stream verify"],
    ["poll-events", "poll for events", "call events", "session", "y"],
    ["sign-out-everywhere", "user signs out everywhere", "account sign-out-everywhere"],
    ["disable-account", "account disabled", "account disable"],
    ["enable-account", "account enabled", "account enable"],
    ["change-credential", "user must change the password", "account change-credential"],
  ],
  clients: [
    ["living-room-tv", "the TV", "client living-room-tv"],
    ["public-printer", "the printer, without a secret", "client public-printer"],
    ["game-console", "the game console", "client game-console"],
    ["web-shop", "wrong type of client", "client web-shop"],
    ["wrong-secret", "wrong secret", "client living-room-tv secret=wrong"],
    ["unknown-client", "unknown client", "client nobody"],
    ["unlisted-box", "project without the video API", "client unlisted-box"],
    ["northwind-kiosk", "one organization's only", "client northwind-kiosk"],
    ["impatient-box", "two codes a minute", "client impatient-box"],
    ["wrong-scope", "a scope that devices may not have", "scope publisher"],
  ],
  service: [
    ["short-codes", "codes expire after a minute", "service codeLifetime 60"],
    ["long-interval", "poll each 20 s", "service interval 20"],
    ["short-tokens", "access tokens expire after 5 minutes", "service accessTokenLifetime 300"],
    ["rotation", "rotate refresh tokens", "service refreshTokenRotation true"],
    ["require-keys", "require proofs of possession (DPoP)", "service dpop required", "keys"],
    ["steal", "steal the access token", "steal", "session"],
    ["usual-settings", "default settings", "service as-usual"],
  ],
  fault: [
    ...FAULTS.map(({ name, needs, key }): Row => [name, name, `fault ${name}`, needs, key]),
    ["fix", "fix all", "fix", "fault", "m"],
  ],
  clock: [
    ["pause", "pause", "pause", undefined, " "],
    ["next-event", "next event", "step", undefined, "."],
    ["next-speed", "speed", "speed", undefined, "+"],
    ["next-request", "→ next request", "jump poll", "poll", "N"],
    ["code-end", "→ code's end", "jump code", "code life", "E"],
    ["token-end", "→ token's end", "jump access", "access", "T"],
    ["half-hour", "→ 30 min", "advance 30m", undefined, "j"],
  ],
} as const satisfies Readonly<Record<string, readonly Row[]>>;

export type ActionGroup = keyof typeof GROUPS;

export interface Action {
  readonly name: string;
  readonly label: string;
  /** The step (steps.ts) with its arguments. */
  readonly step: string;
  readonly needs: Need | undefined;
  readonly key: string;
  readonly group: ActionGroup;
}

export const ACTIONS: readonly Action[] = Object.entries<readonly Row[]>(GROUPS).flatMap(
  ([group, rows]) =>
    rows.map(([name, label, step, needs, key = ""]) => {
      return { name, label, step, needs, key, group: group as ActionGroup };
    }),
);

const byName = new Map(ACTIONS.map((action) => [action.name, action]));

export function actionOf(name: string): Action | undefined {
  return byName.get(name);
}

export function stepOf(line: string): string {
  return actionOf(line)?.step ?? line;
}
