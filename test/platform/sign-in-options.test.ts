// What is wrong with the options of signIn is said at once, as one kind of error, before anything is made or asked.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { SignInError, type SignInOptions, signIn } from "../../platform/node/sign-in.ts";

const state = path.join(os.tmpdir(), `picogrant-never-made-${process.pid}`);
const good = { server: "github", clientId: "id", state };

describe("signIn refuses", () => {
  it.each<[wrong: object, message: RegExp]>([
    [{ clientID: "id" }, /^there is no option clientID; did you mean clientId\?$/],
    [{ client_id: "id" }, /did you mean clientId\?$/],
    [{ onCod: () => {} }, /did you mean onCode\?$/],
    [{ onCodes: () => {} }, /did you mean onCode\?$/],
    [{ scopf: "a" }, /did you mean scope\?$/],
    [{ colour: "red" }, /^there is no option colour$/],
    [{ http: { cas: "x" } }, /^there is no option http\.cas; did you mean http\.ca\?$/],
    [{ state: undefined }, /^state is missing: /],
    [{ state: "" }, /^state is missing: /],
    [{ server: undefined }, /^server is missing: /],
    [{ onCode: "print" }, /^onCode must be a function$/],
    [{ deviceKey: new Uint8Array(15) }, /^deviceKey must be 16 random bytes or more$/],
    [{ deviceKey: new Uint8Array(32).fill(7) }, /^deviceKey must be random bytes: /],
    [{ deviceKey: "secret" }, /^deviceKey must be 16 random bytes or more$/],
  ])("%j", async (wrong, message) => {
    const refused = signIn({ ...good, ...wrong } as SignInOptions);
    await expect(refused).rejects.toBeInstanceOf(SignInError);
    await expect(refused).rejects.toMatchObject({ code: "wrong_option", remedy: "maker" });
    await expect(refused).rejects.toThrow(message);
    expect(fs.existsSync(state)).toBe(false);
  });

  it.each<[wrong: object, code: string, message: RegExp]>([
    [{ server: "githup" }, "wrong_option", /must be one of/],
    [{ server: { name: "keycloak", host: "x" } }, "wrong_option", /^server\.realm /],
    [{ clientId: "caf\u00e9" }, "wrong_option", /^clientId /],
    [{ server: { token: "http://192.0.2.1/t" } }, "wrong_option", /https/],
    [{ headers: { grant: [["Host", "x"]] } }, "wrong_option", /^headers: Host /],
    [{ state: "/etc/passwd" }, "state_unusable", /not a directory/],
  ])("%j, as one kind of error", async (wrong, code, message) => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), "picogrant-options-"));
    try {
      const refused = signIn({ ...good, state: directory, ...wrong } as SignInOptions);
      await expect(refused).rejects.toBeInstanceOf(SignInError);
      await expect(refused).rejects.toMatchObject({ code });
      await expect(refused).rejects.toThrow(message);
    } finally {
      fs.rmSync(directory, { recursive: true });
    }
  });
});
