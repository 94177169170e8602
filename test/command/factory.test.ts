// picogrant factory and loader-page, as the maker of a board calls them: what is written reads back as it was meant, for
// one device and for a thousand, and each mistake is one line that names its place.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import nacl from "tweetnacl";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { reasons } from "../../platform/reasons.ts";
import { cellsOf, factory } from "../../targets/command/factory.ts";
import { loaderPage } from "../../targets/command/loader-page.ts";
import { checkImage } from "../../targets/image/check.ts";
import { readFactoryPage } from "../../targets/image/factory-page.ts";
import { NO_BORDER } from "../../targets/image/format.ts";
import { makeIdentities } from "../../targets/workbench/board/certificates.ts";
import { isFullRun } from "../full-run.ts";

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
const keys = nacl.sign.keyPair();
const hex = (bytes: Uint8Array): string => `${Buffer.from(bytes).toString("hex")}\n`;

let folder: string;
let certificates: ReturnType<typeof makeIdentities>;
const path = (name: string): string => join(folder, name);
const page = (name: string) => readFactoryPage(readFileSync(path(name)));

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "picogrant-factory-"));
  certificates = makeIdentities("a.example");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  for (const name of readdirSync(folder)) rmSync(path(name), { recursive: true });
  writeFileSync(path("device.json"), JSON.stringify(CONFIG));
  writeFileSync(path("ca.pem"), certificates.authority);
  writeFileSync(path("maker.key"), hex(keys.secretKey), { mode: 0o600 });
  writeFileSync(path("maker.pub"), hex(keys.publicKey));
});

const whole = (...more: string[]): string[] => [
  ...["--config", path("device.json"), "--authorities", path("ca.pem")],
  ...["--out", path("out"), ...more],
];

/** The message of a command that is refused, after which nothing is written. */
async function mistake(...args: string[]): Promise<string> {
  const { message } = (await factory(args).catch((error: Error) => error)) as Error;
  expect(readdirSync(folder)).not.toContain("out");
  return message;
}

describe("a page", () => {
  it("says what device.json says, with its defaults, and only its owner can read it", async () => {
    await factory(whole("--updates", "https://updates.example/tv"));
    const { numbers, texts, addresses, anchors, madeAt } = page("out");
    expect(numbers).toMatchObject({ columns: 16, rows: 2, memoryBytes: 4096, autoStart: 1 });
    // client_secret_post, as for every client with a secret that says nothing else.
    expect(numbers.clientAuthentication).toBe(1);
    expect(texts).toMatchObject({
      clientId: "tv",
      scope: "email",
      clientSecret: CONFIG.clientSecret,
    });
    expect(texts.updates).toBe("https://updates.example/tv");
    expect(addresses).toEqual([
      "https://a.example/d",
      "https://a.example/t",
      "",
      "",
      "",
      "https://api.example",
    ]);
    expect(anchors).toHaveLength(1);
    expect(Math.abs(madeAt - Date.now() / 1000)).toBeLessThan(600);
    expect(statSync(path("out")).mode & 0o777).toBe(0o600);
  });

  it("takes all texts of the display in another language, the reasons too", async () => {
    const own = Object.fromEntries(
      reasons.map(({ name }) => [name, "\u00fcber sechzehn Z|eichen lang"]),
    );
    writeFileSync(
      path("device.json"),
      JSON.stringify({ ...CONFIG, reasons: own, messages: { signedIn: "\u00c4" } }),
    );
    await factory(whole());
    expect(page("out").texts.reasons?.split("\n")).toEqual(Object.values(own));
    expect(page("out").texts.messages).toContain("\u00c4");
  });

  it.each([
    [{ clientId: 7 }, "clientId"],
    [{ endpoints: { ...CONFIG.endpoints, token: "http://a.example/t" } }, "endpoints.token"],
    [{ endpoints: { deviceAuthorization: "https://a.example/d" } }, "endpoints.token is missing"],
    [{ limits: { memoryBytes: 20_000 } }, "limits.memoryBytes is 20000; a board has 6144"],
    [{ limits: { memoryBytes: 2048 }, scope: "s".repeat(500) }, "limits.memoryBytes is too small"],
    [{ reasons: { noBread: "x" } }, "reasons.noBread"],
  ])("is refused where a device could not use it: %j", async (change, what) => {
    writeFileSync(path("device.json"), JSON.stringify({ ...CONFIG, ...change }));
    const line = await mistake(...whole());
    expect(line).toContain(what);
    expect(line).not.toContain("\n");
    expect(line).not.toContain(CONFIG.clientSecret);
  });

  it.each([
    [{ pkce: "S256" }, 257],
    [{ bodies: "json" }, 513],
    [{ bodies: "form" }, 1],
    [{ pkce: "S256", bodies: "json" }, 769],
  ])(
    "says %j in the number of client authentication, as factory.h has it",
    async (said, number) => {
      await factory(whole());
      const without = readFileSync(path("out"));
      expect(page("out").numbers.clientAuthentication).toBe(1);
      rmSync(path("out"));
      writeFileSync(path("device.json"), JSON.stringify({ ...CONFIG, ...said }));
      await factory(whole());
      expect(page("out").numbers.clientAuthentication).toBe(number);
      // Nothing else of the page moves: older programs know where everything is.
      expect(readFileSync(path("out"))).toHaveLength(without.length);
    },
  );

  it("is refused with nine authorities, with none, and with what is no certificate", async () => {
    expect(await mistake("--config", path("device.json"), "--out", path("out"))).toContain(
      "--authorities is missing",
    );
    writeFileSync(path("ca.pem"), certificates.authority.repeat(9));
    expect(await mistake(...whole())).toContain("9 certificate authorities; at most 8 fit");
    writeFileSync(path("ca.pem"), "none");
    expect(await mistake(...whole())).toContain("ca.pem: holds no certificate");
  });

  it("with any bit changed is none (CRC-32)", async () => {
    await factory(whole());
    const bytes = readFileSync(path("out"));
    for (let at = 0; at < bytes.length; at += 7) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1 << (at % 8);
      expect(() => readFactoryPage(changed), `byte ${at}`).toThrow();
    }
  });
});

describe("a table of devices", () => {
  const DEVICES = isFullRun ? 1000 : 100;

  it(`makes ${DEVICES} pages, each with its own identifiers`, async () => {
    const rows = Array.from(
      { length: DEVICES },
      (_, at) => `tv-${at}.bin,client-${at},"serial ""${at}"", x",`,
    );
    writeFileSync(
      path("devices.csv"),
      `file,clientId,deviceParameters.serial,limits.renewals\r\n${rows.join("\r\n")}\r\n`,
    );
    await factory(whole("--csv", path("devices.csv")));
    expect(readdirSync(path("out"))).toHaveLength(DEVICES);
    for (const at of [0, DEVICES / 2, DEVICES - 1]) {
      const { texts, numbers } = page(`out/tv-${at}.bin`);
      expect(texts.clientId).toBe(`client-${at}`);
      expect(texts.deviceParameters).toBe(`&serial=serial+%22${at}%22%2C+x`);
      expect(numbers.renewals).toBe(3);
    }
  });

  it.each([
    ["clientId\na\n", "the first line lacks the column file"],
    ["file,clientId\na.bin\n", "line 2: has 1 cells, the first line has 2"],
    ["file,clientId\na.bin,x\na.bin,y\n", "line 3: the file's name is taken"],
    ["file,clientId\n../a.bin,x\n", "line 2: the file's name"],
    ["file,limits.renewals\na.bin,many\n", "line 2: limits.renewals"],
    ['file,clientId\na.bin,"x\n', "a quote is missing"],
  ])("with a mistake writes nothing: %j", async (table, what) => {
    writeFileSync(path("devices.csv"), table);
    expect(await mistake(...whole("--csv", path("devices.csv")))).toContain(what);
  });

  it("cells are those of RFC 4180 section 2", () => {
    expect(cellsOf('a,"b,c",\r\n"d ""e""",f,g\n')).toEqual([
      ["a", "b,c", ""],
      ['d "e"', "f", "g"],
    ]);
  });
});

describe("what changes in the field", () => {
  const later = (change: object, ...more: string[]): string[] => {
    writeFileSync(path("change.json"), JSON.stringify(change));
    return [
      ...["--config", path("device.json"), "--later", path("change.json"), "--out", path("out")],
      ...["--key", path("maker.key"), "--product", "tv", "--counter", "3", ...more],
    ];
  };

  it("is signed, says only what changes, and has its counter", async () => {
    await factory(later({ messages: { signedIn: "Da" }, limits: { renewals: 9 } }));
    const image = checkImage(new Uint8Array(readFileSync(path("out"))), {
      keys: [keys.publicKey],
      product: "tv",
      targets: [{ engine: "settings", abi: "page-2" }],
      border: NO_BORDER,
      counterMin: 3,
    });
    if (typeof image === "string") throw new Error(image);
    expect(image.counter).toBe(3);
    const bytes = readFileSync(path("out")).subarray(240);
    const { numbers, texts, addresses, anchors } = readFactoryPage(bytes);
    expect(numbers).toEqual({ renewals: 9 });
    expect(Object.entries(texts).filter(([, text]) => text !== undefined)).toHaveLength(1);
    expect(texts.messages).toContain("Da");
    expect(addresses.every((address) => address === undefined)).toBe(true);
    expect(anchors).toBeUndefined();
  });

  it("a challenge that is asked for later is said with the client's authentication", async () => {
    await factory(later({ pkce: "S256" }));
    const image = readFileSync(path("out"));
    const at = image.indexOf("PGF2");
    const length = 12 + image.readUInt32LE(at + 4);
    const { numbers } = readFactoryPage(image.subarray(at, at + length));
    expect(numbers).toEqual({ clientAuthentication: 257 });
  });

  it("is refused where the device could not use the whole, or something is missing", async () => {
    expect(await mistake(...later({ clientId: 7 }))).toContain("change.json: clientId");
    expect(await mistake(...later({}, "--counter", "0"))).toContain("--counter NUMBER, from 1 on");
  });
});

it("loader-page: product and keys, and mistakes in one line", async () => {
  const args = ["--product", "tv", "--key", path("maker.pub"), "--out", path("out")];
  await loaderPage(args);
  const bytes = readFileSync(path("out"));
  expect(bytes.toString("latin1", 0, 4)).toBe("PGLP");
  expect(bytes.includes(Buffer.from(keys.publicKey))).toBe(true);
  await expect(loaderPage([...args, "--product", "two words"])).rejects.toThrow(
    "printable characters",
  );
  await expect(loaderPage([...args, "--key", path("maker.key")])).rejects.toThrow("no public key");
});
