// QR codes, to be scanned with a real phone: on the panel, on the console's screen, on the printer's paper.
import { svg } from "./svg.ts";

/** Light modules around the code, without which a camera does not find it (ISO/IEC 18004). */
const QUIET = 4;

/** Draws the code whose rows are of `1` for dark and `0`; nothing for []. */
export function drawModules(root: SVGSVGElement, rows: readonly string[]): void {
  const state = rows.join("");
  if (root.dataset.state === state) return;
  root.dataset.state = state;
  root.replaceChildren();
  if (rows.length === 0) return;
  let path = "";
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) {
      if (row[x] === "1") path += `M${x + QUIET},${y + QUIET}h1v1h-1z`;
    }
  });
  const size = rows.length + 2 * QUIET;
  root.setAttribute("viewBox", `0 0 ${size} ${size}`);
  // White on purpose, also in dark mode: cameras want dark on light.
  root.append(svg("rect", { width: size, height: size, class: "paper" }));
  root.append(svg("path", { d: path, class: "ink" }));
}
