// The machines that the board's firmware is emulated on. Which one is meant is said once, before anything is built or
// run: PICOGRANT_MACHINE, which `npm run board -- --machine` sets.

/** A folder of targets/host/ports/board, with what the emulator must know of its map.h. */
export interface Machine {
  readonly name: MachineName;
  readonly emulator: string;
  /** What an image's ABI begins with: MAP_NAME. */
  readonly abi: string;
  /** In the flash that the board writes itself: where slots lie, from its beginning on, and how long they are. */
  readonly slotAt: Readonly<Record<"a" | "b", number>>;
  readonly slotBytes: number;
  /** The two sectors of the boot record, from that flash's beginning on. */
  readonly recordBytes: number;
  /** All of that flash that is used, and the size of the file behind it. */
  readonly flashBytes: number;
  readonly flashFileBytes: number;
  /** Addresses of RAM, and of the flash that firmware lies in. */
  readonly ramAt: number;
  readonly ramEnd: number;
}

const MIB = 1024 * 1024;

export const machines = {
  mps2: {
    name: "mps2",
    emulator: "qemu-system-arm",
    abi: "mps2-an385-2",
    slotAt: { a: 0x1_0000, b: 0x6_0000 },
    slotBytes: 0x5_0000,
    recordBytes: 0x2000,
    flashBytes: 0xb_8000,
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
