// What the board's firmware is built from and run on. The machines that the board's firmware is emulated on. Which one is meant is said once, before anything is built or
// run: PICOGRANT_MACHINE, which `npm run board -- --machine` sets. Debian packages that must be on
// this one; and the sources of lwIP and BearSSL, which Debian ships and this repository does not (QuickJS comes from
// where the C host gets it). Everything fetched is below dist/engines, done once.

import { existsSync } from "node:fs";
import { debianSource } from "../engines/install.ts";
import { engineNeeds, type Need, tool } from "../host/toolchain.ts";

/** A folder of targets/host/ports/board, with what the emulator must know of its map.h. */
export interface Machine {
  readonly name: MachineName;
  readonly emulator: string;
  /** The flash of the settings pages: the size of each of its two areas, and of the file behind it. */
  readonly pageBytes: number;
  readonly flashFileBytes: number;
  /** Addresses of RAM. */
  readonly ramAt: number;
  readonly ramEnd: number;
}

const MIB = 1024 * 1024;

export const machines = {
  mps2: {
    name: "mps2",
    emulator: "qemu-system-arm",
    pageBytes: 0x4000,
    flashFileBytes: 16 * MIB,
    ramAt: 0x2000_0000,
    ramEnd: 0x2100_0000,
  },
} as const satisfies Record<string, Omit<Machine, "name"> & { name: string }>;

export type MachineName = keyof typeof machines;

export const machineNames = Object.keys(machines) as MachineName[];

/** @throws RangeError for a name that is none */
export function machineOf(name: string): Machine {
  const found = machineNames.find((one) => one === name);
  if (found === undefined)
    throw new RangeError(`${name} is no machine: ${machineNames.join(", ")}`);
  return machines[found];
}

export const machine: Machine = machineOf(process.env.PICOGRANT_MACHINE ?? "mps2");

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
