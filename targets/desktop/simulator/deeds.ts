// Everything that can be done to the simulated world, each deed by one name: the terminal's keys and its
// command line, the panel's buttons and the lines of scenario files all come from this table. What a deed
// does is its step (steps.ts), which takes other words as well: `allow ben`, `call broadcasts id=regatta`.

import { ANSWERS, titleOf } from "./error-gallery.ts";
import { FAULTS } from "./world/faults.ts";

export type DeedGroup =
  | "user"
  | "device"
  | "calls"
  | "offers"
  | "events"
  | "clients"
  | "service"
  | "answers"
  | "fault";

export interface Deed {
  /** One word; a line of its own in a scenario, and what the panel sends. */
  readonly name: string;
  /** What it says in full (steps.ts). */
  readonly step: string;
  /** For a button. */
  readonly label: string;
  readonly group: DeedGroup;
  /** Key in the terminal, "" for none: there the name is typed after a colon. */
  readonly key: string;
  /** Whether the embedded service is needed for it; a real server is none of ours. */
  readonly needsService: boolean;
}

/** A deed that plays on the device: with any server. */
function own(group: DeedGroup, name: string, label: string, step: string, key = ""): Deed {
  return { name, step, label, group, key, needsService: false };
}

/** A deed that only the simulated service takes part in. */
function theirs(group: DeedGroup, name: string, label: string, step: string, key = ""): Deed {
  return { name, step, label, group, key, needsService: true };
}

/** The device becomes this client of the fixture. */
function client(id: string, label: string): Deed {
  return theirs("clients", id, label, `client ${id}`);
}

export const DEEDS: readonly Deed[] = [
  theirs("user", "allow", "allow", "allow", "a"),
  theirs("user", "deny", "deny", "deny", "d"),
  theirs("user", "allow-as-ben", "allow as Ben", "allow ben"),
  theirs("user", "allow-as-pupil", "allow as a pupil (policy)", "allow pupil"),
  theirs("user", "allow-as-nora", "allow as Nora (Northwind)", "allow nora"),
  theirs("user", "allow-for-an-hour", "allow for an hour", "allow guest"),
  theirs("user", "allow-as-robot", "allow as a service account", "allow robot"),
  theirs("user", "administrator", "the administrator does what is asked", "administrator"),
  theirs("user", "remove-access", "remove access; the device learns later", "account remove"),

  own("device", "new-code", "new code", "press new-code", "n"),
  own("device", "cancel", "cancel", "press cancel", "c"),
  own("device", "list", "update list", "press list", "u"),
  own("device", "sign-out", "sign out", "press sign-out", "o"),
  own("device", "power-cycle", "power cycle", "power cycle", "p"),
  own("device", "power", "power on/off", "power", "x"),
  own("device", "next-display", "display", "display next", "w"),
  own("device", "next-device", "device", "device next", "k"),
  own("device", "next-language", "language", "language next", "t"),

  own("calls", "broadcasts", "broadcasts: mine", "call broadcasts"),
  own("calls", "broadcast-by-id", "... by id", "call broadcasts id=regatta part=id,status"),
  own(
    "calls",
    "active-broadcasts",
    "... that are on air",
    "call broadcasts broadcastStatus=active",
  ),
  own("calls", "first-page", "... one a page", "call broadcasts maxResults=1", "f"),
  own("calls", "next-page", "the next page", "call next-page", ">"),
  own("calls", "token-in-query", "... token in the query", "call broadcasts token=query"),
  own("calls", "no-filter", "... without a filter", "call broadcasts mine="),
  own("calls", "two-filters", "... with two filters", "call broadcasts mine=true id=regatta"),
  own("calls", "unknown-part", "... with an unknown part", "call broadcasts part=colour"),
  own("calls", "wrong-page", "... with a wrong page token", "call broadcasts pageToken=x"),
  own("calls", "discover", "ask for the addresses", "call discover", "i"),

  theirs("offers", "publisher", "be a publisher's console", "client publisher-console"),
  own("offers", "offers", "list offers", "call offers"),
  own("offers", "create-offer", "create an offer", "call create-offer spring"),
  own("offers", "show-offer", "show it", "call offer spring"),
  own("offers", "activate-offer", "activate it", "call activate-offer spring"),
  own("offers", "deactivate-offer", "deactivate it", "call deactivate-offer spring"),
  own(
    "offers",
    "bare-offer",
    "create one of the document's fields",
    "call create-offer bare phases=no",
  ),
  own("offers", "activate-bare-offer", "activate that one", "call activate-offer bare"),
  own("offers", "prepaid-offer", "on a prepaid plan", "call create-offer odd plan=prepaid-30"),
  own("offers", "unknown-plan", "on an unknown plan", "call create-offer odd plan=weekly"),
  own("offers", "unknown-app", "of an unknown app", "call create-offer odd package=test.nobody"),
  own("offers", "unknown-regions", "with unknown regions", "call create-offer odd regions=1999/01"),
  own("offers", "wrong-offer-id", "with a wrong identifier", "call create-offer Spring!"),
  own("offers", "other-offer-id", "with another in the body", "call create-offer odd body=even"),

  theirs("events", "stream-poll", "stream: to be polled", "stream poll", "e"),
  theirs("events", "stream-push", "stream: pushed", "stream push"),
  theirs("events", "stream-off", "stream: off", "stream off"),
  theirs("events", "stream-verify", "ask for a test event", "stream verify"),
  own("events", "poll-events", "poll for events", "call events", "y"),
  theirs(
    "events",
    "sign-out-everywhere",
    "user signs out everywhere",
    "account sign-out-everywhere",
  ),
  theirs("events", "disable-account", "account disabled", "account disable"),
  theirs("events", "enable-account", "account enabled", "account enable"),
  theirs(
    "events",
    "change-credential",
    "user must change the password",
    "account change-credential",
  ),

  client("living-room-tv", "the TV"),
  client("public-printer", "the printer, without a secret"),
  client("game-console", "the game console"),
  client("web-shop", "wrong type of client"),
  theirs("clients", "wrong-secret", "wrong secret", "client living-room-tv secret=wrong"),
  theirs("clients", "unknown-client", "unknown client", "client nobody"),
  client("unlisted-box", "project without the video API"),
  client("northwind-kiosk", "one organization's only"),
  client("impatient-box", "two codes a minute"),
  theirs("clients", "wrong-scope", "a scope that devices may not have", "scope publisher"),

  theirs("service", "other-devices", "sign in on many more TVs", "others same-client"),
  theirs("service", "all-devices", "sign in on many other devices", "others all-clients"),
  theirs("service", "short-codes", "codes live a minute", "service codeLifetime 60"),
  theirs("service", "long-interval", "poll each 20 s", "service interval 20"),
  theirs(
    "service",
    "short-tokens",
    "access tokens live 5 minutes",
    "service accessTokenLifetime 300",
  ),
  theirs("service", "rotation", "rotate refresh tokens", "service refreshTokenRotation true"),
  theirs("service", "usual-settings", "all as usual", "service as-usual"),

  ...ANSWERS.map((answer) =>
    theirs("answers", `answer-${answer.name}`, titleOf(answer), `answer ${answer.name}`),
  ),

  ...FAULTS.map(
    ({ name, key, needsService }): Deed => ({
      name,
      step: `fault ${name}`,
      label: name,
      group: "fault",
      key,
      needsService,
    }),
  ),
  own("fault", "mend", "mend all", "mend", "m"),
];

const byName = new Map(DEEDS.map((deed) => [deed.name, deed]));

export function deedOf(name: string): Deed | undefined {
  return byName.get(name);
}
