// `picogrant login` at an address where no authorization server is: it ends with an error that says so, and does not try
// for ever. What is tried again by itself (RFC 8628 §3.5) is not that.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { SignInError, type SignInErrorCode } from "../../platform/session/sign-in-error.ts";
import { WrongAddress } from "../../targets/command/login/wrong-address.ts";
import { isFullRun } from "../full-run.ts";
import { listening } from "../listening.ts";
import { PATIENCE_MS } from "../patience.ts";
import { bundledProgram } from "../program.ts";

const PAGE = [200, "<!doctype html><title>Welcome</title>"] as const;
const NOT_FOUND = [404, "<h1>Not found</h1>"] as const;

/** What `picogrant login` makes of a server that answers every request for a code like this. */
async function loginAt([status, body]: readonly [number, string]) {
  const state = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  const server = createServer(({ url = "" }, response) => {
    const issuer = `http://127.0.0.1:${port}`;
    const addresses = {
      device_authorization_endpoint: `${issuer}/code`,
      token_endpoint: `${issuer}/token`,
    };
    const isMetadata = url.startsWith("/.well-known/");
    response.writeHead(isMetadata ? 200 : status);
    response.end(isMetadata ? JSON.stringify({ issuer, ...addresses }) : body);
  });
  const port = await listening(server);
  const words = ["login", "--server", `http://127.0.0.1:${port}`, "--client-id", "c"];
  const args = [await bundledProgram("targets/command/main.ts"), ...words];
  try {
    return await new Promise<{ code: number; stderr: string }>((resolve) => {
      const limits = ["--timeout", "60", "--state", state];
      execFile(process.execPath, [...args, ...limits], (error, _, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stderr });
      });
    });
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

it.each(isFullRun ? [PAGE, NOT_FOUND] : [])(
  "HTTP %i where a code is asked for: ends within seconds, and says which address it is",
  async (status, body) => {
    const { code, stderr } = await loginAt([status, body]);
    expect(code).toBe(1);
    const last = stderr.trim().split("\n").at(-1);
    expect(last).toMatch(/\/code answers with .*, again and again: check the server's address/);
  },
  PATIENCE_MS,
);

it.runIf(isFullRun)(
  "RFC 8628 §3.2: a code without an address is given up, and the member is named",
  async () => {
    const body =
      '{"device_code":"d","user_code":"U","verification_uri_complete":"https://x.test/u"}';
    const { code, stderr } = await loginAt([200, body]);
    expect(code).toBe(1);
    const last = stderr.trim().split("\n").at(-1);
    expect(last).toMatch(/there is no verification_uri in the answer that can be used; .*\/code: /);
  },
  PATIENCE_MS,
);

describe("what counts", () => {
  const trouble = (
    code: SignInErrorCode,
    status: number,
    error = "",
    failure = "",
    lacks = "",
  ): SignInError =>
    new SignInError(code, "nobody", "", {
      lacks,
      answer: { url: "https://x.test/code", status, error, errorDescription: "", failure },
    });
  const page = trouble("malformed_response", 200);
  const notFound = trouble("unavailable", 404);
  const lacking = trouble("malformed_response", 200, "", "", "verification_uri");
  const busy = trouble("unavailable", 503);
  const silence = trouble("unreachable", 0, "", "not reachable");
  const named = trouble("unknown_error", 404, "not_yet");
  const full = new SignInError("not_saved", "user", "");

  it.each<[string, SignInError[], boolean]>([
    ["four pages", [page, page, page, page], true],
    ["three", [page, page, page], false],
    ["pages and 404s", [page, notFound, notFound, page], true],
    ["a server that is busy in between", [page, page, page, busy, page], false],
    ["a network that is away in between", [page, page, silence, page, page], true],
    ["trouble of another kind in between", [page, page, full, page, page], true],
    ["404 with a name, which the core knows what to do with", Array(9).fill(named), false],
    [
      "answers that lack a member, which the core gives up and names",
      Array(9).fill(lacking),
      false,
    ],
    ["a server that is busy for long", Array(20).fill(busy), false],
  ])("%s", (_, troubles, isWrong) => {
    let ends = 0;
    const address = new WrongAddress(() => {
      ends++;
    });
    for (const one of troubles) address.look(one);
    expect([ends, address.error?.code]).toEqual(isWrong ? [1, "useless_answers"] : [0, undefined]);
  });
});
