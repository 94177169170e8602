// The machines on which the board's firmware is emulated. PICOGRANT_MACHINE selects one before anything is built or
// run; `npm run board -- --machine` sets it. The build needs Debian packages on this machine, and the sources of lwIP
// and BearSSL, which are downloaded once from Debian's archive into dist/engines.

import { existsSync } from "node:fs";
import { debianSource } from "../engines/install.ts";
import { engineNeeds, type Need, tool } from "../host/toolchain.ts";

/** A folder of targets/host/ports/board, and the values of its map.h that the emulator needs. */
export interface Machine {
  readonly name: MachineName;
  /** Bytes of each of the two areas for settings pages, and of the file that holds the flash. */
  readonly pageBytes: number;
  readonly flashFileBytes: number;
  /** Whether a clock runs without power, and whether the Ethernet controller reports an unplugged cable. */
  readonly hasClock: boolean;
  readonly hasLink: boolean;
  readonly fitsEngine: boolean;
  /** Bytes of the EEPROM, or of the SD card that replaces it. */
  readonly eepromBytes: number;
  /** Bytes of a page of the EEPROM (MAP_EEPROM_PAGE of map.h). A write stays within one page. */
  readonly eepromPage: number;
  /** The panel's size in dots, and the position of the text in it. */
  readonly panel: { width: number; height: number; left: number; top: number };
}

const MIB = 1024 * 1024;

export const machines = {
  mps2: {
    name: "mps2",
    pageBytes: 0x4000,
    flashFileBytes: 16 * MIB,
    hasClock: true,
    hasLink: true,
    fitsEngine: true,
    eepromBytes: 32_768,
    eepromPage: 64,
    panel: { width: 96, height: 16, left: 0, top: 0 },
  },
  lm3s6965evb: {
    name: "lm3s6965evb",
    pageBytes: 0x2000,
    flashFileBytes: 0x4000,
    hasClock: false,
    hasLink: false,
    fitsEngine: false,
    // The size of the SD card, which must be a power of two.
    eepromBytes: MIB,
    eepromPage: 512,
    panel: { width: 128, height: 64, left: 16, top: 24 },
  },
} as const satisfies Record<string, Omit<Machine, "name"> & { name: string }>;

export type MachineName = keyof typeof machines;

export const machineNames = Object.keys(machines) as MachineName[];

export function machineOf(name: string): Machine {
  const found = Object.values(machines).find((one) => one.name === name);
  if (found) return found;
  throw new RangeError(`unknown machine ${name}; use one of: ${machineNames.join(", ")}`);
}

export const machine: Machine = machineOf(process.env.PICOGRANT_MACHINE ?? "mps2");

/** The Debian release with the versions of lwIP (2.1.3) and BearSSL (0.6) that the firmware supports. */
const librariesRelease = "bookworm";

/** Packages for building and running the firmware, for all machines: each is a Cortex-M. */
export const boardNeeds: readonly Need[] = [
  ...engineNeeds,
  tool("arm-none-eabi-gcc", "gcc-arm-none-eabi"),
  {
    package: "libnewlib-arm-none-eabi",
    isThere: () => existsSync("/usr/lib/arm-none-eabi/newlib/libc_nano.a"),
  },
  tool("qemu-system-arm", "qemu-system-arm"),
];

export const lwipFolder = (): string => debianSource("lwip", librariesRelease);
export const bearsslFolder = (): string => debianSource("bearssl", librariesRelease);
