// What must not get at the C host's tokens: closed descriptors, other users' files, old TLS, broken disks, servers
// with odd answers, and what stays in memory after signing out.

import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { connect as connectTls, createServer as createTls } from "node:tls";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { hostFolder, programOf } from "../../targets/workbench/host/build.ts";
import { makeTlsIdentities } from "../platform/certificates.ts";
import { HostProcess } from "./host-process.ts";
import { World } from "./host-world.ts";

const release = programOf("release");
const sanitized = programOf("sanitize");
const isRoot = process.getuid?.() === 0;

let world: World | undefined;
let server: Server | undefined;

async function opened(protocol: "http" | "https" = "http"): Promise<World> {
  world = new World(protocol);
  await world.open();
  return world;
}

afterEach(async () => {
  await world?.end();
  world = undefined;
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
});

/** A server whose answers are bytes; the requests as they came. */
async function answering(
  answers: readonly string[],
): Promise<{ port: number; requests: string[] }> {
  const requests: string[] = [];
  const own = createServer((socket) => {
    let text = "";
    socket.on("error", () => undefined);
    socket.on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1");
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (text.length < text.indexOf("\r\n\r\n") + 4 + length || !text.includes("\r\n\r\n")) return;
      requests.push(text);
      socket.end(answers[Math.min(requests.length, answers.length) - 1]);
    });
  });
  server = own;
  await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
  return { port: (own.address() as { port: number }).port, requests };
}

const CODE = JSON.stringify({
  ...{ device_code: "d", user_code: "ABCD-EFGH", verification_url: "https://example.test/device" },
  ...{ verification_uri: "https://example.test/device", expires_in: 1800, interval: 1 },
});
const ok = (body: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

function endpointsAt(port: number, query = ""): Record<string, unknown> {
  const base = `http://127.0.0.1:${port}`;
  return {
    endpoints: {
      deviceAuthorization: `${base}/device/code${query}`,
      token: `${base}/token${query}`,
      revocation: `${base}/revoke${query}`,
    },
  };
}

describe("answers of a hostile server", () => {
  it("RFC 9112 §5.2 a folded line behind the status line of a second answer harms nothing", async () => {
    const folded = `HTTP/1.1 400 Bad\r\n A: ${"B".repeat(3000)}\r\nContent-Length: 2\r\n\r\n{}`;
    const { port, requests } = await answering([ok(CODE), folded]);
    const config = (await opened()).configure(endpointsAt(port));
    const host = new HostProcess([sanitized, "--config", config]);
    await host.until("polls behind it", () => requests.length > 3);
    expect(await host.quit()).toBe(0);
  });

  it("SPEC.md, The loop: an address with a query of its own keeps it; what the core adds follows `&`", async () => {
    const { port, requests } = await answering([ok(CODE)]);
    const changes = { ...endpointsAt(port, "?tenant=7"), clientAuthentication: "documents" };
    const host = new HostProcess([sanitized, "--config", (await opened()).configure(changes)]);
    await host.until("a poll", () => requests.length > 1);
    expect(requests[0]).toMatch(/^POST \/device\/code\?tenant=7 HTTP\/1\.1\r\n/);
    expect(requests[1]).toMatch(/^POST \/token\?tenant=7 HTTP\/1\.1\r\n/);
    expect(await host.quit()).toBe(0);
  });
});

describe("what a maker adds to requests", () => {
  it("headers go to those they are meant for: the authorization server gets none of a resource server's", async () => {
    const { port, requests } = await answering([ok(CODE)]);
    const headers = { grant: { "X-Model": "P 400", "X-Site": "" }, resource: { "X-Key": "k" } };
    const config = (await opened()).configure({ ...endpointsAt(port), headers });
    const host = new HostProcess([sanitized, "--config", config]);
    await host.until("a poll", () => requests.length > 1);
    for (const request of requests) {
      expect(request).toContain("\r\nX-Model: P 400\r\nX-Site: \r\n");
      expect(request).not.toContain("X-Key");
    }
    expect(await host.quit()).toBe(0);
  });

  it("texts of the maker's own are shown, with bytes of the display's character ROM; the others stay", async () => {
    const { port } = await answering([ok("{}")]);
    const messages = { requesting: "Code wird geholt", signedOut: "F\u00fcr \u00c4" };
    const config = (await opened()).configure({ ...endpointsAt(port), messages, autoStart: false });
    const host = new HostProcess([sanitized, "--config", config]);
    const shown = (): string => Buffer.from(host.display, "latin1").toString();
    await host.until("the text", () => shown().includes("F\u00fcr \u00c4"));
    expect(await host.quit()).toBe(0);
  });

  it("RFC 6749 §3.1, §3.2 no parameters for one request are no parameters, whatever the other has", async () => {
    const { port, requests } = await answering([ok(CODE)]);
    const parameters = { deviceParameters: {}, tokenParameters: { resource: "r" } };
    const config = (await opened()).configure({ ...endpointsAt(port), ...parameters });
    const host = new HostProcess([sanitized, "--config", config]);
    await host.until("a poll", () => requests.length > 1);
    expect(requests[0]).not.toContain("resource=r");
    expect(requests[1]).toContain("&resource=r");
    expect(await host.quit()).toBe(0);
  });
});

it("a value that does not fit is named in the log, with the memory that would do", async () => {
  const tokens = { access_token: "t".repeat(6000), token_type: "Bearer", expires_in: 3600 };
  const answers = [ok(CODE), ok(JSON.stringify(tokens))];
  const own = await opened();
  const { port } = await answering(answers);
  const host = new HostProcess([sanitized, "--config", own.configure(endpointsAt(port))]);
  await host.says("(VALUE_TOO_LONG)");
  await host.says("no room for access_token of 6000 bytes; ");
  const needed = Number(/; (\d+) bytes of memory would do/.exec(host.messages)?.[1]);
  expect(host.messages).not.toContain("tttt");
  expect(await host.quit()).toBe(0);

  await new Promise((resolve) => server?.close(resolve));
  const again = endpointsAt((await answering(answers)).port);
  const enough = own.configure({ ...again, limits: { memoryBytes: needed } });
  const larger = new HostProcess([sanitized, "--config", enough]);
  await larger.says("state: SIGNED_IN");
  expect(await larger.quit()).toBe(0);
});

describe("RFC 9700 §2.6 TLS", () => {
  it("1.2 at least, whatever the machine's settings allow", async () => {
    const own = await opened("https");
    const settings = join(own.folder, "openssl.cnf");
    writeFileSync(
      settings,
      "openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\n" +
        "MinProtocol = TLSv1\nCipherString = DEFAULT@SECLEVEL=0\n",
    );

    const { ca, identities } = makeTlsIdentities();
    writeFileSync(join(own.folder, "ca.pem"), ca);
    const seen: string[] = [];
    const old = createTls(
      {
        ...identities.trusted,
        ...({ minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const),
      },
      (socket) => {
        seen.push(socket.getProtocol() ?? "");
        socket.destroy();
      },
    );
    old.on("tlsClientError", () => undefined);
    await new Promise<void>((resolve) => old.listen(0, "127.0.0.1", resolve));
    const { port } = old.address() as { port: number };
    try {
      // The control: a client that has no floor of its own gets through.
      await new Promise((resolve) =>
        connectTls({
          ...{ port, host: "127.0.0.1", rejectUnauthorized: false },
          ...({ minVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" } as const),
        })
          .on("error", resolve)
          .on("close", resolve),
      );
      expect(seen).toEqual(["TLSv1.1"]);
      const base = `https://127.0.0.1:${port}`;
      const endpoints = { deviceAuthorization: `${base}/d`, token: `${base}/t` };
      const host = new HostProcess([release, "--config", own.configure({ endpoints })], {
        OPENSSL_CONF: settings,
      });
      await host.showsReason("tlsTooOld");
      expect(seen).toEqual(["TLSv1.1"]);
      expect(await host.quit()).toBe(0);
    } finally {
      old.close();
    }
  });
});

describe("files and descriptors", () => {
  it("started with standard descriptors closed, no file takes their place", async () => {
    const own = await opened();
    const config = own.configure();
    // Twice: the second time there is a record that could be read as keys.
    for (let start = 0; start < 2; start++) {
      const script = `exec ${release} --config ${config} <&- >&- 2>${own.folder}/said`;
      const child = spawn("sh", ["-c", script], { stdio: "ignore" });
      const polls = own.answers("/token").length;
      while (own.answers("/token").length < polls + 2) {
        if (child.exitCode !== null) throw new Error(readFileSync(`${own.folder}/said`, "utf8"));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const ended = new Promise((resolve) => child.on("exit", resolve));
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
    }
    expect(readFileSync(own.recordFile).toString("latin1")).not.toContain("+---");
    expect(own.answers("/device/code")).toHaveLength(1);
  });

  it("standard input is left as it was found: those who share it go on reading", async () => {
    const config = (await opened()).configure();
    const script = `${release} --config ${config} 2>&1 >/dev/null; cat /proc/self/fdinfo/0`;
    const host = new HostProcess(["sh", "-c", script]);
    await host.until("a state", () => host.display.includes("state: PENDING"));
    await host.quit();
    const flags = Number.parseInt(/^flags:\s*(\d+)$/m.exec(host.display)![1]!, 8);
    expect(flags & 0o4000).toBe(0);
  });

  it.runIf(isRoot || process.env.CI === "true")(
    "a directory or a file of another user is refused",
    async () => {
      const own = await opened();
      const config = own.configure();
      const directory = join(own.folder, "state");
      mkdirSync(directory, { mode: 0o700 });
      chownSync(directory, 65_534, 65_534);
      const other = new HostProcess([sanitized, "--config", config]);
      expect(await other.exit()).toBe(2);
      expect(other.messages).toMatch(/^picogrant-host: \S+: its directory belongs to another user/);
      chownSync(directory, 0, 0);
      writeFileSync(own.recordFile, Buffer.alloc(16_384, 0xff), { mode: 0o600 });
      chownSync(own.recordFile, 65_534, 65_534);
      const file = new HostProcess([sanitized, "--config", config]);
      expect(await file.exit()).toBe(2);
      expect(file.messages).toMatch(/^picogrant-host: \S+records\.flash: belongs to another user/);
    },
  );

  it.each(["release", "duktape", "mujs"] as const)(
    "a second device on the same records is refused, the first goes on (%s)",
    async (kind) => {
      const own = await opened();
      const config = own.configure();
      const first = new HostProcess([programOf(kind), "--config", config]);
      await first.state("PENDING");
      const second = new HostProcess([programOf(kind), "--config", config]);
      expect(await second.exit()).toBe(2);
      expect(second.messages).toMatch(
        /^picogrant-host: \S+records\.flash: is in use by another host\n$/,
      );
      expect(own.service.approve(own.pendingCode, "ada")).toBe("granted");
      await first.state("SIGNED_IN");
      expect(await first.quit()).toBe(0);
    },
  );

  it("a directory that others can write to is refused", async () => {
    const own = await opened();
    const config = own.configure();
    mkdirSync(join(own.folder, "state"));
    chmodSync(join(own.folder, "state"), 0o777);
    const host = new HostProcess([sanitized, "--config", config]);
    expect(await host.exit()).toBe(2);
    expect(host.messages).toMatch(/others can write to its directory; chmod 700 it\n$/);
  });

  it.each([
    ["4294967296", 2],
    ["4294967297", 2],
    ["99999999999999999999", 2],
    ["-1", 2],
  ])("FORMAT.md a counter of %s, which has no 32 bits, is refused and not cut", async (counter) => {
    const host = new HostProcess([sanitized, "--counter-min", counter, "--images", "x"]);
    expect(await host.exit()).toBe(2);
    expect(host.messages).toContain(`${counter}: no option, or its value is missing or wrong`);
  });

  /** How many codes had been asked for behind each of these configurations, one after the other in one folder. */
  async function codesAskedFor(
    changes: (port: number) => readonly Record<string, unknown>[],
  ): Promise<number[]> {
    const { port, requests } = await answering([ok(CODE)]);
    const own = await opened();
    const asked: number[] = [];
    for (const change of changes(port)) {
      const host = new HostProcess([sanitized, "--config", own.configure(change)]);
      await host.state("PENDING");
      await host.kill("SIGKILL");
      asked.push(requests.filter((text) => text.startsWith("POST /device/code ")).length);
    }
    return asked;
  }

  const withToken = (port: number, token: string): Record<string, unknown> => {
    const { endpoints } = endpointsAt(port) as { endpoints: Record<string, string> };
    return { endpoints: { ...endpoints, token } };
  };

  it("what is stored for one server is nothing to another: the token endpoint's address counts, or the issuer", async () => {
    const asked = await codesAskedFor((port) => {
      const own = withToken(port, `http://127.0.0.1:${port}/token`);
      const other = withToken(port, `http://localhost:${port}/token`);
      const issued = { ...other, issuer: "https://issuer.example" };
      return [own, own, other, issued];
    });
    expect(asked).toEqual([1, 1, 2, 3]);
  });

  it("tenants of one origin share nothing (RFC 9700 §4.4)", async () => {
    const asked = await codesAskedFor((port) => {
      const at = (path: string) => withToken(port, `http://127.0.0.1:${port}${path}`);
      return [at("/a/token"), at("/a/token"), at("/b/token"), at("/b/Token"), at("/b/token?x=1")];
    });
    expect(asked).toEqual([1, 1, 2, 3, 4]);
  });

  it("an update keeps what was stored: the origin was an older host's name for the server, and counts once", async () => {
    const asked = await codesAskedFor((port) => {
      const at = (path: string) => withToken(port, `http://127.0.0.1:${port}${path}`);
      const older = { ...at("/a/token"), issuer: `http://127.0.0.1:${port}` };
      return [older, at("/a/token"), at("/a/token"), at("/b/token"), older];
    });
    expect(asked).toEqual([1, 1, 1, 2, 3]);
  });

  it("a memory that grows keeps what was stored: the file grows, its blocks stay in place", async () => {
    const own = await opened();
    let host = new HostProcess([sanitized, "--config", own.configure()]);
    await host.state("PENDING");
    await host.kill("SIGKILL");
    expect(statSync(own.recordFile).size).toBe(16_384);
    const config = own.configure({ limits: { memoryBytes: 65_535 } });
    host = new HostProcess([sanitized, "--config", config]);
    await host.state("PENDING");
    expect(own.answers("/device/code")).toHaveLength(1);
    expect(statSync(own.recordFile).size).toBe(9 * 16_384);
    expect(await host.quit()).toBe(0);
  });
});

describe("SPEC.md, Records: a disk that fails", () => {
  /** Lets every call that would write fail from the start, as a disk does that is full or read-only. */
  function broken(error: string): Record<string, string> {
    const library = `${hostFolder}broken-disk.so`;
    if (!existsSync(library)) {
      const source = fileURLToPath(new URL("c/broken-disk.c", import.meta.url));
      execFileSync("gcc", ["-shared", "-fPIC", "-O1", "-Wall", "-o", library, source, "-ldl"]);
    }
    return { LD_PRELOAD: library, BROKEN_DISK: error };
  }

  it.each(["ENOSPC", "EROFS", "EIO"])("%s: the device goes on, and says so", async (error) => {
    const own = await opened();
    const config = own.configure();
    const host = new HostProcess([release, "--config", config], broken(error));
    await host.state("PENDING");
    expect(host.messages).toMatch(/records\.flash: .*\n.*will not stay signed in/);
    expect(own.service.approve(own.pendingCode, "ada")).toBe("granted");
    await host.state("SIGNED_IN");
    await host.until("the display says so", () => /not saved/i.test(host.frame.join(" ")));
    expect(await host.quit()).toBe(0);
  });
});

describe("RFC 9700 §4.14 secrets in memory", () => {
  /** Everything that the process can read or write of its own memory, piece by piece. */
  function* memoryOf(pid: number): Generator<Buffer> {
    const memory = openSync(`/proc/${pid}/mem`, "r");
    const room = Buffer.alloc(2 ** 28);
    for (const line of readFileSync(`/proc/${pid}/maps`, "utf8").split("\n")) {
      const match = /^([\da-f]+)-([\da-f]+) rw/.exec(line);
      if (!match) continue;
      const [from, to] = [Number.parseInt(match[1]!, 16), Number.parseInt(match[2]!, 16)];
      // The sanitizers' account of all addresses is no memory of the program's.
      if (to - from > room.length) continue;
      try {
        yield room.subarray(0, readSync(memory, room, 0, to - from, from));
      } catch {
        // Some of the kernel's own pages cannot be read.
      }
    }
    closeSync(memory);
  }

  function occurrences(memory: Buffer, text: string): number {
    let count = 0;
    for (let at = memory.indexOf(text); at >= 0; at = memory.indexOf(text, at + 1)) count++;
    return count;
  }

  /** The tokens that the service has issued: as a record has them, they lie behind their lengths. */
  function tokensIn(record: string): string[] {
    const tokens = [
      ...new Set(
        readFileSync(record)
          .toString("latin1")
          .match(/pg[ar]\.[\w-]{43}/g),
      ),
    ];
    expect(tokens.length).toBeGreaterThan(0);
    return tokens;
  }

  /** How often each text is in the memory, its end counted as well: a shorter one may lie on a longer. */
  function copies(pid: number, texts: readonly string[]): number[] {
    const ends = texts.map((text) => text.slice(-16));
    const counts = texts.map(() => 0);
    for (const memory of memoryOf(pid)) {
      for (const [i, end] of ends.entries()) counts[i]! += occurrences(memory, end);
    }
    return counts;
  }

  // Nobody but root may look into the program (process.h).
  it.runIf(isRoot || process.env.CI === "true").each([
    ["http", "release"],
    ["https", "release"],
    ["http", "duktape"],
    ["http", "mujs"],
  ] as const)(
    "%s on %s: signed out, no token is left in it, and no further copy of the client's secret",
    async (protocol, kind) => {
      const own = await opened(protocol);
      const secret = "tv-secret";
      const config = own.configure({ autoStart: false });
      const host = new HostProcess([programOf(kind), "--config", config]);
      await host.state("SIGNED_OUT");
      const before = copies(host.pid, [secret]);
      expect(before[0]).toBeGreaterThan(0);
      host.press("s");
      await host.state("PENDING");
      const deviceCode = readFileSync(own.recordFile)
        .toString("latin1")
        .match(/pgd\.[\w-]{43}/)![0];
      expect(copies(host.pid, [deviceCode])[0]).toBeGreaterThan(0);
      expect(own.service.approve(own.pendingCode, "ada")).toBe("granted");
      await host.state("SIGNED_IN");
      expect(copies(host.pid, [deviceCode])).toEqual([0]);
      host.press("a");
      await host.says("api: status 200");
      const first = tokensIn(own.recordFile);
      expect(Math.min(...copies(host.pid, first))).toBeGreaterThan(0);
      // Refused, refreshed, and called again.
      own.skip(3_700_000);
      host.press("a");
      await host.says("api: status 200", 2);
      const every = [deviceCode, ...first, ...tokensIn(own.recordFile)];
      host.press("o");
      await host.state("SIGNED_OUT", 2);
      expect(copies(host.pid, every)).toEqual(every.map(() => 0));
      // Those that it was made with, or fewer.
      expect(copies(host.pid, [secret])[0]).toBeLessThanOrEqual(before[0]!);
      expect(await host.quit()).toBe(0);
    },
  );

  it.runIf(isRoot || process.env.CI === "true").each(["http", "https"] as const)(
    "%s: signed out, headers of the configuration are only where they were before the first request",
    async (protocol) => {
      const own = await opened(protocol);
      const headers = ["grant-header-7Hq2Zr9Lm4Xw", "resource-header-5Tn8Vb3Kc6Yd"] as const;
      const config = own.configure({
        autoStart: false,
        headers: { grant: { "X-Maker": headers[0] }, resource: { "X-Maker": headers[1] } },
      });
      const host = new HostProcess([release, "--config", config]);
      await host.state("SIGNED_OUT");
      const before = copies(host.pid, headers);
      expect(Math.min(...before)).toBeGreaterThan(0);
      host.press("s");
      await host.state("PENDING");
      expect(own.service.approve(own.pendingCode, "ada")).toBe("granted");
      await host.state("SIGNED_IN");
      host.press("a");
      await host.says("api: status 200");
      host.press("o");
      await host.state("SIGNED_OUT", 2);
      expect(copies(host.pid, headers)).toEqual(before);
      expect(await host.quit()).toBe(0);
    },
  );
});
