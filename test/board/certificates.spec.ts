// Runs the certificate table (RFC 5280, RFC 9525) on the board's own check: tls.c and certificate.c with BearSSL,
// compiled for this machine with sanitizers.

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { bearsslFolder } from "../../targets/workbench/board/machines.ts";
import { run } from "../../targets/workbench/engines/install.ts";
import { numbersHeader } from "../../targets/workbench/host/generate.ts";
import { makeCertificateCases } from "../platform/certificate-cases.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const out = `${root}dist/board-certificates`;
const { ca, cases } = makeCertificateCases();

/** The board refuses these certificates, although they are valid. */
const DIFFERS = ["its address", "for servers, as it says critically"];

function hexOf(pem: string): string[] {
  const blocks = pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END/g);
  return [...blocks].map(([, text = ""]) => Buffer.from(text, "base64").toString("hex"));
}

function build(): void {
  const bearssl = bearsslFolder();
  mkdirSync(`${out}/bearssl`, { recursive: true });
  writeFileSync(`${out}/picogrant-numbers.h`, numbersHeader());
  const jobs = `-j${cpus().length}`;
  run("make", ["-s", jobs, "-C", bearssl, `BUILD=${out}/bearssl`, "lib", "DLL=no", "TOOLS=no"]);
  const host = `${root}targets/host`;
  run("gcc", [
    ...["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror"],
    ...["-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    ...[`-I${host}/ports/board`, `-I${host}/portable`, `-I${out}`, "-isystem", `${bearssl}/inc`],
    ...["-DTLS_SMALL_BUFFERS=1", "-o", `${out}/certificates`],
    `${root}test/board/c/certificates.c`,
    ...["tls", "certificate"].map((name) => `${host}/ports/board/${name}.c`),
    ...["wall-clock", "http-response"].map((name) => `${host}/portable/${name}.c`),
    `${out}/bearssl/libbearssl.a`,
  ]);
}

function output(host: string, cert: string): string {
  const input = `${hexOf(ca)[0]}\n${[host, ...hexOf(cert)].join(" ")}\n`;
  const { stdout, stderr, status } = spawnSync(`${out}/certificates`, { input, encoding: "utf8" });
  expect(status, stderr).toBe(0);
  return stdout.trim();
}

beforeAll(build);

describe("RFC 5280, RFC 9525: which certificates of servers are valid", () => {
  it.each(cases)("$name, for $host: $isValid", ({ name, host, isValid, cert }) => {
    expect(output(host, cert) === "0").toBe(isValid && !DIFFERS.includes(name));
  });
});

it("a server without max_fragment_length (RFC 6066 section 4): a board with small buffers reports the reason", () => {
  expect(output("localhost", "")).toContain(
    "it does not know max_fragment_length; build with TLS_BUFFERS=full",
  );
});
