// SPEC.md's table of what every function does in every state, held against the model: the table is made from
// the core, the model was written without it.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { OfferError, State } from "../../core/complete.ts";
import { Dice } from "./dice.ts";
import { Host } from "./host.ts";
import { Kind } from "./ideal/calls.ts";
import type { Ideal } from "./ideal/device.ts";
import { noCounts } from "./oracles/oracle.ts";
import { drawSettings } from "./settings.ts";
import type { Step } from "./steps.ts";
import { ofSources } from "./subject.ts";

const spec = readFileSync(new URL("../../core/SPEC.md", import.meta.url), "utf8");
const table = /<!-- functions: begin -->([\s\S]*)<!-- functions: end -->/.exec(spec)?.[1] ?? "";
const [head = [], , ...rows] = table
  .trim()
  .split("\n")
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const STATES = head.slice(1);

const answer = (status: number, members: object): Step[] => [
  { do: "head", status, retryAfterS: -1, body: JSON.stringify(members) },
  { do: "more", bytes: 1000 },
  { do: "end" },
];
const REST: Step = { do: "run", ms: 0 };
const CODE = {
  device_code: "dc",
  user_code: "ABCD",
  verification_uri: "https://example.com",
  expires_in: 1800,
};
const TOKENS = { access_token: "at", refresh_token: "rt", expires_in: 3600 };

const requesting: Step[] = [REST, { do: "signIn" }, REST];
const pending: Step[] = [...requesting, ...answer(200, CODE), REST];
const polling: Step[] = [...pending, { do: "run", ms: 5000 }];
const signedIn: Step[] = [...polling, ...answer(200, TOKENS), REST];
const refreshing: Step[] = [...signedIn, { do: "run", ms: 3_500_000 }];
const refused: Step[] = [...refreshing, ...answer(401, { error: "invalid_client" }), REST];

/** How a device gets to each of the table's states. */
const WAYS: Readonly<Record<string, Step[]>> = {
  STARTING: [],
  SIGNED_OUT: [REST],
  REQUESTING: requesting,
  PENDING: pending,
  SIGNED_IN: signedIn,
  REFRESHING: refreshing,
  REVOKING: [...signedIn, { do: "signOut" }, REST],
  FAILED: [...polling, ...answer(403, { error: "access_denied" }), REST],
  refused,
  "refused again": [
    ...refused,
    { do: "signIn" },
    REST,
    ...answer(401, { error: "invalid_client" }),
    REST,
  ],
};
/** Those that are no state of their own. */
const STATE_OF: Readonly<Record<string, string>> = {
  refused: "REFRESHING",
  "refused again": "REFRESHING",
};

/** The model of a device in this state. */
function idealIn(state: string): Ideal {
  const settings = drawSettings(new Dice(1));
  settings.memoryBytes = 8192;
  settings.config = { ...settings.config, autoStart: 0, columns: 20, rows: 4 };
  const slots = [new Uint8Array(), new Uint8Array()];
  const host = new Host(ofSources, settings, slots, noCounts());
  for (const step of WAYS[state]!) host.perform(step);
  expect(State[host.ideal.state]).toBe(STATE_OF[state] ?? state);
  return host.ideal;
}

const NAMES = "com.example\ngold\nmonthly\nspring\n2022/02";
const BODY = '{"packageName":"com.example","productId":"gold","basePlanId":"monthly"}';
const CLAIMS = '{"jti":"e1","events":{}}';

/** What each function begins in the model: whether it is taken on. */
const BEGINS: Readonly<Record<string, (ideal: Ideal) => boolean>> = {
  beginCall: ({ calls }) => calls.begin(),
  "addPath ... sendCall": ({ calls }) => {
    calls.begin();
    calls.add("/list");
    return calls.send(5, true, undefined);
  },
  nextPage: ({ calls }) => calls.nextPage(),
  discover: ({ calls }) => calls.mayBegin(Kind.METADATA) && calls.discover("https://issuer.test"),
  pollEvents: ({ calls }) => calls.pollEvents(),
  createOffer: ({ calls }) => calls.createOffer(NAMES, BODY, 6) === OfferError.NONE,
  applySecurityEvent: ({ calls }) => calls.applySecurityEvent(CLAIMS),
};

/** What the user asks for: the move that it makes. */
const MOVES: Readonly<Record<string, (ideal: Ideal) => void>> = {
  signIn: (ideal) => ideal.signIn(),
  cancel: (ideal) => ideal.cancel(),
  signOut: (ideal) => ideal.signOut(),
  accessTokenRefused: (ideal) => ideal.accessTokenRefused(),
};

function outcome(name: string, ideal: Ideal): string {
  const begins = BEGINS[name];
  if (begins) return begins(ideal) ? "yes" : "0";
  const { moves } = ideal;
  MOVES[name]!(ideal);
  return ideal.moves === moves ? "stays" : `to ${State[ideal.state]}`;
}

describe("SPEC.md, Functions and states: the model agrees", () => {
  it("the table has every state and function that is known here", () => {
    expect(STATES).toEqual(Object.keys(WAYS));
    const names = rows.map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining([...Object.keys(MOVES), ...Object.keys(BEGINS)]));
  });

  it.each(rows.filter(([name]) => MOVES[name!] || BEGINS[name!]))("%s", (name, ...cells) => {
    for (const [i, cell] of cells.entries()) {
      const right = cell === "noted" || cell === "–" ? "stays" : cell;
      expect(`${STATES[i]}: ${outcome(name!, idealIn(STATES[i]!))}`).toBe(`${STATES[i]}: ${right}`);
    }
  });
});
