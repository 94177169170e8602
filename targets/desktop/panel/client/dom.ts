// Elements of the page, found and made; times in words; QR codes.

export function element<T extends Element = HTMLElement>(id: string): T {
  return document.getElementById(id) as unknown as T;
}

export function setText(id: string, text: string): void {
  const target = element(id);
  if (target !== null && target.textContent !== text) target.textContent = text;
}

export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  text = "",
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

export type Attributes = Readonly<Record<string, string | number>>;

export function svg(name: string, attributes: Attributes, text = ""): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text) element.textContent = text;
  return element;
}

/** Time since the world began, here and in the terminal: 0:07, 31:05, 2:00:00. */
export function time(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

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
  root.append(svg("rect", { width: size, height: size, fill: "#fff" }));
  root.append(svg("path", { d: path, fill: "#111" }));
}
