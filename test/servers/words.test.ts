// The words that a customer gives for a known server: what is said of each that does not do, where the addresses lie
// with them, and that no word leads the secrets elsewhere.

import { describe, expect, it } from "vitest";
import { SERVERS, ServerError, serverOf } from "../../platform/servers/index.ts";
import { HOST, STEP } from "../../platform/servers/profile.ts";

const said = (name: string, words: Record<string, string>, hasSecret = true) => {
  try {
    serverOf(name, words, hasSecret);
  } catch (error) {
    expect(error).toBeInstanceOf(ServerError);
    const { name: kind, path, problem, message } = error as ServerError;
    expect([kind, message]).toEqual(["ServerError", `${path} ${problem}`]);
    return { path, problem };
  }
  return undefined;
};

describe("a name or a word that does not do is told with what would", () => {
  it.each(["", "githup", "GitHub"])("the server %j", (name) => {
    const names = SERVERS.map((known) => known.name).join(", ");
    const problem = `must be one of: ${names}; or an issuer's address, or addresses`;
    expect(said(name, {})).toEqual({ path: "server", problem });
  });

  it.each(SERVERS.map((profile) => [profile.name, profile] as const))("%s", (name, profile) => {
    const parameters = Object.entries(profile.parameters);
    const words = Object.fromEntries(parameters.map(([word]) => [word, "a1"]));
    const known = parameters.map(([word]) => word).join(", ") || "none";
    for (const word of ["toString", "nobody"]) {
      const problem = `is unknown; ${name} has: ${known}`;
      const path = `serverParameters.${word}`;
      expect(said(name, { ...words, [word]: "x" })).toEqual({ path, problem });
    }
    for (const [word, { description, default: standard }] of parameters) {
      const path = `serverParameters.${word}`;
      expect(description).toMatch(/^(the|where) [a-zA-Z]/);
      for (const wrong of ["\u0007 a", "a\u0007", "a".repeat(300)]) {
        const problem = `must be ${description}`;
        expect(said(name, { ...words, [word]: wrong })).toEqual({ path, problem });
      }
      const { [word]: _, ...others } = words;
      if (standard === undefined) {
        expect(said(name, others)).toEqual({ path, problem: `is missing: ${description}` });
      }
    }
  });

  it.each(SERVERS.map(({ name, secret, title }) => [name, secret, title] as const))(
    "%s: a client whose secret is %s",
    (name, secret, title) => {
      const { parameters } = SERVERS.find((known) => known.name === name)!;
      const words = Object.fromEntries(
        Object.entries(parameters).map(([word, one]) => [word, one.default ?? "a1"]),
      );
      const problem = `is missing: a client of ${title} has one`;
      const expected = secret === "required" ? { path: "clientSecret", problem } : undefined;
      expect(said(name, words, false)).toEqual(expected);
      expect(said(name, words, true)).toBeUndefined();
      if (secret !== "required") {
        expect(serverOf(name, words, false).clientAuthentication).toBe("none");
      }
      if (secret === "never") {
        expect(serverOf(name, words, true).clientAuthentication).toBe("none");
      }
    },
  );
});

describe("who has signed in is asked for where the installation has it", () => {
  it.each([
    [{}, "https://api.github.com/user"],
    [{ host: "octo.ghe.com" }, "https://api.octo.ghe.com/user"],
    [{ host: "git.example.com" }, "https://git.example.com/api/v3/user"],
    [{ host: "github.com.example" }, "https://github.com.example/api/v3/user"],
    [{ host: "my-github.com" }, "https://my-github.com/api/v3/user"],
    [{ host: "octo.ghe.com.example" }, "https://octo.ghe.com.example/api/v3/user"],
  ])("GitHub at %j", (words, address) => {
    expect(serverOf("github", words as Record<string, string>, false).userInfo).toEqual({
      address,
    });
  });

  it("RFC 6750 §2.1: Yandex wants another scheme than Bearer", () => {
    expect(serverOf("yandex", {}, true).userInfo?.scheme).toBe("OAuth");
  });

  it("with the scheme that its profile names, and nowhere where that is not known", () => {
    for (const profile of SERVERS) {
      const words = Object.fromEntries(
        Object.entries(profile.parameters).map(([word, one]) => [word, one.default ?? "a1"]),
      );
      const { userInfo } = serverOf(profile.name, words, true);
      expect(userInfo?.scheme).toBe(profile.userInfo?.scheme);
      expect(Object.keys(userInfo ?? {})).toEqual(
        ["address", "scheme"].filter((key) => Object.hasOwn(profile.userInfo ?? {}, key)),
      );
      expect(userInfo?.address ?? "").not.toMatch(/[{}]/);
    }
  });
});

describe("RFC 3986 §3.2: a word is a part of an address and never ends it", () => {
  it.each<[RegExp, string, boolean]>([
    [HOST, "a", true],
    [HOST, "sso.example.com", true],
    [HOST, "sso.example.com:8443", true],
    [HOST, "sso.example.com:123456", false],
    [HOST, "sso.example.com:", false],
    [HOST, "a b", false],
    [HOST, ".a", false],
    [HOST, "a.", false],
    [HOST, "a/b", false],
    [HOST, "a@b", false],
    [HOST, " a", false],
    [HOST, "a\n", false],
    [HOST, "", false],
    [HOST, `a${"b".repeat(252)}`, true],
    [HOST, `a${"b".repeat(253)}`, false],
    [STEP, "a", true],
    [STEP, "a_b-c.d", true],
    [STEP, "_a", false],
    [STEP, "a_", false],
    [STEP, "a/b", false],
    [STEP, "a:1", false],
    [STEP, "..", false],
    [STEP, " a", false],
    [STEP, "", false],
    [STEP, `a${"b".repeat(63)}`, true],
    [STEP, `a${"b".repeat(64)}`, false],
  ])("%s and %j: %s", (pattern, word, does) => {
    expect(pattern.test(word)).toBe(does);
  });
});
