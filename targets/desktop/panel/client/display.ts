// QR codes for a real phone: on the panel, on the console's screen, and on the printer's paper together with address
// and code.
import type { SlipView } from "../../simulator/view.ts";
import { svg } from "./dom.ts";

/** Width of the quiet zone (ISO/IEC 18004). */
const QUIET = 4;

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
  // White also in dark mode: cameras need dark on light.
  root.append(svg("rect", { width: size, height: size, fill: "#fff" }));
  root.append(svg("path", { d: path, fill: "#111" }));
}

export function drawSlip(place: HTMLElement, slip: SlipView | undefined): void {
  const state = slip ? `${slip.atMs} ${slip.code}` : "";
  if (place.dataset.state === state) return;
  place.dataset.state = state;
  place.replaceChildren();
  if (slip === undefined) return;
  const { heading, address, code, footing, qr } = slip;
  const lines = [heading, address, "", code, "", footing];
  const text = document.createElement("p");
  for (const line of lines) {
    const row = document.createElement(line === code ? "strong" : "span");
    // Wraps an address that is too long for the paper after a separator, not inside a word.
    const parts = (line || " ").split(/(?<=[^/]\/|[a-z]\.)(?=[^/\s])/);
    row.append(...parts.flatMap((part) => [part, document.createElement("wbr")]));
    text.append(row);
  }
  const picture = svg("svg", { viewBox: "0 0 1 1" }) as SVGSVGElement;
  drawModules(picture, qr);
  place.setAttribute("aria-label", `A slip of paper: ${lines.filter(Boolean).join(" ")}`);
  place.append(text, picture);
}
