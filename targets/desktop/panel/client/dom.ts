// Elements of the page, found and made.

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
