// Servers with odd answers, and old TLS, in front of the C host; and what a maker adds to its requests.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect as connectTls, createServer as createTls } from "node:tls";
import { describe, expect, it } from "vitest";
import { makeTlsIdentities } from "../../targets/command/certificates.ts";
import { programOf } from "../../targets/workbench/host/build.ts";
import { listening } from "../listening.ts";
import { HostProcess } from "./host-process.ts";
import { opened } from "./host-world.ts";
import { answering, CODE, endpointsAt, ok } from "./scripted-answers.ts";

const release = programOf("release");
const sanitized = programOf("sanitize");

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
    const port = await listening(old);
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
  });
});
