// Tests custom ports. The template must build without warnings and work as a device. A changed copy is built from its
// own files, and check.c must detect a planted fault in each file.

import { execFileSync, spawn } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCheckServer } from "../../targets/command/check-server.ts";
import { buildPort, hostFolder, makePort } from "../../targets/workbench/host/build.ts";
import { code, tokens } from "../environment/environment.ts";
import { opened, type RealEnvironment, scripted } from "../environment/real-environment.ts";
import { listening } from "../listening.ts";
import { TV } from "../service/harness.ts";
import { HostProcess } from "./host-process.ts";

const template = fileURLToPath(new URL("../../targets/host/ports/template", import.meta.url));

/** Starts a built port with the simulated service and the test's API, and runs `live`. */
async function atService(
  out: string,
  response: RequestListener,
  live: (start: () => HostProcess, approve: () => void, running: RealEnvironment) => Promise<void>,
): Promise<void> {
  const running = await opened();
  const port = await listening(createServer(response));
  const devices: HostProcess[] = [];
  const start = (): HostProcess => {
    const device = new HostProcess([`${out}/device`], {
      SERVER: running.url,
      CLIENT_ID: TV.client_id,
      CLIENT_SECRET: TV.client_secret,
      API: `http://127.0.0.1:${port}`,
      RECORDS: path.join(running.folder, "records"),
    });
    devices.push(device);
    return device;
  };
  const approve = () => running.service.approve(running.service.pending()[0]!.userCode, "ada");
  try {
    await live(start, approve, running);
  } finally {
    for (const device of devices) await device.kill("SIGKILL");
  }
}

it("a device in C signs in, reads two pages, refreshes a refused token, and ends when the session ends", async () => {
  const out = `${hostFolder}port-example`;
  await buildPort(template, out);
  const requested: string[] = [];
  const refused = new Set<string>();
  const api: RequestListener = (request, response) => {
    const token = request.headers.authorization ?? "";
    if (refused.size === 0) refused.add(token);
    const status = refused.has(token) ? 401 : 200;
    requested.push(`${request.url} ${status}`);
    const isFirst = request.url === "/items?page=";
    const page = isFirst ? '{"items":["a"],"next":"2"}' : '{"items":["b"]}';
    response.writeHead(status, { "content-type": "application/json" });
    response.end(status === 200 ? page : "{}");
  };
  await atService(out, api, async (start, approve, running) => {
    const device = start();
    await expect.poll(() => device.display).toMatch(/[A-Z]{4}-[A-Z]{4}/);
    approve();
    await expect.poll(() => device.display).toContain("that is all");
    expect(device.display).toMatch(/the token has \d\d+ bytes, the first is visible/);
    expect(requested).toEqual(["/items?page= 401", "/items?page= 200", "/items?page=2 200"]);
    await device.kill("SIGKILL");

    const again = start();
    await expect.poll(() => again.display).toContain("that is all");
    expect(again.display).not.toMatch(/[A-Z]{4}-[A-Z]{4}/);
    running.service.revokeAllFor("ada");
    refused.clear();
    again.press("a");
    await expect.poll(() => again.messages).toContain("the session is over: SESSION_ENDED");
  });
});

function changed(file: string, from: string, to: string): (folder: string) => void {
  return (folder) => {
    const text = readFileSync(path.join(folder, file), "utf8");
    expect(text).toContain(from);
    writeFileSync(
      path.join(folder, file),
      text.replace(from, () => to),
    );
  };
}

/** Runs the example, optionally changed, until it has printed `words`. The server approves each code at once. */
async function outputOfExample(
  name: string,
  words: string,
  { change = (_folder: string) => {}, records = "", accessToken = "a" } = {},
): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-port-"));
  cpSync(template, folder, { recursive: true });
  change(folder);
  const { origin } = await scripted(({ path }) =>
    path === "/token" ? tokens({ access_token: accessToken }) : code({ interval: 1 }),
  );
  let device: HostProcess | undefined;
  try {
    await buildPort(folder, `${hostFolder}port-${name}`);
    device = new HostProcess([`${hostFolder}port-${name}/device`], {
      SERVER: origin,
      RECORDS: records || path.join(folder, "records"),
    });
    await expect.poll(() => device!.messages).toContain(words);
    return device.messages;
  } finally {
    await device?.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

const LONG = "a".repeat(3800);

it("the example reports the memory that a token needs if it does not fit", async () => {
  const output = await outputOfExample("small", "does not fit", { accessToken: LONG });
  const [, bytes] = /MEMORY_BYTES of (\d+)\n/.exec(output)!;
  const change = changed("main.c", "MEMORY_BYTES = 4096", `MEMORY_BYTES = ${bytes}`);
  const enough = { accessToken: LONG, change };
  expect(await outputOfExample("enough", "SIGNED_IN", enough)).not.toContain("does not fit");
});

it("a device whose slots are too small for its records does not open", async () => {
  const change = changed("medium.c", "SLOT_BYTES = 4096", "SLOT_BYTES = 100");
  await outputOfExample("low", "the medium's slots are too small for the records", { change });
});

it("the example reports that it cannot store records, and the path", async () => {
  const records = "/nonexistent/records";
  const output = await outputOfExample("nowhere", "not saved: ", { records });
  expect(output).toContain(`${records}: No such file or directory\n`);
});

it("port.mk adds files and libraries; missing files come from the template", async () => {
  const change = (folder: string): void => {
    for (const name of ["clock.c", "medium.c", "connection.c"]) rmSync(path.join(folder, name));
    const write = (file: string, text: string): void =>
      writeFileSync(path.join(folder, file), text);
    write("sensor.c", "int sensor(void);\nint sensor(void) { return GAIN; }\n");
    write("of-others.txt", "int of_others(void) { return 35; }\n");
    write("port.mk", "MORE = sensor\nLIBS = $(PORT)/libothers.a\nCFLAGS += -DGAIN=7\n");
    const library = "cc -x c -c -o others.o of-others.txt && ar rcs libothers.a others.o";
    execFileSync("sh", ["-c", library], { cwd: folder });
    const main = readFileSync(path.join(folder, "main.c"), "utf8");
    const begin = "int main(void) {\n";
    expect(main).toContain(begin);
    const use = 'fprintf(stderr, "both make %d\\n", sensor() + of_others());';
    write(
      "main.c",
      main.replace(begin, `int sensor(void);\nint of_others(void);\n${begin}${use}\n`),
    );
  };
  expect(await outputOfExample("more", "both make", { change })).toContain("both make 42\n");
});

interface PortFault {
  readonly right: string;
  readonly wrong: string;
  /** How often the check runs; default 1. It detects some faults only at its second start. */
  readonly starts?: number;
}

const BROKEN_ENDS = "return errno == EAGAIN || errno == EINTR ? PG_CONNECTION_NOTHING";
const RANDOM = "return getrandom(bytes, size, GRND_NONBLOCK) == (ssize_t)size;";
const NO_SIGNER = "const struct pg_signer *port_signer(void) { return NULL;";

/** A signer that always returns the signature of the check's message. @param end the last statements of its function */
function signerIn(end: string): string {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = { key: privateKey, dsaEncoding: "ieee-p1363" } as const;
  const bytes = [...sign("sha256", Buffer.from("picogrant check"), key)];
  const { x, y } = publicKey.export({ format: "jwk" });
  const [ofX, ofY] = [x, y].map((part) => `{${[...Buffer.from(part!, "base64url")]}}`);
  return `static int sign_check(void *context, const uint8_t *message, size_t size, uint8_t *bytes) {
  static const uint8_t right[] = {${bytes}};
  (void)context, (void)message, (void)size;
  for (int i = 0; i < 64; i++) bytes[i] = right[i];
  ${end};
}
const struct pg_signer *port_signer(void) {
  static const struct pg_signer signer = {sign_check, NULL, ${ofX}, ${ofY}};
  return &signer;`;
}

/** The faults of each file. `line` is the expected output after "not ok". */
const FAULTS: Readonly<Record<string, readonly (PortFault & { what: string; line: string })[]>> = {
  "clock.c": [
    {
      what: "a clock that stands still",
      right: "return (uint32_t)((uint64_t)now.tv_sec",
      wrong: "return 1 + 0 * (uint32_t)((uint64_t)now.tv_sec",
      line: "clock: pg_clock_ms stands still",
    },
    {
      what: "a clock at half speed",
      right: "* 1000u + (uint64_t)now.tv_nsec / 1000000u);",
      wrong: "* 500u + (uint64_t)now.tv_nsec / 2000000u);",
      line: "clock: in ",
    },
    {
      what: "a date before 2020",
      right: "return (uint32_t)time(NULL)",
      wrong: "return 86400",
      line: "clock: pg_clock_wall_s is before 2020",
    },
    {
      what: "a date of last week",
      right: "return (uint32_t)time(NULL)",
      wrong: "return (uint32_t)time(NULL) - 7 * 86400",
      line: "clock: pg_clock_wall_s is 7 days",
    },
    {
      what: "a wait that the network does not wake",
      right: "(void)poll(waiting, 2, ms);",
      wrong: "(void)poll(waiting, 1, ms);",
      line: "clock: a response came after 1.5 s, and port_wait",
    },
    {
      what: "random bytes that repeat",
      right: RANDOM,
      wrong: `for (size_t i = 0; i < size; i++) bytes[i] = 7;\n  ${RANDOM.replace("return", "return 1 ||")}`,
      line: "random: two fills are alike",
    },
    {
      what: "digits for random bytes",
      right: RANDOM,
      wrong: `int is_there = getrandom(bytes, size, 0) > 0;
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)('0' + bytes[i] % 10);
  return is_there;`,
      line: "random: bits of its bytes",
    },
    {
      what: "a fixed seed",
      right: RANDOM,
      wrong: `static uint32_t seed = 42;
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)((seed = seed * 1664525u + 1013904223u) >> 16);
  return getrandom(NULL, 0, 0) == 0;`,
      line: "random: the same bytes as at the last start",
      starts: 2,
    },
    {
      what: "one random byte too many",
      right: RANDOM,
      wrong: `bytes[size] = 1;\n  ${RANDOM}`,
      line: "random: bytes behind the range",
    },
    {
      what: "a signature in DER",
      right: NO_SIGNER,
      wrong: signerIn("return 71"),
      line: "signer: sign has failed, or a signature has not 64 bytes",
    },
    {
      what: "a signature of another key",
      right: NO_SIGNER,
      wrong: signerIn("bytes[7] ^= 1; return 64"),
      line: "signer: the signature is not that of x and y",
    },
  ],
  "medium.c": [
    {
      what: "slots that overlap",
      right: "(off_t)slot * SLOT_BYTES + at",
      wrong: "(off_t)(slot * 64u) + at",
      line: "medium: programming slot 0 changed slot 1",
    },
    {
      what: "zeros for erased bytes",
      right: "memset(erased, 0xff,",
      wrong: "memset(erased, 0,",
      line: "medium: an erased slot does not read 0xff",
    },
    {
      what: "programming only in pairs",
      right: "bytes, size, place_of(slot, at))",
      wrong: "bytes, size, place_of(slot, at & ~1u))",
      line: "medium: what was programmed, in pieces",
    },
  ],
  "connection.c": [
    {
      what: "a proper end that is reported as a break",
      right: "return PG_CONNECTION_ENDED;",
      wrong: "return PG_CONNECTION_BROKEN;",
      line: "connection: the server closed in order",
    },
    {
      what: "a break that is reported as a proper end",
      right: `${BROKEN_ENDS} : PG_CONNECTION_BROKEN;`,
      wrong: `${BROKEN_ENDS} : PG_CONNECTION_ENDED;`,
      line: "connection: the server broke it off",
    },
    {
      what: "a last byte that is dropped",
      right: "if (size > 0) return (int)size;",
      wrong: "if (size > 0) return size > 1 ? (int)size - 1 : 1;",
      line: "connection: of a response of 5000 bytes",
    },
    {
      what: "a send that takes more than it keeps",
      right: "connection->filled += size;\n",
      wrong: "connection->filled += size > 400 ? 400 : size;\n",
      line: "connection: of 3000 bytes that send took",
    },
    {
      what: "sockets that stay open",
      right: "if (connection->descriptor >= 0) close(connection->descriptor);",
      wrong: "",
      line: "connection: 24 were ended",
    },
    {
      what: "a refused connection that is reported as open",
      right: "connection->state = error ? PG_CONNECTION_FAILED : PG_CONNECTION_OPEN;",
      wrong: "connection->state = PG_CONNECTION_OPEN; (void)error;",
      line: "connection: where nobody listens",
    },
    {
      what: "a call that waits",
      right: "poll(&waiting, 1, 0) <= 0) return connection->state;",
      wrong: "poll(NULL, 0, 900) < 0 || poll(&waiting, 1, 0) <= 0) return connection->state;",
      line: "connection: calls took 250 ms",
    },
  ],
};

describe.concurrent("check.c finds the fault in each file of a port", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-check-"));
  const built = `${hostFolder}port-check`;
  beforeAll(() => buildPort(template, built, ...check("http://127.0.0.1:8080/")));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const check = (url: string): [string, string] => [
    "check",
    `CHECK_FLAGS=-DCHECK_SERVER='"${url}"' -DCHECK_SLOWNESS=3 -DPG_KEYS`,
  ];
  function rebuild(port: string, out: string, url: string): Promise<void> {
    for (const name of ["check.o", "check-connection.o"]) rmSync(path.join(out, name));
    return makePort(port, out, ...check(url));
  }

  const start = (
    program: string,
    records: string,
  ): Promise<{ output: string; code: number | null }> => {
    const check = spawn(program, { env: { RECORDS: records } });
    let output = "";
    check.stderr.on("data", (text) => {
      output += text;
    });
    return new Promise((resolve) => check.on("close", (code) => resolve({ output, code })));
  };

  async function tried(
    name: string,
    fault: PortFault & { file: string },
  ): Promise<{ output: string; code: number | null }> {
    const port = path.join(folder, `port-${name}`);
    const out = path.join(folder, `out-${name}`);
    cpSync(template, port, { recursive: true, preserveTimestamps: true });
    cpSync(built, out, { recursive: true, preserveTimestamps: true });
    changed(fault.file, fault.right, fault.wrong)(port);
    const server = await startCheckServer();
    await rebuild(port, out, server.url);
    let last = { output: "", code: null as number | null };
    for (let i = 0; i < (fault.starts ?? 1); i++)
      last = await start(`${out}/check`, path.join(out, "records"));
    await server.close();
    expect(last.output).toMatch(last.code === 0 ? /# all passed\n$/ : /# failed: [^\n]*\n$/);
    return last;
  }

  it("finds none in the example with a signer, at either start", async () => {
    const signer = { right: NO_SIGNER, wrong: signerIn("return 64") };
    const { output, code } = await tried("right", { file: "clock.c", ...signer, starts: 2 });
    expect(output).toContain("ok signer: its signature is that of its public key");
    expect(output).not.toContain("not ok");
    expect(output).toContain("ok random: it differs from the last start");
    expect(code).toBe(0);
  });

  const all = Object.entries(FAULTS).flatMap(([file, faults]) =>
    faults.map((fault) => ({ file, ...fault })),
  );
  it.each(all.map((fault, at) => ({ at, ...fault })))("$file: $what", async ({ at, ...fault }) => {
    const { output, code } = await tried(`${at}`, fault);
    expect(output).toContain(`not ok ${fault.line}`);
    expect(code).toBe(1);
  });

  it("names what it cannot test with another server", async () => {
    const other = await opened();
    const out = path.join(folder, "out-other");
    cpSync(built, out, { recursive: true, preserveTimestamps: true });
    await rebuild(template, out, `${other.url}/`);
    const { output, code } = await start(`${out}/check`, path.join(out, "records"));
    expect(output).toContain("is not the server of the check: what only it can see was not tried");
    expect(output).toMatch(/# all passed that was tried; see the lines that begin with #\n$/);
    expect(code).toBe(0);
  });
});
