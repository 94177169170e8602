// Servers that take JSON where RFC 6749 has forms, and what an answer of 415 leads to (RFC 9110 §15.5.16), on the host
// in C: the same cases as of the hosts in JavaScript.

import { execFileSync } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { programOf } from "../../targets/workbench/host/build.ts";
import { startBetterAuth } from "../peers/better-auth-server.ts";
import { BODY_FORM_CASES, FORM, JSON_TYPE } from "../platform/body-form-cases.ts";
import { HostProcess, STRICT } from "./host-process.ts";
import { World } from "./host-world.ts";

const seed = Number(process.env.PICOGRANT_SEED ?? Date.now() % 1_000_000);

/** What came: its path, its type, and the parameters as the server reads them. */
interface Seen {
  readonly path: string;
  readonly type: string;
  readonly parameters: Record<string, unknown>;
}

const DEVICE_CODE = 'd&c +ä"\\';
let world: World;
let server: Server;
let takes: readonly string[];
let seen: Seen[];

beforeEach(async () => {
  seen = [];
  world = new World("http");
  server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const path = request.url ?? "";
      const type = request.headers["content-type"] ?? "";
      const text = Buffer.concat(pieces).toString();
      const [status, members] = takes.includes(type) ? answer(path, type, text) : [415, {}];
      if (status === 415) seen.push({ path, type, parameters: {} });
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(members));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await world.end();
});

function answer(path: string, type: string, text: string): [number, object] {
  const parameters = (
    type === JSON_TYPE ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))
  ) as Record<string, unknown>;
  seen.push({ path, type, parameters });
  if (path === "/code") {
    const verification_uri = "https://auth.example/go";
    const life = { interval: 1, expires_in: 300 };
    return [200, { device_code: DEVICE_CODE, user_code: "WDJB-MJHT", verification_uri, ...life }];
  }
  if (path === "/revoke") return [200, {}];
  const polls = seen.filter(({ parameters }) => "device_code" in parameters).length;
  if (polls === 1) return [400, { error: "authorization_pending" }];
  return [200, { access_token: "at", refresh_token: "rt", token_type: "Bearer", expires_in: 3600 }];
}

function configure(more: Record<string, unknown>): string {
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return world.configure({
    ...{ clientId: "tv 1", clientSecret: 's"\\', scope: "a b" },
    deviceParameters: { audience: "a&b=c" },
    endpoints: {
      deviceAuthorization: `${base}/code`,
      token: `${base}/token`,
      revocation: `${base}/revoke`,
    },
    ...more,
  });
}

describe("RFC 9110 §15.5.16 on the host in C", () => {
  const engines = [programOf("sanitize"), programOf("duktape")] as const;
  it.each(BODY_FORM_CASES)("$what", async (theCase) => {
    takes = theCase.takes;
    const config = configure(theCase.bodies === undefined ? {} : { bodies: theCase.bodies });
    const program = engines[BODY_FORM_CASES.indexOf(theCase) % engines.length]!;
    const host = new HostProcess([program, "--config", config], STRICT);
    await host.state(theCase.afterwards === undefined ? "FAILED" : "SIGNED_IN");
    if (theCase.afterwards !== undefined) {
      host.press("o");
      await host.state("SIGNED_OUT", host.messages.split("state: SIGNED_OUT,").length);
    }
    expect(await host.quit()).toBe(0);
    const types = seen.map(({ type }) => type);
    const { first } = theCase;
    expect(types.slice(0, first.length)).toEqual(first);
    const rest = types.slice(first.length);
    if (theCase.afterwards === undefined) {
      expect(rest).toEqual([]);
      expect(host.messages).toContain("REQUEST_REFUSED");
      return;
    }
    expect(new Set(rest)).toEqual(new Set([theCase.afterwards]));
    const client = { client_id: "tv 1", client_secret: 's"\\' };
    const said = seen.slice(first.length - 1).map(({ path, parameters }) => [path, parameters]);
    const poll = {
      ...client,
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: DEVICE_CODE,
    };
    expect(said).toEqual([
      ["/code", { scope: "a b", audience: "a&b=c", ...client }],
      ["/token", poll],
      ["/token", poll],
      ["/revoke", { ...client, token: "rt" }],
      ["/revoke", { ...client, token: "at" }],
    ]);
  });

  it.each([["JSON"], [""], [7], [true], [null]])(
    "bodies %j is refused in one line",
    async (bodies) => {
      takes = [FORM];
      const host = new HostProcess([programOf("release"), "--config", configure({ bodies })]);
      expect(await host.exit()).toBe(2);
      expect(host.messages).toContain("bodies is not form or json");
    },
  );
});

it("json-body.h: what goes out is the object that a reader of the form has (RFC 6749 appendix B, RFC 8259)", () => {
  console.log(`PICOGRANT_SEED=${seed}`);
  const text = fc
    .string({ unit: "grapheme", maxLength: 20 })
    .filter((said) => !said.includes("\ud800"));
  const fields = fc.dictionary(text, text, { minKeys: 1, maxKeys: 8, noNullPrototype: true });
  const forms = fc
    .sample(fields, { seed, numRuns: 500 })
    .map((members) => new URLSearchParams(members).toString())
    .filter((form) => !form.startsWith("__proto__"));
  const output = execFileSync(programOf("sanitize", "json-body"), [String(seed)], {
    input: `${forms.join("\n")}\n`,
    encoding: "utf8",
  });
  const written = output.trimEnd().split("\n");
  expect(written).toHaveLength(forms.length);
  for (const [at, form] of forms.entries()) {
    expect(JSON.parse(written[at]!)).toEqual(Object.fromEntries(new URLSearchParams(form)));
  }
});

it("better-auth's plugin deviceAuthorization, which takes a form for the code and JSON alone for polls", async () => {
  const foreign = await startBetterAuth();
  const config = world.configure({
    clientId: "printer",
    clientSecret: undefined,
    clientAuthentication: undefined,
    scope: foreign.scope,
    endpoints: foreign.endpoints,
  });
  const host = new HostProcess([programOf("release"), "--config", config]);
  try {
    await host.state("PENDING");
    const shown = (): string => /Code (\w+)/.exec(host.frame.join(" "))?.[1] ?? "";
    await host.until("a code", () => shown() !== "");
    await foreign.approve("", shown());
    await host.state("SIGNED_IN");
    expect(await host.quit()).toBe(0);
  } finally {
    await foreign.close();
  }
});
