// The check of an image as a board's boot loader has it: image.c with the loader's own cryptography, for a
// Cortex-M3 without a system, run by QEMU. Files, arguments and the terminal come by semihosting.

import { mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { sodiumFolder } from "../board/toolchain.ts";
import { run } from "../engines/install.ts";
import { hostFolder, refuseSpaces } from "./build.ts";
import { writeIfChanged } from "./generate.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const folder = `${hostFolder}cortex-m3`;
const program = `${folder}/check-image`;

/** The files of libsodium that verify a signature, as in the board's Makefile. */
const SODIUM = [
  "crypto_sign/ed25519/ref10/open",
  "crypto_sign/ed25519/ref10/sign",
  "crypto_core/ed25519/ref10/ed25519_ref10",
  "crypto_hash/sha512/cp/hash_sha512_cp",
  "crypto_verify/sodium/verify",
];

/** What libsodium's configure would make of version.h.in. */
function versionHeader(template: string): string {
  return template
    .replace("@VERSION@", "1.0.18")
    .replace(/@[A-Z_]*VERSION_MAJOR@/, "10")
    .replace(/@[A-Z_]*VERSION_MINOR@/, "3")
    .replace(/@[A-Z_]*@/g, "");
}

/**
 * Builds test/host/c/check-image.c with it.
 * @throws InstallError with the compiler's first complaint
 */
export function buildCheckForCortexM3(): void {
  refuseSpaces(root);
  const sodium = `${sodiumFolder()}/src/libsodium`;
  const headers = `${sodium}/include/sodium`;
  mkdirSync(`${folder}/sodium`, { recursive: true });
  const version = versionHeader(readFileSync(`${headers}/version.h.in`, "utf8"));
  writeIfChanged(`${folder}/sodium/version.h`, version);
  const includes = [
    ...[folder, `${folder}/sodium`, `${sodium}/include`, headers, `${headers}/private`],
    ...["targets/host/portable", "targets/host/ports/sodium"].map((room) => root + room),
  ];
  run("arm-none-eabi-gcc", [
    ...["-std=gnu11", "--specs=rdimon.specs", "-mcpu=cortex-m3", "-mthumb", "-Os", "-w"],
    ...["-DCONFIGURED=1", "-Wl,--section-start=.vectors=0"],
    ...includes.map((path) => `-I${path}`),
    ...["-o", program],
    ...["cortex-m3", "check-image"].map((name) => `${root}test/host/c/${name}.c`),
    `${root}targets/host/portable/image.c`,
    ...["image-crypto", "sodium-rest"].map((name) => `${root}targets/host/ports/sodium/${name}.c`),
    ...SODIUM.map((name) => `${sodium}/${name}.c`),
  ]);
}

/** The command that runs it with the arguments in a file. */
export function checkOnCortexM3(argumentsFile: string): [command: string, args: string[]] {
  return [
    "qemu-system-arm",
    [
      ...["-M", "mps2-an385", "-nographic", "-monitor", "none", "-serial", "none"],
      ...["-kernel", program],
      "-semihosting-config",
      `enable=on,target=native,arg=check-image,arg=${argumentsFile}`,
    ],
  ];
}
