// Making of SVG elements.

export type Attributes = Readonly<Record<string, string | number>>;

export function svg(name: string, attributes: Attributes, text = ""): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text) element.textContent = text;
  return element;
}
