// A complete run of a device on the C host: sign in, poll, restart, refresh, call the API, sign out. Checks the
// display, records and allocations. The bench checks the requests (bench.spec.ts).

import { readFileSync, statSync } from "node:fs";
import { expect } from "vitest";
import { CLIENT } from "../../targets/workbench/host/service-environment.ts";
import type { RealEnvironment } from "../environment/real-environment.ts";
import { type Figures, HostProcess } from "./host-process.ts";

export interface RunOptions {
  /** The host's program and its options, without --page. A wrapper such as valgrind may precede the program. */
  readonly command: readonly string[];
  readonly env?: Record<string, string>;
  readonly calls: boolean;
}

function start(environment: RealEnvironment, { command, env }: RunOptions): HostProcess {
  return new HostProcess([...command, "--page", environment.page()], env);
}

/** Checks that arguments, display and messages contain no secret. Every user can read these. */
function expectNoSecret(host: HostProcess, secrets: readonly string[]): void {
  const commandLine = readFileSync(`/proc/${host.pid}/cmdline`, "latin1");
  expect(commandLine).toContain("--page");
  for (const secret of secrets) {
    for (const text of [commandLine, host.display, host.messages])
      expect(text).not.toContain(secret);
  }
}

/** Checks that the history (history.h) contains these lines in this order, and no secret. */
async function expectHistory(
  host: HostProcess,
  lines: readonly RegExp[],
  secrets: readonly string[],
): Promise<void> {
  const before = host.messages.length;
  host.press("l");
  await host.measure();
  const reported = host.messages.slice(before);
  let from = 0;
  for (const line of lines) {
    const found = reported.slice(from).search(line);
    expect(found, `${line} behind the others in\n${reported}`).toBeGreaterThanOrEqual(0);
    from += found;
  }
  for (const secret of secrets) expect(reported).not.toContain(secret);
}

async function pollFor(
  environment: RealEnvironment,
  host: HostProcess,
  polls: number,
): Promise<void> {
  const before = environment.responses("/token").length;
  await host.until("polls", () => environment.responses("/token").length >= before + polls);
}

/** Makes the run at the simulated service, with a poll interval of 1 s. @returns the heap figures at the end */
export async function runWholeLife(
  environment: RealEnvironment,
  options: RunOptions,
): Promise<Figures> {
  let host = start(environment, options);
  await host.state("PENDING");
  const code = environment.pendingCode;
  await host.until("the code on the display", () => host.frame.join("").includes(code));
  const first = await host.measure();
  await pollFor(environment, host, 3);
  expectNoSecret(host, [CLIENT.clientSecret, "device_code"]);
  expect((await host.measure()).requests).toBe(first.requests);

  // The power fails while the code is pending.
  await host.kill("SIGKILL");
  host = start(environment, options);
  await host.state("PENDING");
  // When the service gets the second poll, the host has received the response to the first poll.
  await pollFor(environment, host, 2);

  // The service stops, and starts again later.
  const opened = await host.measure();
  await environment.close();
  await host.until("a poll that reaches nobody", () => {
    host.press("l");
    return host.messages.includes("TOKEN not reached");
  });
  await environment.open();
  expect(environment.service.approve(code, "ada")).toBe("granted");
  await host.state("SIGNED_IN");
  // Records are not sealed, so the test finds the tokens in the file by their format: "pg", a letter and a dot.
  const tokens = readFileSync(environment.recordFile, "latin1").match(/pg[a-z]\.[\w-]{8}/g) ?? [];
  expect(tokens).not.toEqual([]);
  const secrets = [CLIENT.clientSecret, code, ...tokens];
  await expectHistory(
    host,
    [
      / s {2}state PENDING$/m,
      /TOKEN responded 4\d\d, AUTHORIZATION_PENDING/,
      /TOKEN not reached/,
      /state SIGNED_IN$/m,
    ],
    secrets,
  );

  if (options.calls) {
    // The access token expires after an hour. The API refuses it, the device refreshes it and calls again.
    environment.skip(3_700_000);
    host.press("a");
    await host.printed("api: status 200, error 0");
  }
  expect(statSync(environment.recordFile).mode & 0o777).toBe(0o600);
  expect((await host.measure()).requests).toBe(opened.requests);

  // A power cut during the session.
  await host.kill("SIGKILL");
  host = start(environment, options);
  await host.state("SIGNED_IN");
  expect(environment.responses("/device/code")).toHaveLength(1);
  const resumed = await host.measure();
  host.press("o");
  await host.state("SIGNED_OUT");
  expect((await host.measure()).requests).toBe(resumed.requests);
  const last = [/state REFRESHING$/m, /TOKEN responded 200$/m, /REVOCATION responded 200$/m];
  await expectHistory(host, [...last, /state SIGNED_OUT$/m], secrets);
  expect(await host.quit()).toBe(0);
  expect(readFileSync(environment.recordFile).every((byte) => byte === 0xff)).toBe(true);
  return host.figures;
}
