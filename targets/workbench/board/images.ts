// Signed images of the board's firmware (targets/image/FORMAT.md), as their maker makes them.

import { readFileSync } from "node:fs";
import { NO_BORDER } from "../../image/format.ts";
import { makeImage } from "../../image/make.ts";
import { firmwareOf, type Kind, type Slot } from "./build.ts";
import { machine } from "./machines.ts";

export const PRODUCT = "picogrant-board";

export interface BoardImage {
  readonly kind: Kind;
  /** The slot that it is linked for. */
  readonly slot: Slot;
  readonly release: string;
  readonly counter?: number;
  readonly product?: string;
  /** Machine code in place of the kind's firmware. */
  readonly payload?: Uint8Array;
}

/** Engine and ABI of what a slot takes (loader/slots.c). */
const targetOfSlot = (slot: Slot) => ({ engine: "firmware", abi: `${machine.abi}-${slot}` });

export function makeBoardImage(parts: BoardImage, secretKey: Uint8Array): Uint8Array {
  const { kind, slot, release, counter = 1, product = PRODUCT } = parts;
  return makeImage(
    {
      ...targetOfSlot(slot),
      product,
      release,
      counter,
      border: NO_BORDER,
      payload: parts.payload ?? readFileSync(firmwareOf(kind, slot)),
      configuration: new Uint8Array(0),
    },
    secretKey,
  );
}
