// What the board's firmware is built from and run on: Debian packages that must be on the machine, and the
// sources of lwIP, BearSSL and libsodium, which Debian ships and this repository does not. QuickJS comes from where
// the C host gets it. Everything fetched is below dist/engines, done once.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { InstallError, privateApt, run } from "../engines/install.ts";
import { engineNeeds, fetchOnce, type Need, tool } from "../host/toolchain.ts";
import { type MachineName, machine } from "./machines.ts";

/** Debian's release whose lwIP (2.1.3), BearSSL (0.6) and libsodium (1.0.18) the firmware is written for. */
const librariesRelease = "bookworm";

/** For building the firmware and for running it. */
const needsOf: Readonly<Record<MachineName, readonly Need[]>> = {
  mps2: [
    tool("arm-none-eabi-gcc", "gcc-arm-none-eabi"),
    {
      package: "libnewlib-arm-none-eabi",
      isThere: () => existsSync("/usr/lib/arm-none-eabi/newlib/libc_nano.a"),
    },
    tool("qemu-system-arm", "qemu-system-arm"),
  ],
  riscv32: [
    tool("riscv64-unknown-elf-gcc", "gcc-riscv64-unknown-elf"),
    {
      package: "picolibc-riscv64-unknown-elf",
      isThere: () => existsSync("/usr/lib/picolibc/riscv64-unknown-elf/lib/libc.a"),
    },
    tool("qemu-system-riscv32", "qemu-system-misc"),
  ],
};

export const boardNeeds: readonly Need[] = [...engineNeeds, ...needsOf[machine.name]];

/** The unpacked source of a library. */
function sourceFolder(name: "lwip" | "bearssl" | "libsodium"): string {
  return fetchOnce(`${name}-source`, (folder) => {
    const apt = privateApt(folder, "deb-src", librariesRelease);
    apt(["update"]);
    apt(["source", "--download-only", `${name}/${librariesRelease}`], folder);
    const description = readdirSync(folder).find((file) => file.endsWith(".dsc"));
    if (!description) throw new InstallError(`apt-get source brought no .dsc file for ${name}`);
    // apt has checked the signatures already.
    run("dpkg-source", ["--no-check", "-x", join(folder, description), join(folder, "result")]);
  });
}

export const lwipFolder = (): string => sourceFolder("lwip");
export const bearsslFolder = (): string => sourceFolder("bearssl");
export const sodiumFolder = (): string => sourceFolder("libsodium");
