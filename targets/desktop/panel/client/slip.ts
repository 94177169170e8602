// The printer's slip of paper: where to go and what to enter, and both as a QR code.
import type { SlipView } from "../../simulator/view.ts";
import { drawModules } from "./qr.ts";
import { svg } from "./svg.ts";

/** Draws the last slip that came out; nothing where none has. */
export function drawSlip(place: HTMLElement, slip: SlipView | undefined): void {
  const state = slip ? `${slip.atMs} ${slip.code}` : "";
  if (place.dataset.state === state) return;
  place.dataset.state = state;
  place.replaceChildren();
  if (slip === undefined) return;
  const { heading, address, code, footing, qr } = slip;
  const lines = [...heading, address, "", code, "", ...footing];
  const text = document.createElement("p");
  for (const line of lines) {
    const row = document.createElement(line === code ? "strong" : "span");
    // An address that is longer than the paper is wide breaks behind a joint, and not inside a word.
    const parts = (line || " ").split(/(?<=[^/]\/|[a-z]\.)(?=[^/\s])/);
    row.append(...parts.flatMap((part) => [part, document.createElement("wbr")]));
    text.append(row);
  }
  const picture = svg("svg", { viewBox: "0 0 1 1" }) as SVGSVGElement;
  drawModules(picture, qr);
  place.setAttribute("aria-label", `A slip of paper: ${lines.filter(Boolean).join(" ")}`);
  place.append(text, picture);
}
