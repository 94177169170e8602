// npm run tool -- image, as a person calls it: keys, images, and one line for each mistake. The whole program runs
// once each; what it makes is held against the independent builder.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { bundleCore } from "../../targets/bundle/bundled-core.ts";
import { readOptions } from "../../targets/command/image/options.ts";
import { performBuilt as perform } from "../../targets/workbench/built-payload.ts";
import { borderDigest } from "../../targets/workbench/host/generate.ts";
import { keyIdOf, keys, makeImage, newerKeys, PRODUCT, strangerKeys } from "./image-builder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const hex = (key: Uint8Array): string => `${Buffer.from(key).toString("hex")}\n`;
const CONFIG = {
  clientId: "tv",
  clientSecret: "a-secret-nobody-sees",
  scope: "email",
  endpoints: { deviceAuthorization: "https://a.example/d", token: "https://a.example/t" },
  storage: { directory: "/var/lib/picogrant/state", deviceKeyFile: "/etc/picogrant/device.key" },
};

let folder: string;
const path = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "picogrant-image-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(path(name), { recursive: true });
  writeFileSync(path("maker.key"), hex(keys.secretKey), { mode: 0o600 });
  writeFileSync(path("maker.pub"), hex(keys.publicKey));
  writeFileSync(path("device.json"), JSON.stringify(CONFIG));
  writeFileSync(path("program.js"), "print('hello')");
});

const image = (...args: string[]): Promise<string> => perform(readOptions(args));

/** The message of a command that is refused. */
async function mistake(...args: string[]): Promise<string> {
  const error: unknown = await image(...args).then(
    (line) => new Error(`no mistake: ${line}`),
    (reason: unknown) => reason,
  );
  return (error as Error).message;
}

const build = (...args: string[]): string[] => [
  ...["--key", path("maker.key"), "--counter", "5", "--product", PRODUCT, "--release", "1.0.0"],
  ...["--payload", path("program.js"), "--out", path("new.img")],
  ...(args.includes("--target") ? [] : ["--target", "es5"]),
  ...args,
];

const modeOf = (name: string): number => statSync(path(name)).mode & 0o777;

describe("npm run tool -- image --new-key", () => {
  it("makes a pair of keys that only their owner can use, and prints neither", async () => {
    const line = await image("--new-key", path("own"));
    expect([modeOf("own.key"), modeOf("own.pub")]).toEqual([0o600, 0o644]);
    const secret = readFileSync(path("own.key"), "utf8").trim();
    expect(secret).toMatch(/^[0-9a-f]{128}$/);
    expect(secret.slice(64)).toBe(readFileSync(path("own.pub"), "utf8").trim());
    for (let at = 0; at < 128; at += 16) expect(line).not.toContain(secret.slice(at, at + 16));
    const made = await image(...build("--key", path("own.key")));
    expect(made).toContain("security counter 5");
    expect(await image("--verify", path("new.img"), "--public-key", path("own.pub"))).toContain(
      "signed",
    );
  });

  it.each([["own.key"], ["own.pub"]])(
    "never overwrites %s, and leaves no half pair",
    async (name) => {
      writeFileSync(path(name), "mine", { mode: 0o600 });
      expect(await mistake("--new-key", path("own"))).toContain("exists already");
      expect(readFileSync(path(name), "utf8")).toBe("mine");
      expect(readdirSync(folder).filter((file) => file.startsWith("own"))).toEqual([name]);
    },
  );
});

describe("npm run tool -- image --key", () => {
  it("makes what the independent builder makes, for its owner's eyes", async () => {
    await image(...build("--config", path("device.json")));
    const expected = makeImage({
      ...{ engine: "any", abi: "es5", kind: 1, counter: 5, border: borderDigest() },
      payload: Buffer.concat([readFileSync(path("program.js")), Buffer.alloc(1)]),
      config: readFileSync(path("device.json")),
    });
    expect(readFileSync(path("new.img")).equals(expected)).toBe(true);
    expect(modeOf("new.img")).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.includes("draft"))).toEqual([]);
  });

  it("retires older keys, and says so", async () => {
    writeFileSync(path("newer.key"), hex(newerKeys.secretKey), { mode: 0o600 });
    const args = build("--key", path("newer.key"), "--retire-older-keys");
    expect(await image(...args)).toContain("retires older keys");
    const expected = makeImage({
      ...{ engine: "any", abi: "es5", kind: 1, counter: 5, flags: 1, border: borderDigest() },
      payload: Buffer.concat([readFileSync(path("program.js")), Buffer.alloc(1)]),
      keyId: keyIdOf(newerKeys.publicKey),
      signer: newerKeys.secretKey,
    });
    expect(readFileSync(path("new.img")).equals(expected)).toBe(true);
    expect(await image("--inspect", path("new.img"))).toContain("retired once this image is good");
  });

  it("gives a core the digest of its border", async () => {
    await image(...build("--target", "es5"));
    const bytes = readFileSync(path("new.img"));
    expect(bytes.subarray(144, 152).equals(borderDigest())).toBe(true);
    const digits = Buffer.from(borderDigest()).toString("hex");
    expect(await image("--inspect", path("new.img"))).toContain(digits);
  });

  it("FORMAT.md: ends the core's source in one NUL, whoever brings it", async () => {
    const own = ["--counter", "1", "--product", PRODUCT, "--out", path("own.img")];
    await image("--key", path("maker.key"), ...own, "--target", "es5");
    for (const name of [path("own.img"), path("new.img")]) {
      await image(...build("--target", "es5"));
      const payload = readFileSync(name).subarray(240, -64);
      expect([payload.indexOf(0), payload.length > 1]).toEqual([payload.length - 1, true]);
    }
  });

  it("puts picogrant's own core into it where none is named", async () => {
    const own = ["--counter", "1", "--product", PRODUCT, "--out", path("own.img")];
    await image("--key", path("maker.key"), ...own, "--target", "es5");
    const bytes = readFileSync(path("own.img"));
    expect(bytes.subarray(240, -65).toString()).toBe((await bundleCore("complete")).code);
  });

  it.each([
    [["es5"], "any es5"],
    [["c-host", "--abi", "2025-04-26-le32"], "quickjs 2025-04-26-le32"],
  ])("--target %j", async (target, expected) => {
    expect(await image(...build("--target", ...target))).toContain(`for ${PRODUCT}, ${expected}`);
  });

  it("a configuration for the C host needs no device key: that host seals nothing", async () => {
    const config = { ...CONFIG, storage: { directory: "/var/lib/picogrant/state" } };
    writeFileSync(path("device.json"), JSON.stringify(config));
    const target = ["--target", "c-host", "--abi", "2025-04-26-le32"];
    const args = build("--config", path("device.json"), ...target);
    expect(await image(...args)).toContain(`for ${PRODUCT}, quickjs`);
  });

  const secrets: [string, (name: string) => void, string][] = [
    ["that others can read", (name) => chmodSync(name, 0o640), "chmod 600"],
    ["that is a public one", (name) => writeFileSync(name, hex(keys.publicKey)), "is a public key"],
    [
      "that is a public one, which everybody may read",
      (name) => {
        writeFileSync(name, hex(keys.publicKey));
        chmodSync(name, 0o644);
      },
      "is a public key",
    ],
    ["that is something else", (name) => writeFileSync(name, "key"), "no secret key"],
    [
      "whose halves are of two keys",
      (name) => {
        const halves = [keys.secretKey.slice(0, 32), strangerKeys.publicKey];
        writeFileSync(name, hex(Buffer.concat(halves)));
      },
      "damaged",
    ],
    ["that is not there", (name) => rmSync(name), "no such file"],
  ];
  it.each(secrets)("refuses a secret key %s", async (_name, spoil, message) => {
    spoil(path("maker.key"));
    expect(await mistake(...build())).toContain(message);
    expect(readdirSync(folder)).not.toContain("new.img");
  });

  const configs: [string, object | string, string[], string[]][] = [
    [
      "wrong values, each with its path",
      { ...CONFIG, clientId: "", display: { rows: 99 } },
      [],
      ["clientId must be", "display.rows must be"],
    ],
    ["an unknown name", { ...CONFIG, scopes: "a" }, [], ["scopes"]],
    ["what is no JSON", "{", [], ["is not JSON"]],
    ["no storage", { ...CONFIG, storage: undefined }, [], ["storage is missing"]],
    [
      "one device key for all devices",
      { ...CONFIG, storage: { directory: "/d", deviceKey: "ab".repeat(16) } },
      [],
      ["storage.deviceKey would be", "leave it out: the C host seals nothing"],
    ],
    [
      "too little memory",
      { ...CONFIG, display: { columns: 80, rows: 8 }, limits: { memoryBytes: 2048 } },
      [],
      ["limits.memoryBytes"],
    ],
    [
      "what the C host cannot do",
      {
        ...CONFIG,
        endpoints: undefined,
        issuer: "https://a.example",
      },
      ["--target", "c-host", "--abi", "2025-04-26-le32"],
      ["endpoints.token", "endpoints.deviceAuthorization"],
    ],
  ];
  it.each(configs)("refuses a configuration with %s", async (_name, config, args, expected) => {
    writeFileSync(
      path("device.json"),
      typeof config === "string" ? config : JSON.stringify(config),
    );
    const message = await mistake(...build("--config", path("device.json"), ...args));
    expect(message.startsWith(path("device.json"))).toBe(true);
    for (const part of expected) expect(message).toContain(part);
    expect(message).not.toContain("a-secret-nobody-sees");
    expect(readdirSync(folder)).not.toContain("new.img");
  });

  it("refuses source that is not UTF-8, and an ABI that is none", async () => {
    writeFileSync(path("program.js"), Buffer.from([0xff]));
    expect(await mistake(...build())).toContain("not UTF-8");
    expect(await mistake(...build("--abi", "2025-04-26-le32"))).toContain("--abi goes with");
    expect(await mistake(...build("--target", "c-host", "--abi", "es5"))).toContain("--abi es5");
  });
});

describe("npm run tool -- image --verify and --inspect", () => {
  const verify = (...args: string[]) =>
    mistake("--verify", path("new.img"), "--public-key", path("maker.pub"), ...args);

  it("names each refusal", async () => {
    await image(...build());
    const good = readFileSync(path("new.img"));
    const say = async (bytes: Buffer, ...args: string[]): Promise<string> => {
      writeFileSync(path("new.img"), bytes);
      return verify(...args);
    };
    expect(await say(good)).toContain("no mistake");
    expect(await say(good.subarray(0, -1))).toContain(": truncated (");
    expect(await say(Buffer.alloc(0))).toContain(": truncated (");
    expect(await say(Buffer.concat([good, good]))).toContain(": length-wrong (");
    expect(await say(good, "--counter-min", "6")).toContain(": rollback (");
    expect(await say(good, "--target", "c-host", "--abi", "2025-04-26-le32")).toContain(
      ": wrong-engine (",
    );
    expect(await say(good, "--product", "radio")).toContain(": wrong-product (");
    writeFileSync(path("maker.pub"), hex(strangerKeys.publicKey));
    expect(await say(good)).toContain(": foreign-key (");
    writeFileSync(path("maker.pub"), hex(keys.secretKey));
    expect(await say(good)).toContain("holds no public key");
  });

  it("prints a header, and that it proves nothing", async () => {
    await image(...build());
    const text = await image("--inspect", path("new.img"));
    for (const part of ["any", "es5", PRODUCT, "1.0.0", "15 bytes, source", "not verified"]) {
      expect(text).toContain(part);
    }
    writeFileSync(path("new.img"), Buffer.alloc(300));
    expect(await mistake("--inspect", path("new.img"))).toContain("not-an-image");
  });
});

describe("npm run tool -- image", () => {
  it.each([
    ["package.json/new.img", "package.json: cannot be made"],
    ["package.json/x/new.img", "package.json/x: cannot be made"],
    ["/proc/x/new.img", "/proc/x: cannot be made"],
  ])("--out %s is below a file: one line", async (out, text) => {
    expect(await mistake(...build("--out", out))).toContain(text);
  });

  it.each([[[]], [["--key", "a", "--verify", "b"]]])(
    "%j: what to do is asked for",
    async (args) => {
      expect(() => readOptions(args)).toThrow("give one of");
      expect(() => readOptions(["--key", "a"])).toThrow("--counter is missing");
      expect(() => readOptions(["--key", "a", "--counter", "1"])).toThrow("--product is missing");
      expect(() => readOptions(["--verify", "a"])).toThrow("--public-key");
    },
  );

  it.each([
    [["--counter", "1.5"], "It is an integer"],
    [["--release", "1 0"], "It is 1 to 32"],
  ])("%j: one line, and the process would end with exit code 2", (args, text) => {
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    vi.spyOn(process, "exit").mockImplementation((code) => {
      throw new Error(`exit code ${code}`);
    });
    try {
      expect(() => readOptions(args)).toThrow("exit code 2");
      const said = stderr.mock.calls.map(([line]) => String(line)).join("");
      expect(said).toMatch(/^image: [^\n]+\n$/);
      expect(said).toContain(text);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it.each([
    [["--frobnicate"], "unknown option"],
    [["--inspect", "/nonexistent"], "/nonexistent: cannot be read"],
  ])("%j: one line, exit code 2", (args, text) => {
    const argv = ["--import", "tsx", "scripts/image.ts", ...args];
    const { status, stderr, stdout } = spawnSync(process.execPath, argv, {
      cwd: root,
      encoding: "utf8",
    });
    expect(stderr).toMatch(/^image: [^\n]+\n$/);
    expect(stderr).toContain(text);
    expect([status, stdout]).toEqual([2, ""]);
  });
});
