// What the C host's process gives away by itself: core dumps, the swap, its environment, files that others can change;
// and connections that somebody on the way has cut.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createServer as createTls, TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import { makeTlsIdentities } from "../../targets/command/certificates.ts";
import { programOf } from "../../targets/workbench/host/build.ts";
import { listening } from "../listening.ts";
import { makeCertificateCases } from "../platform/certificate-cases.ts";
import { HostProcess } from "./host-process.ts";
import { opened, type World } from "./host-world.ts";
import { CODE } from "./scripted-answers.ts";

const release = programOf("release");
const isRoot = process.getuid?.() === 0;

/** Until the first request has come to something. */
const settled = (host: HostProcess): Promise<void> =>
  host.until("a notice", () => /^(?!.*Getting a code).*[A-Za-z]/.test(host.frame.join(" ")));

describe("a process that holds tokens", () => {
  it("writes no core dump, and keeps its memory out of the swap", async () => {
    const host = new HostProcess([release, "--config", (await opened()).configure()]);
    await host.state("PENDING");
    const limits = readFileSync(`/proc/${host.pid}/limits`, "utf8");
    expect(limits).toMatch(/^Max core file size\s+0\s+0\s/m);
    const status = readFileSync(`/proc/${host.pid}/status`, "utf8");
    expect(Number(/^VmLck:\s*(\d+) kB/m.exec(status)![1])).toBeGreaterThanOrEqual(64);
    expect(await host.quit()).toBe(0);
  });

  it("writes no TLS secrets, whatever its environment asks for", async () => {
    const own = await opened("https");
    const secrets = join(own.folder, "tls-secrets");
    const host = new HostProcess([release, "--config", own.configure()], {
      SSLKEYLOGFILE: secrets,
    });
    await host.state("PENDING");
    expect(existsSync(secrets)).toBe(false);
    expect(await host.quit()).toBe(0);
  });

  it("trusts nobody that its environment names", async () => {
    const own = await opened("https");
    const ca = join(own.folder, "ca.pem");
    const other = join(own.folder, "other.pem");
    renameSync(ca, other);
    const config = own.configure({ http: {} });
    const host = new HostProcess([release, "--config", config], { SSL_CERT_FILE: other });
    await settled(host);
    expect(own.answers("/device/code")).toEqual([]);
    expect(await host.quit()).toBe(0);
  });

  it("overwrites each block of the engine's heap before it is given back", () => {
    const { status, error } = spawnSync(programOf("release", "heap"));
    expect([status, error]).toEqual([0, undefined]);
  });
});

describe("a configuration that others can change is refused, as sshd refuses its files", () => {
  const refusal = async (change: (config: string, own: World) => void): Promise<string> => {
    const own = await opened();
    const config = own.configure();
    change(config, own);
    const host = new HostProcess([release, "--config", config]);
    expect(await host.exit()).toBe(2);
    return host.messages;
  };

  it.each([
    [0o646, /every user can change it; run chmod 640 on it\n$/],
    [0o664, /its group can change it; run chmod 640 on it\n$/],
  ])("of mode %o", async (mode, message) => {
    expect(await refusal((config) => chmodSync(config, mode))).toMatch(message);
  });

  it("in a directory that others can change", async () => {
    const said = await refusal((_, own) => chmodSync(own.folder, 0o777));
    expect(said).toMatch(/others can change a directory that it lies in/);
  });

  it.runIf(isRoot || process.env.CI === "true")("of another user", async () => {
    const said = await refusal((config) => chownSync(config, 65_534, 65_534));
    expect(said).toMatch(/belongs to another user; run chown on it\n$/);
  });
});

describe("RFC 9112 section 9.8: an answer without a length ends with its TLS connection", () => {
  /** A server whose answers have no length; `end` says how its connections do. */
  async function ending(end: (secure: TLSSocket, raw: Socket) => void): Promise<HostProcess> {
    const own = await opened("https");
    const { ca, identities } = makeTlsIdentities();
    mkdirSync(join(own.folder, "other"));
    const trust = join(own.folder, "other", "ca.pem");
    writeFileSync(trust, ca);
    const server = createServer((raw) => {
      raw.on("error", () => undefined);
      const secure = new TLSSocket(raw, { isServer: true, ...identities.trusted });
      secure.on("error", () => undefined);
      secure.once("data", () =>
        secure.write(`HTTP/1.1 200 OK\r\n\r\n${CODE}`, () => end(secure, raw)),
      );
    });
    const base = `https://127.0.0.1:${await listening(server)}`;
    const endpoints = { deviceAuthorization: `${base}/d`, token: `${base}/t` };
    const config = own.configure({ endpoints, http: { certificates: trust } });
    return new HostProcess([release, "--config", config]);
  }

  it("in order, with a close_notify: it is taken", async () => {
    const host = await ending((secure) => secure.end());
    await host.state("PENDING");
    expect(await host.quit()).toBe(0);
  });

  it("cut, without one: it is none", async () => {
    const host = await ending((_, raw) => raw.end());
    await settled(host);
    expect(host.messages).not.toContain("PENDING");
    expect(await host.quit()).toBe(0);
  });
});

describe("RFC 9525, RFC 5280: certificates that the host in C takes and refuses", () => {
  const { ca, cases } = makeCertificateCases("localhost");

  it.each([
    "its name",
    "a common name alone",
    "a common name beside a mail address",
    "a common name beside a URI",
    "for clients alone",
    "of an authority for other names",
    "over since yesterday",
  ])("%s", async (name) => {
    const { key, cert, isGood } = cases.find((one) => one.name === name)!;
    const own = await opened("https");
    const trust = join(own.folder, "authority.pem");
    writeFileSync(trust, ca);
    let asked = 0;
    const server = createTls({ key, cert }, (socket) => {
      socket.on("error", () => undefined).on("data", () => asked++);
      socket.end("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
    }).on("tlsClientError", () => undefined);
    const base = `https://localhost:${await listening(server)}`;
    const endpoints = { deviceAuthorization: `${base}/d`, token: `${base}/t` };
    const config = own.configure({ endpoints, http: { certificates: trust } });
    const host = new HostProcess([release, "--config", config]);
    await settled(host);
    expect(asked > 0).toBe(isGood);
    expect(await host.quit()).toBe(0);
  });
});
