// Storage: two slots, 0 and 1, that outlive a loss of power. The core writes them in turn, so that one of them holds
// a whole record at any moment, wherever the power goes. That only works where the slots cannot harm each other:
// on flash, give each its own erase blocks; on a file system, each its own file.
//
// The records hold tokens. If anybody can read the medium out, wrap this adapter with `picogrant/sealed-storage`.

export function makeStorage() {
  return {
    /** Bytes of the longest record that a slot takes. As much as the device's memory is always enough. */
    capacity: 4096,

    /**
     * `slot` is 0 or 1, here and below; for any other `done(-1)` and `done(false)`, and nothing is touched.
     *
     * Reads a slot into `into[from]` and on, to `into[to - 1]` at the most. `done` is called once, now or later:
     * with the record's length; with 0 for an empty slot; with -1 where the slot cannot be read or the record
     * is longer than the range.
     */
    read(slot, into, from, to, done) {
      done(-1);
    },

    /**
     * Replaces a slot by `bytes[from]` up to, but not including, `bytes[to]`. `done(true)` is a promise: from this
     * moment on the record survives a loss of power. Where it cannot be kept: `done(false)`, never an exception.
     * The bytes are yours until you call `done`; keep a copy of what you need longer.
     */
    write(slot, bytes, from, to, done) {
      done(false);
    },

    /** Empties a slot, as durably as `write`. Nothing of the old record may be left to be read out. */
    erase(slot, done) {
      done(false);
    },
  };
}
