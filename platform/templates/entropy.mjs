// Entropy: random bytes that nobody can guess. The device uses them to spread its requests in time, and the sealed
// storage needs them for every record.
//
// On a microcontroller: the hardware's generator, with its health test passed. There is no second best: bytes
// from a clock, a serial number or a seed compiled into the firmware are the same in every device, or can be guessed.

export function makeEntropy() {
  return {
    /**
     * Fills `into[from]` up to, but not including, `into[to]` with random bytes 0..255.
     * @returns true; false where there is no such source: the bytes are then not used
     */
    fill(into, from, to) {
      return false;
    },
  };
}
