// What the flash storage asks of a flash chip: the calls that every NOR driver has.

/** Measures of a chip, in bytes except where the name says otherwise. */
export interface FlashGeometry {
  /** A program operation stays within one page; the storage programs each page once per erase. */
  readonly pageBytes: number;
  /** The unit of erasing; a multiple of `pageBytes`. */
  readonly blockBytes: number;
  /** How many erase blocks the storage may use; no others are touched. */
  readonly blockCount: number;
}

/** A flash driver. Calls are synchronous; one that fails throws anything. */
export interface FlashDevice {
  readonly geometry: FlashGeometry;
  /** Copies `length` bytes from address `at` to `into[intoAt..]`. */
  read(at: number, into: Uint8Array, intoAt: number, length: number): void;
  /** Clears the bits that are 0 in `bytes`; the range lies within one page. */
  program(at: number, bytes: Uint8Array): void;
  /** Sets a block to 0xff. */
  eraseBlock(block: number): void;
  /** Returns when all before it is in the cells. Drivers that never reorder have nothing to do here. */
  sync(): void;
}
