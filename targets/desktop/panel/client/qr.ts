// The QR code of verification_uri_complete, to be scanned with a real phone.
import qrcode from "qrcode-generator";
import { svg } from "./svg.ts";

const QUIET = 4;

/** Draws the code of `text`, or nothing for "". */
export function drawQrCode(root: SVGSVGElement, text: string): void {
  if (root.dataset.text === text) return;
  root.dataset.text = text;
  root.replaceChildren();
  if (text === "") return;
  const code = qrcode(0, "M");
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  let path = "";
  for (let row = 0; row < count; row++) {
    for (let column = 0; column < count; column++) {
      if (code.isDark(row, column)) path += `M${column + QUIET},${row + QUIET}h1v1h-1z`;
    }
  }
  const size = count + 2 * QUIET;
  root.setAttribute("viewBox", `0 0 ${size} ${size}`);
  // White on purpose, also in dark mode: cameras want dark on light.
  root.append(svg("rect", { width: size, height: size, class: "paper" }));
  root.append(svg("path", { d: path, class: "ink" }));
}
