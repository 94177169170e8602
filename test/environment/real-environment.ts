// Real sockets for programs and the C host: the simulated service, which can stop and start again, and a server with
// scripted responses. Also has a folder for the device's files.

import { readFileSync, writeFileSync } from "node:fs";
import http, { type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { DeviceConfig } from "../../platform/configuration/device-config.ts";
import type { FakeResponse } from "../../platform/testing/index.ts";
import { makePage, type PageSettings } from "../../targets/command/page-format.ts";
import { makeTlsIdentities } from "../../targets/service/certificates.ts";
import type { ServiceOptionsInput } from "../../targets/service/index.ts";
import { ServiceEnvironment } from "../../targets/workbench/host/service-environment.ts";
import { listen } from "../listening.ts";

type Protocol = "http" | "https";

export class RealEnvironment extends ServiceEnvironment {
  /** The device's key and its uses. With a key, the device has no secret. */
  keys: PageSettings["keys"];
  readonly #tls: ReturnType<typeof makeTlsIdentities> | undefined;

  constructor(
    readonly protocol: Protocol,
    options: ServiceOptionsInput = {},
    demands: ConstructorParameters<typeof ServiceEnvironment>[2] = {},
  ) {
    // Tolerates polls that are up to 100 ms early, because timers of clients are inexact.
    super("test", { pollToleranceMs: 100, ...options }, demands);
    if (protocol === "https") this.#tls = makeTlsIdentities();
    writeFileSync(join(this.folder, "ca.pem"), this.#tls?.ca ?? "");
  }

  get url(): string {
    return `${this.protocol}://127.0.0.1:${this.port}`;
  }

  async open(identity: "trusted" | "untrusted" | "otherName" = "trusted"): Promise<void> {
    await this.listen(this.#tls?.identities[identity]);
  }

  configure(changes: Record<string, unknown> = {}): string {
    const path = join(this.folder, "device.json");
    const config = {
      ...this.registration(this.url),
      ...(this.keys && { clientSecret: undefined, dpop: "require" }),
      storage: { directory: join(this.folder, "state"), deviceKeyFile: "/dev/null" },
      http: { certificates: join(this.folder, "ca.pem") },
      ...changes,
    };
    writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
    return path;
  }

  /** Writes a settings page, and returns its path. Of two pages, the device uses the one with the later `madeAt`. */
  page(changes: Record<string, unknown> = {}, name = "device.page", madeAt?: number): string {
    const path = join(this.folder, name);
    const text = readFileSync(this.configure(changes), "utf8");
    const { certificates } = (JSON.parse(text) as DeviceConfig).http ?? {};
    const authorities = certificates === undefined ? [] : [readFileSync(certificates, "utf8")];
    const when = madeAt === undefined ? {} : { madeAt };
    writeFileSync(path, makePage(text, { authorities, keys: this.keys, ...when }), { mode: 0o600 });
    return path;
  }

  get recordFile(): string {
    return join(this.folder, "state", "records.flash");
  }
}

export async function opened(
  protocol: Protocol = "http",
  ...more: [
    options?: ServiceOptionsInput,
    demands?: ConstructorParameters<typeof ServiceEnvironment>[2],
  ]
): Promise<RealEnvironment> {
  const environment = new RealEnvironment(protocol, ...more);
  onTestFinished(() => environment.end());
  await environment.open();
  return environment;
}

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly form: URLSearchParams;
}

export async function scripted(received: (requested: ReceivedRequest) => FakeResponse | undefined) {
  const requested: ReceivedRequest[] = [];
  const server = http.createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request));
    const one = { path: request.url!, headers: request.headers, form };
    requested.push(one);
    const output = received(one);
    if (output === undefined) return;
    const { status = 200, body = "", nonce, dateMs = Date.now() } = output;
    response.setHeader("date", new Date(dateMs).toUTCString());
    if (nonce) response.setHeader("dpop-nonce", nonce);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  const { origin, close } = await listen(server);
  onTestFinished(close);
  return { origin, requested, close };
}

export function endpointsAt(base: string, query = "") {
  return {
    endpoints: {
      deviceAuthorization: `${base}/device/code${query}`,
      token: `${base}/token${query}`,
      revocation: `${base}/revoke${query}`,
    },
  };
}
