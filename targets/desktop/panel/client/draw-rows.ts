// How the rows of the diagram look: arrows between person, device and service, beads for the device's states.
import type { ExchangeEntry } from "../../simulator/log/exchanges.ts";
import type { TimelineEntry } from "../../simulator/log/timeline.ts";
import type { SecurityEvent } from "../../simulator/world/maker-server.ts";
import { make, time } from "./dom.ts";
import { block } from "./exchange-detail.ts";
import { answerOf, outcomeOf, type Row } from "./rows.ts";

/** Kinds of rows, for the filter. */
export type RowKind = "requests" | "polls" | "person" | "device" | "faults";

export function kindOf({ exchanges, entry, event }: Row): RowKind {
  if (exchanges[0]?.purpose === "poll") return "polls";
  if (exchanges.length > 0 || event) return "requests";
  if (entry!.state) return "device";
  return ["world", "fault"].includes(entry!.by) ? "faults" : "person";
}

/** The line of an exchange: when, what is asked, what is answered, how much and how long. */
export function drawExchangeLine({ exchanges, part }: Row): HTMLElement {
  const first = exchanges[0]!;
  const last = exchanges.at(-1)!;
  const line = make("summary", "row exchange");
  const from = time((part === "answer" ? last.ended! : first).atMs);
  const isRun = exchanges.length > 1;
  line.append(make("time", "", from));
  if (part !== "answer") {
    const out = make("span", "way out");
    const label = make("span", "label");
    label.append(make("b", "", isRun ? `${last.purpose} × ${exchanges.length}` : last.purpose));
    if (isRun) label.append(` to ${time(last.atMs)}`);
    label.append(make("span", "target soft", ` ${last.method} ${last.target}`));
    out.append(label);
    line.append(out);
  }
  if (part !== "request" && last.ended) {
    const back = make("span", `way back ${outcomeOf(last)}`);
    const label = make("span", "label", answerOf(last));
    label.append(make("span", "figures soft", ` · ${figuresOf(last)}`));
    back.append(label);
    line.append(back);
  }
  return line;
}

/** How much came, and how long that took: "164 B · 0.2 s". Much can happen in less than a tenth. */
function figuresOf({ receivedBytes, atMs, ended }: ExchangeEntry): string {
  const tookS = (ended!.atMs - atMs) / 1000;
  const words = tookS < 10 ? tookS.toFixed(1) : Math.round(tookS);
  return `${receivedBytes} B · ${words === "0.0" ? "< 0.1" : words} s`;
}

/** A security event token (RFC 8417): what it is about, and opened, what it says. */
export function drawEvent({ atMs, how, types, claims, verdict }: SecurityEvent): HTMLElement {
  const details = make("details", "");
  const summary = make("summary", "row event");
  const isGood = !verdict.startsWith("refused");
  const way = make("span", `way back ${isGood ? "good" : "bad"}`);
  way.append(make("span", "label", `${how}: ${types.join(", ")} · ${verdict}`));
  summary.append(make("time", "", time(atMs)), way);
  const body = make("div", "detail");
  body.append(...block("Security event token, decoded", claims));
  details.append(summary, body);
  return details;
}

/** Something that is no exchange: a state of the device, what a person does, a fault. */
export function drawEntry(entry: TimelineEntry): HTMLElement[] {
  const when = make("time", "", time(entry.atMs));
  if (entry.state) {
    const row = make("div", `row state ${entry.state.replace(" ", "-")}`);
    const bead = make("span", "bead", entry.state);
    row.append(when, bead, make("span", "cause soft", entry.what));
    return BRINGS_CODE.includes(entry.what) ? [row, drawWay("device-person", "shows code")] : [row];
  }
  const row = drawWay(wayOf(entry), entry.what.replace(/ pressed$/, ""));
  row.prepend(when);
  return [row];
}

/** Events after which a code is on the display, for the person to read. */
const BRINGS_CODE = ["code received", "code found"];

function drawWay(between: string, label: string): HTMLElement {
  const row = make("div", "row");
  const way = make("span", `way ${between}`);
  way.append(make("span", "label", label));
  row.append(way);
  return row;
}

/** Between whom it passes. What the world does to them has no arrow; a fault alone looks like one. */
export function wayOf({ what, by }: Pick<TimelineEntry, "what" | "by">): string {
  if (by === "button" || what.startsWith("power ")) return "person-device";
  if (by === "fault") return "world-strip fault";
  return by === "person" ? "person-service" : by === "maker" ? "maker-service" : "world-strip";
}
