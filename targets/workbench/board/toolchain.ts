// What the board's firmware is built from and run on: Debian packages that must be on the machine, and the
// sources of lwIP and BearSSL, which Debian ships and this repository does not. QuickJS comes from where
// the C host gets it. Everything fetched is below dist/engines, done once.

import { existsSync } from "node:fs";
import { debianSource } from "../engines/install.ts";
import { engineNeeds, type Need, tool } from "../host/toolchain.ts";
import { type MachineName, machine } from "./machines.ts";

/** Debian's release whose lwIP (2.1.3) and BearSSL (0.6) the firmware is written for. */
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
};

export const boardNeeds: readonly Need[] = [...engineNeeds, ...needsOf[machine.name]];

export const lwipFolder = (): string => debianSource("lwip", librariesRelease);
export const bearsslFolder = (): string => debianSource("bearssl", librariesRelease);
