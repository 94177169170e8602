// Builds the TLS server that does not know max_fragment_length: BearSSL for this machine, once, and the program.

import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { boardFolder } from "../../targets/workbench/board/build.ts";
import { bearsslFolder } from "../../targets/workbench/board/machines.ts";
import { run } from "../../targets/workbench/engines/install.ts";

const source = fileURLToPath(new URL("c/ignorant-server.c", import.meta.url));

const derOf = (pem: string): Buffer =>
  Buffer.from(pem.replace(/-----[^-]+-----/g, "").replace(/\s/g, ""), "base64");

function libraryFor(bearssl: string): string {
  const folder = `${boardFolder}native-bearssl`;
  const library = `${folder}/libbearssl.a`;
  if (existsSync(library)) return library;
  mkdirSync(folder, { recursive: true });
  const sources = readdirSync(join(bearssl, "src"), { recursive: true, encoding: "utf8" });
  const names = sources
    .filter((name) => name.endsWith(".c"))
    .map((name) => join(bearssl, "src", name));
  const rule = "%.o:; gcc -O1 -w $(FLAGS) -c -o $@ $(SOURCE_$*)\n";
  const objects = names.map((name, at) => ({ name, object: `o${at}` }));
  const makefile =
    `FLAGS = -I${bearssl}/inc -I${bearssl}/src\n` +
    `libbearssl.a: ${objects.map(({ object }) => `${object}.o`).join(" ")}\n\tar rcs $@ $^\n` +
    objects.map(({ name, object }) => `SOURCE_${object} = ${name}\n`).join("") +
    rule;
  writeFileSync(`${folder}/Makefile`, makefile);
  run("make", ["-s", `-j${cpus().length}`, "-C", folder]);
  return library;
}

/**
 * Makes the commands that serve a connection on their standard input and output.
 * @param folder where the key and the chain are put
 * @returns the command for the port of a server in clear text
 */
export function ignorantServer(
  folder: string,
  { key, chain }: { key: string; chain: readonly string[] },
): (port: number) => string {
  const bearssl = bearsslFolder();
  const program = `${boardFolder}ignorant-server`;
  const library = libraryFor(bearssl);
  run("gcc", ["-O1", "-Wall", "-Wextra", `-I${bearssl}/inc`, "-o", program, source, library]);
  writeFileSync(join(folder, "key.der"), derOf(key), { mode: 0o600 });
  const certificates = chain.map((pem, at) => {
    const file = join(folder, `certificate-${at}.der`);
    writeFileSync(file, derOf(pem));
    return file;
  });
  return (port) => [program, port, join(folder, "key.der"), ...certificates].join(" ");
}
