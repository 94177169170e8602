// The display on a console: each frame is printed as lines.

export function makeDisplay() {
  const columns = 20;
  const rows = 4;
  let shown = [];
  return {
    columns,
    rows,
    show(cells, from) {
      shown = [];
      for (let row = 0; row < rows; row++) {
        let line = "";
        for (let column = 0; column < columns; column++) {
          const cell = cells[from + row * columns + column];
          // A terminal obeys control characters: none may reach it.
          line += cell >= 32 && cell < 127 ? String.fromCharCode(cell) : "?";
        }
        shown.push(line);
      }
      console.log(`${shown.map((line) => `|${line}|`).join("\n")}\n`);
    },
    lines: () => shown,
  };
}
