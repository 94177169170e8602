// Tests what other programs can learn from the C host's process: core dumps, swap, memory, and files that others can
// change. Also tests which certificates the host accepts, and how long it keeps connections open.

import {
  chmodSync,
  chownSync,
  closeSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { createServer as createTls, type TLSSocket, type TlsOptions } from "node:tls";
import { describe, expect, it } from "vitest";
import { DEMANDING, OUTDATED } from "../../targets/command/conform/conformance-server.ts";
import { countHandshakes, hostAsDevice } from "../../targets/workbench/budgets/handshakes.ts";
import { programOf } from "../../targets/workbench/host/build.ts";
import { code, tokens } from "../environment/environment.ts";
import { endpointsAt, opened, type RealEnvironment } from "../environment/real-environment.ts";
import { listening } from "../listening.ts";
import { makeCertificateCases } from "../platform/certificate-cases.ts";
import { HostProcess } from "./host-process.ts";

const release = programOf("release");
const isRoot = process.getuid?.() === 0;

const settled = (host: HostProcess): Promise<void> =>
  host.until("a notice", () => /^(?!.*Getting a code).*[A-Za-z]/.test(host.frame.join(" ")));

describe("a process that holds tokens", () => {
  it("writes no core dump, and its memory is never swapped", async () => {
    const host = new HostProcess([release, "--page", (await opened()).page()]);
    await host.state("PENDING");
    const limits = readFileSync(`/proc/${host.pid}/limits`, "utf8");
    expect(limits).toMatch(/^Max core file size\s+0\s+0\s/m);
    const status = readFileSync(`/proc/${host.pid}/status`, "utf8");
    expect(Number(/^VmLck:\s*(\d+) kB/m.exec(status)![1])).toBeGreaterThanOrEqual(64);
    expect(await host.quit()).toBe(0);
  });

  it("ignores certificate authorities in its environment", async () => {
    const own = await opened("https");
    const ca = join(own.folder, "ca.pem");
    const other = join(own.folder, "other.pem");
    renameSync(ca, other);
    const page = own.page({ http: {} });
    const host = new HostProcess([release, "--page", page], { SSL_CERT_FILE: other });
    await settled(host);
    expect(own.responses("/device/code")).toEqual([]);
    expect(await host.quit()).toBe(0);
  });
});

describe("a settings page that others can change is refused, as sshd refuses its files", () => {
  const isJudged = isRoot || process.env.CI === "true";
  it.each<[string, (page: string, own: RealEnvironment) => void, RegExp]>([
    ["of mode 646", (page) => chmodSync(page, 0o646), /every user can change it; run chmod 640 on/],
    ["of mode 664", (page) => chmodSync(page, 0o664), /its group can change it; run chmod 640 on/],
    [
      "in an open folder",
      (_, own) => chmodSync(own.folder, 0o777),
      /others can change a directory/,
    ],
    ...(isJudged
      ? [
          [
            "of another user",
            (page: string) => chownSync(page, 65_534, 65_534),
            /another user; run chown on it\n$/,
          ] as const,
        ]
      : []),
  ] as [string, (page: string, own: RealEnvironment) => void, RegExp][])(
    "%s",
    async (_, change, message) => {
      const own = await opened();
      const page = own.page();
      change(page, own);
      const host = new HostProcess([release, "--page", page]);
      expect(await host.exit()).toBe(2);
      expect(host.messages).toMatch(message);
    },
  );
});

describe("RFC 9525, RFC 5280: which certificates the C host accepts", () => {
  const { ca, cases } = makeCertificateCases("localhost");

  it.each([
    "a common name alone",
    "a common name beside a mail address",
    "a common name beside a URI",
    "for clients alone",
    "of an authority for other names",
  ])("%s", async (name) => {
    const { key, cert, isValid } = cases.find((one) => one.name === name)!;
    const own = await opened("https");
    const trust = join(own.folder, "authority.pem");
    writeFileSync(trust, ca);
    let requested = 0;
    const server = createTls({ key, cert }, (socket) => {
      socket.on("error", () => undefined).on("data", () => requested++);
      socket.end("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
    }).on("tlsClientError", () => undefined);
    const base = `https://localhost:${await listening(server)}`;
    const endpoints = { deviceAuthorization: `${base}/d`, token: `${base}/t` };
    const page = own.page({ endpoints, http: { certificates: trust } });
    const host = new HostProcess([release, "--page", page]);
    await settled(host);
    expect(requested > 0).toBe(isValid);
    expect(await host.quit()).toBe(0);
  });
});

describe("TLS failures are reported", () => {
  const { ca, cases } = makeCertificateCases("localhost");
  const { key, cert } = cases.find(({ isValid }) => isValid)!;
  const CODE = JSON.stringify(code().body);
  const respond = (socket: TLSSocket, then: () => void): void => {
    socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\n\r\n${CODE}`, then));
  };

  it.each<[string, TlsOptions, string, ((socket: TLSSocket) => void)?]>([
    ["TLS 1.2, client certificate", { ...DEMANDING, maxVersion: "TLSv1.2" }, "clientCertificate"],
    ["TLS 1.3, client certificate", { ...DEMANDING, minVersion: "TLSv1.3" }, "clientCertificate"],
    ["a version before 1.2", OUTDATED, "tlsTooOld"],
    [
      "RFC 8446 §6.1 a body that ends without a close_notify",
      {},
      "cutOff",
      (socket) => respond(socket, () => setTimeout(() => socket.destroy(), 50)),
    ],
    ["with a close_notify", {}, "", (socket) => respond(socket, () => socket.end())],
  ])("%s", async (_, options, reason, serve = () => undefined) => {
    const own = await opened("https");
    const trust = join(own.folder, "authority.pem");
    writeFileSync(trust, ca);
    const server = createTls({ key, cert, ...options }, (socket) => {
      serve(socket.on("error", () => undefined));
    }).on("tlsClientError", () => undefined);
    const base = `https://localhost:${await listening(server)}`;
    const page = own.page({ ...endpointsAt(base), http: { certificates: trust } });
    const host = new HostProcess([programOf("sanitize"), "--page", page]);
    if (reason === "") await host.state("PENDING");
    else await host.showsReason(reason);
    expect(await host.kill("SIGTERM")).toBe(0);
  });
});

describe("RFC 9112 §9.3: a connection stays open for the next request", () => {
  const host = hostAsDevice(programOf("sanitize"));

  it("as long as the server allows, minus a second", async () => {
    const stored = await countHandshakes(host, 3, 1, { keepAliveTimeout: 75_000 });
    expect(stored).toEqual({ whole: 1, resumed: 0, requests: 4 });
  });

  it.each([
    ["a second, which is too short", { keepAliveTimeout: 1000 }],
    ["no time", { close: true }],
  ])("if the server allows %s, a new connection resumes the TLS session", async (_, keeps) => {
    const { whole, resumed } = await countHandshakes(host, 3, 1, keeps);
    expect(whole + resumed).toBe(4);
    // libcurl before 8.12 stores only one TLS session for each server, and this server accepts each session once.
    expect(resumed).toBeGreaterThan(0);
  });

  const PENDING = JSON.stringify({ error: "authorization_pending" });
  const body = JSON.stringify(tokens().body);
  const STRAY = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  it.each<[string, (response: http.ServerResponse, isFirst: boolean) => void, RegExp]>([
    [
      "on a closed connection is sent once, and fails",
      (response, isFirst) => (isFirst ? response.end(PENDING) : response.socket!.destroy()),
      /TOKEN not reached/,
    ],
    [
      "is not sent after an unrequested response",
      (response) => response.end(PENDING, () => response.socket?.write(STRAY)),
      /TOKEN responded 400, AUTHORIZATION_PENDING/,
    ],
  ])("a request %s", async (_, reply, outcome) => {
    const polled = new Set<unknown>();
    let polls = 0;
    const server = http.createServer((request, response) => {
      request.resume();
      const isPoll = request.url === "/token";
      response.writeHead(isPoll ? 400 : 200, { "Keep-Alive": "timeout=75" });
      if (!isPoll) return response.end(JSON.stringify(code({ interval: 1 }).body));
      const isFirst = !polled.has(request.socket);
      polled.add(request.socket);
      polls++;
      return reply(response, isFirst);
    });
    const base = `http://127.0.0.1:${await listening(server)}`;
    const page = (await opened()).page(endpointsAt(base));
    const device = new HostProcess([programOf("sanitize"), "--page", page]);
    await device.until("polls", () => polls > 3);
    device.press("l");
    await device.measure();
    expect(device.messages).toMatch(outcome);
    expect(device.messages).not.toContain("state: SIGNED_IN");
    expect(await device.quit()).toBe(0);
  });
});

describe("RFC 9700 §4.14 secrets in memory", () => {
  function* memoryOf(pid: number): Generator<Buffer> {
    const memory = openSync(`/proc/${pid}/mem`, "r");
    const capacity = Buffer.alloc(2 ** 28);
    for (const line of readFileSync(`/proc/${pid}/maps`, "utf8").split("\n")) {
      const match = /^([\da-f]+)-([\da-f]+) rw/.exec(line);
      if (!match) continue;
      const [from, to] = [Number.parseInt(match[1]!, 16), Number.parseInt(match[2]!, 16)];
      // Skip the sanitizers' shadow memory, which does not belong to the program.
      if (to - from > capacity.length) continue;
      try {
        yield capacity.subarray(0, readSync(memory, capacity, 0, to - from, from));
      } catch {
        // Some pages of the kernel cannot be read.
      }
    }
    closeSync(memory);
  }

  function occurrences(memory: Buffer, text: string): number {
    let count = 0;
    for (let at = memory.indexOf(text); at >= 0; at = memory.indexOf(text, at + 1)) count++;
    return count;
  }

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

  /** Counts the last 16 bytes of each text in the memory, because the text's start may have been overwritten. */
  function copies(pid: number, texts: readonly string[]): number[] {
    const ends = texts.map((text) => text.slice(-16));
    const counts = texts.map(() => 0);
    for (const memory of memoryOf(pid)) {
      for (const [i, end] of ends.entries()) counts[i]! += occurrences(memory, end);
    }
    return counts;
  }

  // Only root can read the process's memory (process.c).
  it.runIf(isRoot || process.env.CI === "true").each([
    ["http", "release"],
    ["https", "release"],
    ["http", "quickjs"],
  ] as const)(
    "%s on %s: after signing out, memory contains no token and no additional copy of the client's secret",
    async (protocol, kind) => {
      const own = await opened(protocol);
      // The values of the page are in memory before the first request.
      const secret = "tv-secret";
      const texts = ["grant-header-7Hq2Zr9Lm4Xw", "resource-header-5Tn8Vb3Kc6Yd"];
      const [grant, resource] = texts.map((text) => ({ "X-Developer": text }));
      const page = own.page({ autoStart: false, headers: { grant, resource } });
      const host = new HostProcess([programOf(kind), "--page", page]);
      await host.state("SIGNED_OUT");
      const [before, ...ofTexts] = copies(host.pid, [secret, ...texts]);
      expect(Math.min(before!, ...ofTexts)).toBeGreaterThan(0);
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
      await host.printed("api: status 200");
      const first = tokensIn(own.recordFile);
      expect(Math.min(...copies(host.pid, first))).toBeGreaterThan(0);
      own.skip(3_700_000);
      host.press("a");
      await host.printed("api: status 200", 2);
      const every = [deviceCode, ...first, ...tokensIn(own.recordFile)];
      host.press("o");
      await host.state("SIGNED_OUT", 2);
      expect(copies(host.pid, every)).toEqual(every.map(() => 0));
      expect(copies(host.pid, [secret])[0]).toBeLessThanOrEqual(before!);
      expect(copies(host.pid, texts)).toEqual(ofTexts);
      expect(await host.quit()).toBe(0);
    },
  );
});
