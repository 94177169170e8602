import type { View } from "../../simulator/view.ts";

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

/** Simulated time: 0:07, 31:05, 2:00:00. */
export function time(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

export function paceOf({ jumpLeftMs, paused, speed }: View["clock"]): string {
  if (jumpLeftMs > 0) return `jumps ${time(jumpLeftMs)}`;
  return paused ? "paused" : `x${speed}`;
}
