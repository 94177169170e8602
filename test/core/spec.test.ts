// The tables of core/SPEC.md match the code. `npm run generate` updates them.

import { expect, it } from "vitest";
import * as api from "../../core/api.ts";
import * as complete from "../../core/complete.ts";
import { ErrorCode, ErrorKind, errorKind, errorMessage } from "../../core/complete.ts";
import { MESSAGES, Message } from "../../core/device/errors.ts";
import { Event, isTransition, State, transitions } from "../../core/device/states.ts";
import { LiteralEnd } from "../../core/device/tables.ts";
import * as grant from "../../core/index.ts";
import { errorRows } from "../../core/tables/errors.ts";
import { fieldRows, regionRows } from "../../core/tables/fields.ts";
import { bytesOf } from "../../platform/text/text.ts";
import { markdownTable } from "../../targets/desktop/command-line.ts";
import { remedyOf } from "../../targets/desktop/simulator/log/remedies.ts";
import { call, config, isSources, LIST, Port, session } from "../environment/core-port.ts";
import { code, error, tokens } from "../environment/environment.ts";
import { expectTables } from "../generated.ts";
import type { Core } from "../model/subject.ts";
import { parts } from "./owners.ts";

const VERIFICATION = "https://schemas.openid.net/secevent/risc/event-type/verification";

function drawnMoves(): string {
  return markdownTable([
    ["from", "event", "to"],
    ...transitions().map(({ from, event, to }) => [State[from]!, Event[event]!, State[to]!]),
  ]);
}

function drawnMessages(): string {
  return markdownTable([
    ["line", "name", "default"],
    ...MESSAGES.split("\n").map((text, number) => [
      `${number}`,
      Message[number]!,
      `\`${text.trimEnd()}\``,
    ]),
  ]);
}

function drawnRegions(): string {
  const rows = [...fieldRows(), ...regionRows()];
  return markdownTable([
    ["region", "content", "lifetime", "in a code's record", "place, if shared"],
    ...rows.flatMap(({ name, description, lifetime, place, isRecorded }, at) =>
      lifetime === ""
        ? []
        : [
            [
              `\`${name}\` ${at + 1}`,
              description.replace("@internal ", ""),
              lifetime,
              isRecorded ? "yes" : "",
              place ?? "",
            ],
          ],
    ),
  ]);
}

function drawnOwners(): string {
  return markdownTable([
    ["property", "owner", "meaning"],
    ...parts().flatMap(({ file, properties }) =>
      properties.map(({ name, meaning }) => [
        `\`${name}\``,
        `[${file}](${file})`,
        meaning.replaceAll("|", "\\|"),
      ]),
    ),
  ]);
}

function drawnErrors(): string {
  const { device } = new Port([], { autoStart: 0 });
  const texts = MESSAGES.split("\n");
  const rows = errorRows();
  const codes = Object.values(ErrorCode).filter((value) => typeof value === "number");
  return markdownTable([
    ["error", "error code of the server", "kind", "fixed by", "display"],
    ...codes.slice(1).map((number) => {
      const kind = errorKind(device, number);
      return [
        `\`${ErrorCode[number]}\` ${number}`,
        rows[number - 1]!.names.map((name) => `\`${name}\``).join(", "),
        `\`${ErrorKind[kind]}\``,
        remedyOf(number as Exclude<ErrorCode, ErrorCode.NONE>, kind),
        texts[errorMessage(device, number)]!.trim(),
      ];
    }),
  ]);
}

/** For each state, a device in that state. "refused" means a server that refuses refreshes. */
const WAYS: readonly (readonly [string, () => Port])[] = [
  ["STARTING", () => starting(0)],
  ["SIGNED_OUT", () => new Port([], { autoStart: 0 })],
  ["REQUESTING", () => ended(new Port(["hang"]), 6000)],
  ["PENDING", () => ended(new Port([code()]), 6000)],
  ["SIGNED_IN", () => session()],
  ["REFRESHING", () => ended(session(["hang"], { expires_in: 60 }), 61_000)],
  ["REVOKING", () => signingOut(session(["hang"]))],
  ["FAILED", () => ended(new Port([error(400, "invalid_client")]), 6000)],
  ["refused", () => refused()],
  ["refused again", () => signingIn(refused())],
];
/** The server has refused the client so often that the current wait is longer than the time that passes below. */
function refused(): Port {
  return ended(
    session(Array(30).fill(error(400, "invalid_client")), { expires_in: 60 }),
    61_000 + 20_000_000,
  );
}
function signingIn(bench: Port): Port {
  bench.core.signIn(bench.device);
  bench.run();
  return bench;
}
function starting(autoStart: number): Port {
  return new Port([], { isStorageLate: true, autoStart });
}
function ended(bench: Port, ms: number): Port {
  bench.pass(ms);
  return bench;
}
function signingOut(bench: Port): Port {
  bench.core.signOut(bench.device);
  bench.run();
  return bench;
}

const OFFER = "com.example.app\nproduct\nbase\noffer\n2022/02";
const BODY = '{"packageName":"com.example.app","productId":"product","basePlanId":"base"}';

const ACTIONS: readonly (readonly [string, (bench: Port) => unknown])[] = [
  ["signIn", ({ core, device }) => core.signIn(device)],
  ["cancel", ({ core, device }) => core.cancel(device)],
  ["signOut", ({ core, device }) => core.signOut(device)],
  ["accessTokenRefused", ({ core, device }) => core.accessTokenRefused(device)],
  ["setStatus", ({ core, device }) => core.setStatus(device, bytesOf("x"), 0, 1)],
  ["beginCall", ({ core, device }) => core.beginCall(device)],
  ["addPath ... sendCall", (bench) => call(bench, LIST)],
  ["nextPage", ({ core, device }) => core.nextPage(device)],
  ["discover", ({ core, device }) => core.discover(device, bytesOf("https://a"), 0, 9)],
  ["pollEvents", ({ core, device }) => core.pollEvents(device)],
  [
    "createOffer",
    ({ core, device }) => {
      const [names, body] = [bytesOf(OFFER), bytesOf(BODY)];
      return core.createOffer(device, names, 0, names.length, body, 0, body.length) ? 0 : 1;
    },
  ],
  [
    "applySecurityEvent",
    ({ core, device }) => {
      const event = bytesOf(JSON.stringify({ jti: "jti", events: { [VERIFICATION]: {} } }));
      return core.applySecurityEvent(device, event, 0, event.length);
    },
  ],
  ["eventVerified, storageDone, response... that the device did not request", late],
];
function late({ core, device }: Port): void {
  core.eventVerified(device, device.requestId + 1, 1);
  core.responseStart(device, device.requestId + 1, 200, -1);
  core.responseEnd(device, device.requestId + 1);
  if (!device.storageCommand) core.storageDone(device, 1);
}

function effect(make: () => Port, action: (bench: Port) => unknown): string {
  const bench = make();
  const before = JSON.stringify({ ...bench.device, memory: 0 });
  const { moves } = bench.device;
  const output = action(bench);
  const { device } = bench;
  if (device.moves !== moves) return `to ${State[device.state]}`;
  if (output === 1) return "yes";
  if (output === 0) return "0";
  return JSON.stringify({ ...device, memory: 0 }) === before ? "–" : "noted";
}

function drawnFunctions(): string {
  return markdownTable([
    ["", ...WAYS.map(([name]) => name)],
    ...ACTIONS.map(([name, action]) => [
      name,
      ...WAYS.map(([state, make]) => {
        const isRequired = state === "STARTING" && name !== "signIn";
        return effect(isRequired ? () => starting(1) : make, action);
      }),
    ]),
  ]);
}

// The tables show internal names, which a bundle does not have.
it.skipIf(!isSources).each([
  ["transitions", drawnMoves],
  ["owners", drawnOwners],
  ["messages", drawnMessages],
  ["regions", drawnRegions],
  ["errors", drawnErrors],
  ["functions", drawnFunctions],
])("SPEC.md shows %s as in the code", (name, draw) =>
  expectTables("core/SPEC.md", { [name]: draw }),
);

it("SPEC States: the assertion accepts exactly the moves of the table", () => {
  const numbers = (of: object): number[] =>
    Object.values(of).filter((value) => typeof value === "number");
  const held: string[] = [];
  for (const from of numbers(State)) {
    for (const event of numbers(Event)) {
      for (const to of numbers(State)) {
        if (isTransition(from, event, to)) held.push(`${from} ${event} ${to}`);
      }
    }
  }
  const moves = transitions().map(({ from, event, to }) => `${from} ${event} ${to}`);
  expect(held.sort()).toEqual(moves.sort());
});

it("every device for the table of functions is in the state that it stands for", () => {
  const isRefused = (name: string): boolean => name.startsWith("refused");
  for (const [name, make] of WAYS)
    expect(isRefused(name) ? "REFRESHING" : name).toBe(State[make().device.state]);
});

it("there is a display text for every message", () => {
  expect(MESSAGES.split("\n")).toHaveLength(Message.COUNT);
});

// Each build of the core has only the names that its requests and responses need.

it.each([
  ["grant", grant.create, LiteralEnd.GRANT],
  ["api", api.create, LiteralEnd.API],
  ["complete", complete.create, LiteralEnd.COMPLETE],
] as const)(
  "SPEC.md, Regions: the display's texts follow the last name: of the %s build",
  (_, create, firstText) => {
    const memory = new Uint8Array(8192);
    const { start, length } = create(memory, config)!;
    const from = start[firstText]!;
    expect(from).toBe(start[firstText - 1]! + length[firstText - 1]!);
    expect(new TextDecoder().decode(memory.slice(from, from + length[firstText]!))).toBe(
      "Starting",
    );
    expect(start).toHaveLength(firstText + grant.MESSAGES.split("\n").length);
  },
);

it("the grant alone signs in, shows its own texts, and has no calls", () => {
  const core = grant as unknown as Core;
  const port = new Port([code(), tokens()], { core, memoryBytes: 4096 });
  port.until(2);
  expect(port.device.state).toBe(State.SIGNED_IN);
  const texts = port.environment.display.history.map((frame) => frame.split("\n")[0]!.trim());
  expect([texts[0], texts.at(-1)]).toEqual(["Getting a code", "Signed in"]);
  expect(port.device.capacity[grant.Region.CALL]).toBeLessThanOrEqual(0);
});
