// Tests which client owns the records in a state directory (platform/node/state-directory.ts), and how to erase these
// records. Random sessions test several processes in a directory (session-model/shared-run.ts).

import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ServerChoice } from "../../platform/configuration/settings.ts";
import { FileStorage, StateDirectoryError } from "../../platform/node/file-storage.ts";
import { identityOf } from "../../platform/node/options.ts";
import { discard } from "../../platform/node/sign-in.ts";
import { claimDirectory, disclaimDirectory } from "../../platform/node/state-directory.ts";
import { SharedDirectory } from "../../platform/node/state-lock.ts";
import type { SharedUser } from "../../platform/session/shared-records.ts";
import { temporaryFolder } from "../listening.ts";

let directory: string;
let files: FileStorage;
beforeEach(() => {
  directory = temporaryFolder();
  files = new FileStorage(directory, { isShared: true });
});
afterEach(() => files.close());

const keep = (slot = 0): void => files.write(slot, Uint8Array.of(1, 2, 3), 0, 3, () => {});
const erase = (slot = 0): void => files.erase(slot, () => {});
const claim = (clientId: string, server: ServerChoice = "github") =>
  claimDirectory(files, { clientId, server: identityOf(server) });
const claimed = (): string => fs.readFileSync(path.join(directory, "client.json"), "utf8");

describe("a directory with records belongs to one client", () => {
  it.each([
    ["github", "github"],
    ["https://issuer.example", "https://issuer.example"],
    [
      { deviceAuthorization: "https://a.example/code", token: "https://a.example/token" },
      "https://a.example/token",
    ],
    [
      { name: "keycloak", realm: "home", host: "sso.example" },
      "keycloak host=sso.example realm=home",
    ],
  ] as const)("a private file contains the client and the server: %j", (server, name) => {
    claim("tv", server);
    expect(fs.statSync(path.join(directory, "client.json")).mode & 0o777).toBe(0o600);
    expect(JSON.parse(claimed())).toEqual({ client: "tv", server: name });
  });

  it("another client is refused with a one-line error and changes nothing; the same client may return", () => {
    claim("tv\u001b", "git\u0007hub");
    keep();
    const before = claimed();
    expect(() => claim("other")).toThrow(
      new StateDirectoryError(
        `${directory}: keeps the session of another client, tv? at git?hub; ` +
          "give each its own directory, or delete this one",
      ),
    );
    expect(claimed()).toBe(before);
    claim("tv\u001b", "gitlab");
    expect(JSON.parse(claimed())).toMatchObject({ server: "gitlab" });
  });

  it("the next client may use a directory without records", () => {
    claim("tv");
    claim("other");
    expect(JSON.parse(claimed())).toMatchObject({ client: "other" });
  });

  it.each(["", "no JSON", "[]", '{"client":7,"server":"x"}', '{"client":"tv"}'])(
    "records without a readable owner go to the next client: %j",
    (content) => {
      if (content !== "") fs.writeFileSync(path.join(directory, "client.json"), content);
      keep(1);
      claim("other");
      expect(JSON.parse(claimed())).toMatchObject({ client: "other" });
    },
  );

  it("disclaiming removes the owner only if there are no records", () => {
    const disclaim = claim("tv");
    keep();
    disclaim();
    expect(JSON.parse(claimed())).toMatchObject({ client: "tv" });
    erase();
    disclaim();
    expect(fs.existsSync(path.join(directory, "client.json"))).toBe(false);
    disclaimDirectory(directory);
  });

  it("an unchanged owner is not written again", () => {
    claim("tv");
    const file = path.join(directory, "client.json");
    fs.utimesSync(file, 1, 1);
    claim("tv");
    expect(fs.statSync(file).mtimeMs).toBe(1000);
  });

  it("a directory on a medium that cannot be written is accepted", () => {
    fs.mkdirSync(path.join(directory, "client.json"));
    const disclaim = claim("tv");
    disclaim();
  });
});

it("a directory on a medium without locks cannot be shared, so a program never waits", () => {
  const keeper = new SharedDirectory(files);
  expect(keeper.isWaiting).toBe(false);
  const failing = vi.spyOn(fs, "openSync").mockImplementation(() => {
    throw Object.assign(new Error("EROFS"), { code: "EROFS" });
  });
  let isIn = false;
  const enter = (): void => {
    isIn = true;
  };
  keeper.enter(enter, () => {});
  failing.mockRestore();
  expect([isIn, keeper.isWaiting]).toEqual([true, false]);
  const problem = `${directory} cannot be written: the file system is read-only`;
  expect([keeper.unwritable(0), keeper.unwritable(1)]).toEqual([problem, problem]);
  keeper.enter(enter, () => {});
  expect([keeper.unwritable(0), keeper.unwritable(9000)]).toEqual(["", ""]);
  keeper.leave();
});

it("after another process has written records, they must be read again", () => {
  const others = new SharedDirectory(new FileStorage(directory, { isShared: true }));
  const user = {} as SharedUser;
  others.between(user);
  keep();
  others.enter(() => {}, String);
  expect(others.isCurrent).toBe(false);
  others.leave();
  expect(others.isCurrent).toBe(false);
  others.between(user);
  expect(others.isCurrent).toBe(true);
});

describe("discard", () => {
  it("erases both slots, the issuer's metadata and the owner", async () => {
    claim("tv");
    keep(0);
    keep(1);
    fs.writeFileSync(path.join(directory, "metadata.json"), "{}");
    await discard(directory);
    expect(fs.readdirSync(directory)).toEqual([]);
  });

  it.each(["slot-0", "slot-1"])(
    "if %s cannot be erased, the error says what to do",
    async (slot) => {
      keep(0);
      keep(1);
      const real = fs.rmSync;
      const failing = vi.spyOn(fs, "rmSync").mockImplementation((file, options) => {
        if (`${file}`.endsWith(slot)) throw Object.assign(new Error("EIO"), { code: "EIO" });
        real(file, options);
      });
      await expect(discard(directory)).rejects.toMatchObject({
        ...{ code: "not_erased", remedy: "user" },
        message: `${directory}: cannot erase a record: the medium has a fault; delete ${directory}`,
      });
      failing.mockRestore();
      await discard(directory);
      expect(fs.readdirSync(directory)).toEqual([]);
    },
  );

  it("an error about a directory has one line and its own class", async () => {
    expect(new StateDirectoryError("a \n  b")).toMatchObject({
      ...{ name: "StateDirectoryError", message: "a b" },
    });
    fs.mkdirSync(path.join(directory, "slot-1", "x"), { recursive: true });
    await expect(discard(directory)).rejects.toThrow(StateDirectoryError);
  });
});
