// Runs `picogrant configure --page` for one device and for a table of devices, and reads the settings pages.

import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { reasons } from "../../platform/display/reasons.ts";
import { configure } from "../../targets/command/configure.ts";
import { runPart } from "../../targets/command/option-parser.ts";
import { cellsOf } from "../../targets/command/page.ts";
import { readPage } from "../../targets/command/page-format.ts";
import { makeTlsIdentities } from "../../targets/service/certificates.ts";
import { startSimulatedService } from "../../targets/service/simulated-service.ts";
import { isFullRun } from "../full-run.ts";
import { temporaryFolder } from "../listening.ts";

const CONFIG = {
  clientId: "tv",
  clientSecret: "a-secret-nobody-sees",
  scope: "email",
  endpoints: {
    deviceAuthorization: "https://a.example/d",
    token: "https://a.example/t",
    resources: ["https://api.example"],
  },
};

let folder: string;
let authority: string;
const path = (name: string): string => join(folder, name);
const writeConfig = (config: object): void =>
  writeFileSync(path("device.json"), JSON.stringify(config));
const run = (args: readonly string[]): Promise<number> => runPart(configure, args);
const page = (name: string) => readPage(readFileSync(path(name)));

beforeAll(() => {
  folder = temporaryFolder();
  authority = makeTlsIdentities().ca;
});
beforeEach(() => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  for (const name of readdirSync(folder)) rmSync(path(name), { recursive: true });
  writeConfig(CONFIG);
  writeFileSync(path("ca.pem"), authority);
});

const unnamed = (...more: string[]): string[] => [
  ...[path("device.json"), "--page", "--out", path("out"), ...more],
];
const whole = (...more: string[]): string[] => unnamed("--authorities", path("ca.pem"), ...more);

it.each([
  [["--dpop"], "off", 1],
  [["--dpop", "auto"], "required", 1],
  [["--dpop", "auto"], "off", 0],
  [["--dpop", "off", "--private-key-jwt"], "required", 2],
  [["--dpop", "--private-key-jwt", "token_endpoint"], "off", 5],
  [[], "allowed", 1, "auto"],
  [["--dpop", "off"], "allowed", 0, "require"],
] as const)(
  "%j where the server's DPoP is %s: the page says %i",
  async (flags, dpop, uses, own?) => {
    const { url, close } = await startSimulatedService({ options: { dpop } });
    const config = { clientId: "tv", scope: "email", issuer: url, dpop: own };
    writeConfig(config);
    await run(unnamed(...flags));
    await close();
    expect(page("out").keyUses).toBe(uses);
  },
);

async function mistake(...args: string[]): Promise<string> {
  const { message } = (await run(args).catch((error: Error) => error)) as Error;
  expect(readdirSync(folder)).not.toContain("out");
  return message;
}

describe("a page", () => {
  it("has the content of device.json with defaults, readable only by its owner", async () => {
    await run(whole());
    const { numbers, texts, addresses, authorities, seed, key, madeAt } = page("out");
    expect(numbers).toMatchObject({ columns: 20, rows: 4, memoryBytes: 4096, autoStart: 1 });
    // 1 is client_secret_post, the default for a client with a secret.
    expect(numbers.clientAuthentication).toBe(1);
    expect(texts).toMatchObject({
      clientId: "tv",
      scope: "email",
      clientSecret: CONFIG.clientSecret,
    });
    expect(addresses).toEqual([
      "https://a.example/d",
      "https://a.example/t",
      "",
      "",
      "",
      "https://api.example",
    ]);
    expect(authorities).toHaveLength(1);
    expect(seed).toHaveLength(32);
    expect(key).toHaveLength(0);
    expect(Math.abs(madeAt - Date.now() / 1000)).toBeLessThan(600);
    expect(statSync(path("out")).mode & 0o777).toBe(0o600);
  });

  it("accepts all display texts in another language, including those of the reasons", async () => {
    const own = Object.fromEntries(
      reasons.map(({ name }) => [name, "\u00fcber sechzehn Z|eichen lang"]),
    );
    writeConfig({ ...CONFIG, language: "de", reasons: own, messages: { signedIn: "\u00c4" } });
    await run(whole());
    expect(page("out").texts.reasons?.split("\n")).toEqual(Object.values(own));
    expect(page("out").texts.messages).toContain("Hole Code\nPr\u00fcfe Code\n\u00c4\n");
  });

  it.each([
    [{ clientId: 7 }, "clientId"],
    [{ limits: { memoryBytes: 2048 }, scope: "s".repeat(500) }, "limits.memoryBytes is too small"],
  ])("is rejected if no device could use it: %j", async (change, what) => {
    writeConfig({ ...CONFIG, ...change });
    const line = await mistake(...whole());
    expect(line).toContain(what);
    expect(line).not.toContain("\n");
    expect(line).not.toContain(CONFIG.clientSecret);
  });

  it("has a time server at its end; without one it equals the page for older firmware", async () => {
    await run(whole());
    const { length } = readFileSync(path("out"));
    writeConfig({ ...CONFIG, timeServer: "time.example" });
    await run(whole());
    expect(page("out").timeServer).toBe("time.example");
    expect(readFileSync(path("out")).subarray(length).toString()).toBe("time.example\0");
  });

  it("needs no authorities for http to the device itself, and accepts those of http.certificates", async () => {
    const own = Object.fromEntries(
      Object.entries(CONFIG.endpoints).map(([name]) => [name, `http://[::1]:1/${name}`]),
    );
    const endpoints = { ...own, resources: ["http://localhost/"] };
    writeConfig({ ...CONFIG, endpoints });
    await run(unnamed());
    expect(page("out").authorities).toEqual([]);
    expect(page("out").addresses[5]).toBe("http://localhost/");
    const http = { certificates: path("ca.pem") };
    writeConfig({ ...CONFIG, http });
    await run(unnamed());
    expect(page("out").authorities).toHaveLength(1);
  });

  it("contains the format of requests and the device's key", async () => {
    const storage = { directory: "/var/lib/tv", deviceKey: "0a".repeat(32) };
    const output = { ...CONFIG, pkce: "S256", bodies: "json", storage };
    writeConfig(output);
    await run(whole());
    const { numbers, texts, key } = page("out");
    expect(numbers).toMatchObject({ pkce: 1, jsonBodies: 1 });
    expect(texts.directory).toBe("/var/lib/tv");
    expect(key).toEqual(Buffer.alloc(32, 10));
  });

  it("is rejected with nine authorities, without any, and with an invalid certificate", async () => {
    expect(await mistake(...unnamed())).toContain("--authorities is missing");
    writeFileSync(path("ca.pem"), authority.repeat(9));
    expect(await mistake(...whole())).toContain("9 authorities; at most 8 fit");
    writeFileSync(path("ca.pem"), "none");
    expect(await mistake(...whole())).toContain("ca.pem: holds no certificate");
  });

  it("is invalid if any bit is changed (CRC-32)", async () => {
    await run(whole());
    const bytes = readFileSync(path("out"));
    for (let at = 0; at < bytes.length; at += 7) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1 << (at % 8);
      expect(() => readPage(changed), `byte ${at}`).toThrow();
    }
  });
});

describe("a table of devices", () => {
  const DEVICES = isFullRun ? 1000 : 100;

  it(`makes ${DEVICES} pages, each with its own identifiers`, async () => {
    const storage = { directory: "/var/lib/tv" };
    writeConfig({ ...CONFIG, storage });
    const rows = Array.from(
      { length: DEVICES },
      (_, at) => `tv-${at}.bin,client-${at},"serial ""${at}"", x",,${String(at).padStart(64, "0")}`,
    );
    writeFileSync(
      path("devices.csv"),
      `file,clientId,deviceParameters.serial,limits.renewals,storage.deviceKey\r\n${rows.join("\r\n")}\r\n`,
    );
    await run(whole("--csv", path("devices.csv")));
    expect(readdirSync(path("out"))).toHaveLength(DEVICES);
    const seeds = new Set<string>();
    for (const at of [0, DEVICES / 2, DEVICES - 1]) {
      const { texts, numbers, key, seed } = page(`out/tv-${at}.bin`);
      expect(Buffer.from(key).toString("hex")).toBe(String(at).padStart(64, "0"));
      seeds.add(Buffer.from(seed).toString("hex"));
      expect(texts.clientId).toBe(`client-${at}`);
      expect(texts.deviceParameters).toBe(`&serial=serial+%22${at}%22%2C+x`);
      expect(numbers.renewals).toBe(3);
    }
    expect(seeds.size).toBe(3);
  });

  it.each([
    ["clientId\na\n", "the first line lacks the column file"],
    ["file,server\na.bin,gitlab\n", "all pages have one server; remove the column server"],
    ["file,clientId\na.bin\n", "line 2: has 1 cells, the first line has 2"],
    ["file,clientId\na.bin,x\na.bin,y\n", "line 3: the file's name is taken"],
    ["file,clientId\n../a.bin,x\n", "line 2: the file's name"],
    ["file,limits.renewals\na.bin,many\n", "line 2: limits.renewals"],
    ['file,clientId\na.bin,"x\n', "a quote is missing"],
  ])("with a mistake is not written: %j", async (table, what) => {
    writeFileSync(path("devices.csv"), table);
    expect(await mistake(...whole("--csv", path("devices.csv")))).toContain(what);
  });

  it("cells follow RFC 4180 section 2", () => {
    expect(cellsOf('a,"b,c",\r\n"d ""e""",f,g\n')).toEqual([
      ["a", "b,c", ""],
      ['d "e"', "f", "g"],
    ]);
  });
});
