// The sequence diagram: person, device and service as three lines, what passes between them as arrows,
// newest at the bottom.
import type { Moment } from "../../simulator/log/moments.ts";
import type { View } from "../../simulator/view.ts";
import { svg } from "./svg.ts";

const WIDTH = 460;
const ROW = 21;
const HEAD = 30;
const LINES = { person: 54, device: 170, service: 420 } as const;
const SHOWN = 40;

interface Arrow extends Moment {
  from: keyof typeof LINES;
  to: keyof typeof LINES;
  text: string;
  kind: "request" | "good" | "wait" | "bad" | "person";
}

function arrowsOf(view: View): Arrow[] {
  const arrows: Arrow[] = [];
  for (const { atMs, order, ended, purpose, status, answer, fault } of view.exchanges) {
    arrows.push({ atMs, order, from: "device", to: "service", text: purpose, kind: "request" });
    if (ended === undefined) continue;
    const error = /(?:error|error_code)=(\w+)/.exec(answer)?.[1];
    const by = fault ? ` (${fault})` : "";
    const words = status ? `${status} ${error ?? "OK"}${by}` : `${answer}${by}`;
    const kind = status >= 200 && status < 300 && !fault ? "good" : status === 428 ? "wait" : "bad";
    arrows.push({ ...ended, from: "service", to: "device", text: words, kind });
  }
  for (const { atMs, order, state, what } of view.timeline) {
    if (state) continue;
    const toService = / allows$|^user denies$|^user removes/.test(what);
    arrows.push({
      atMs,
      order,
      from: "person",
      to: toService ? "service" : "device",
      text: what,
      kind: "person",
    });
  }
  return arrows.sort((a, b) => a.order - b.order).slice(-SHOWN);
}

/** Draws it anew where something was added; returns whether it did. */
export function drawSequence(root: SVGSVGElement, view: View): boolean {
  const arrows = arrowsOf(view);
  const last = arrows.at(-1);
  const state = `${view.exchangeCount} ${arrows.length} ${last?.atMs} ${last?.text}`;
  if (root.dataset.state === state) return false;
  root.dataset.state = state;
  const height = HEAD + Math.max(6, arrows.length) * ROW + 8;
  root.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
  const parts: SVGElement[] = [];
  for (const [name, x] of Object.entries(LINES)) {
    parts.push(svg("line", { x1: x, x2: x, y1: HEAD - 6, y2: height, class: "life" }));
    parts.push(svg("text", { x, y: 15, class: "actor", "text-anchor": "middle" }, name));
  }
  arrows.forEach((arrow, at) => {
    parts.push(...arrowParts(arrow, HEAD + at * ROW + 14));
  });
  root.replaceChildren(...parts);
  return true;
}

function arrowParts({ from, to, text, kind, atMs }: Arrow, y: number): SVGElement[] {
  const [x1, end] = [LINES[from], LINES[to]];
  const back = end > x1 ? -1 : 1;
  const tip = `${end},${y} ${end + back * 7},${y - 3.5} ${end + back * 7},${y + 3.5}`;
  const long = text.length > 38 ? `${text.slice(0, 37)}...` : text;
  // A person's words are longer than the way to the device.
  const label =
    kind === "person" && to === "device"
      ? { x: LINES.device + 8, y: y + 3.5, "text-anchor": "start" }
      : { x: (Math.max(x1, LINES.device) + Math.max(end, LINES.device)) / 2 || 0, y: y - 4 };
  return [
    svg("line", { x1, x2: end + back * 6, y1: y, y2: y, class: `arrow ${kind}` }),
    svg("polygon", { points: tip, class: `tip ${kind}` }),
    svg("text", { "text-anchor": "middle", ...label, class: `label ${kind}` }, long),
    svg("text", { x: 2, y: y + 3, class: "when" }, time(atMs)),
  ];
}

/** 0:07, 31:05, 2:00:00 */
export function time(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
