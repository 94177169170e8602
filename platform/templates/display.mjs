// Display: a frame of characters. The core lays it out; you copy it to the glass.

export function makeDisplay() {
  return {
    /** Size in characters: 16..80 columns, 2..8 rows. It stays the same while the device runs. */
    columns: 20,
    rows: 4,

    /**
     * Shows a frame: `columns * rows` bytes from `cells[from]` on, row by row, each one character. They are printable
     * ASCII, 32..126, unless you replaced the display texts by others in your display's own character set.
     * Called only where something changed. The bytes are good until this returns.
     */
    show(cells, from) {},

    /** For the conformance suite only: the rows as a person sees them now. Leave it out where nothing can tell. */
    lines() {
      return [];
    },
  };
}
