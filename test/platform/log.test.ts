// The log (platform/exchange/log.ts) describes requests and responses in lines of limited length. It contains no
// secret, even if servers and adapters put secrets into messages.

import { expect, it } from "vitest";
import { driverLog } from "../../platform/exchange/log.ts";
import { SessionEnvironment } from "../environment/session-port.ts";

function logged(environment: SessionEnvironment, write?: (line: string) => void) {
  const lines: string[] = [];
  const log = driverLog((line) => {
    lines.push(line);
    return write?.(line);
  });
  return { lines, start: environment.start({}, undefined, { log }) };
}

it("names requests and responses, with their numbers", async () => {
  const environment = new SessionEnvironment();
  const { lines, start } = logged(environment);
  await environment.until(() => start.session !== undefined);
  const { length } = environment.storage.peek(1);
  expect(lines.join()).toContain(`storage writes slot 1: ${length} bytes, kept`);
  void start.session!.signOut();
  await environment.pass(5);
  const numbers = lines.map((line) => line.replace(/\d+ (bytes|ms)/g, "N $1"));
  expect(numbers.map((line) => line.replace(/^\d+\.\d{3} s {2}/, ""))).toEqual([
    "state STARTING",
    "storage reads slot 0: N bytes",
    "storage reads slot 1: N bytes",
    "state REQUESTING",
    "request 1 DEVICE_AUTHORIZATION POST https://login.example.com/code, N bytes",
    "response 1 DEVICE_AUTHORIZATION 200, N bytes, N ms",
    "state PENDING",
    "session: starting --> waiting: codeShown",
    "storage writes slot 0: N bytes, kept",
    "request 2 TOKEN POST https://login.example.com/token, N bytes",
    "response 2 TOKEN 400 authorization_pending, N bytes, N ms",
    "state PENDING (AUTHORIZATION_PENDING)",
    "request 3 TOKEN POST https://login.example.com/token, N bytes",
    "response 3 TOKEN 200, N bytes, N ms",
    "state SIGNED_IN",
    "storage writes slot 1: N bytes, kept",
    "session: waiting --> signedIn: tokensStored",
    "storage erases slot 0: gone",
    "session: signedIn --> signingOut: signOut",
    "state REVOKING",
    "storage writes slot 0: N bytes, kept",
    "storage erases slot 1: gone",
    "request 4 REVOCATION POST https://login.example.com/revoke, N bytes",
    "response 4 REVOCATION 200, N bytes, N ms",
    "request 5 REVOCATION POST https://login.example.com/revoke, N bytes",
    "response 5 REVOCATION 200, N bytes, N ms",
    "state SIGNED_OUT",
    "storage erases slot 0: gone",
    "ends: signed_out",
    "session: signingOut --> leaving: ended",
    "session: leaving --> released: atRest",
  ]);
});

it("contains a server's error only if its name is known; exceptions of the log have no effect", async () => {
  const environment = new SessionEnvironment();
  environment.http.faultFor = () => ({ kind: "refuse" });
  const { lines, start } = logged(environment, async () => {
    throw new Error("no room for a log");
  });
  await environment.pass(6);
  environment.http.faultFor = () => undefined;
  environment.server.allowsAfterPolls = -1;
  await environment.until(() => start.prompts.length > 0, 120);
  environment.server.decide("denied");
  await environment.until(() => start.isSettled, 60);
  const text = lines.join("\n");
  expect(text).toMatch(/response 1 DEVICE_AUTHORIZATION unreachable, \d+ ms/);
  expect(text).toContain("trouble unreachable");
  expect(text).toMatch(/response \d+ TOKEN 400 access_denied, \d+ bytes/);
  expect(text).toContain("state FAILED (ACCESS_DENIED)");
});
