// The rows of the diagram in order. An exchange has one row, or two if something else happened between request and
// response. Consecutive polls with authorization_pending share a row.

import type { SecurityEvent } from "../../simulator/environment/manufacturer-server.ts";
import type { LastingFault, PassingFault } from "../../simulator/environment/network.ts";
import type { ExchangeEntry } from "../../simulator/log/exchanges.ts";
import type { TimelineEntry } from "../../simulator/log/timeline.ts";
import type { View } from "../../simulator/view.ts";

export type Part = "whole" | "request" | "response";

export interface Row {
  readonly names: readonly string[];
  readonly orders: readonly number[];
  readonly part: Part;
  readonly exchanges: readonly ExchangeEntry[];
  readonly entry: TimelineEntry | undefined;
  readonly event: SecurityEvent | undefined;
}

export type Outcome = "good" | "wait" | "bad" | "under way";

export type Happened = Pick<View, "fromOrder" | "exchanges" | "timeline" | "events">;

/** After a poll, authorization_pending (RFC 8628 §3.5) is not an error. */
export function outcomeOf({ ended, status, output, fault, purpose }: ExchangeEntry): Outcome {
  if (ended === undefined) return "under way";
  if (output === "authorization_pending" && purpose === "poll") return "wait";
  const isWhole = fault === "" || fault === "slow";
  return output === "OK" && status >= 200 && status < 300 && isWhole ? "good" : "bad";
}

export const DONE_BY: Readonly<Record<LastingFault | PassingFault, string>> = {
  offline: "network unplugged",
  drop: "lost on the way",
  slow: "late",
  corrupt: "garbled",
  "captive-portal": "from a hotspot",
  unavailable: "service down",
  "slow-down": "by request",
  "lose-response": "lost on the way",
  "repeat-poll": "sent twice",
  "wrong-grant-type": "changed on the way",
  "cut-poll": "cut short on the way",
};

/** Examples: "428 authorization_pending", "503 not JSON (service down)". */
export function responseOf({ ended, status, output, fault }: ExchangeEntry): string {
  if (ended === undefined) return "";
  const by = fault ? ` (${DONE_BY[fault as keyof typeof DONE_BY]})` : "";
  return `${status ? `${status} ` : ""}${output}${by}`;
}

export function rowsOf(happened: Happened): Row[] {
  const whole: Row[] = [];
  for (const row of happenings(happened)) addJoined(whole, row, isResponseTo);
  const folded: Row[] = [];
  for (const row of whole) addJoined(folded, row, isPollAgain);
  return folded;
}

function happenings({ fromOrder, exchanges, timeline, events }: Happened): Row[] {
  const rows: Row[] = [];
  const add = (order: number, what: Partial<Row>, name: string): void => {
    if (order < fromOrder) return;
    const nothing = {
      exchanges: [],
      entry: undefined,
      event: undefined,
      part: "whole",
    } as const;
    rows.push({ ...nothing, ...what, orders: [order], names: [`${order} ${name}`] });
  };
  for (const exchange of exchanges) {
    const name = `${exchange.atMs} ${exchange.purpose}`;
    add(exchange.order, { exchanges: [exchange], part: "request" }, name);
    if (!exchange.ended) continue;
    add(exchange.ended.order, { exchanges: [exchange], part: "response" }, `${name} responded`);
  }
  for (const entry of timeline) add(entry.order, { entry }, `${entry.atMs} ${entry.what}`);
  for (const event of events) add(event.order, { event }, `${event.atMs} ${event.verdict}`);
  return rows.sort((a, b) => a.orders[0]! - b.orders[0]!);
}

function addJoined(rows: Row[], row: Row, belong: (before: Row, row: Row) => boolean): void {
  const before = rows.at(-1);
  if (before === undefined || !belong(before, row)) {
    rows.push(row);
    return;
  }
  const fresh = row.exchanges.filter(({ id }) => id !== before.exchanges.at(-1)!.id);
  const exchanges = [...before.exchanges, ...fresh];
  rows[rows.length - 1] = {
    ...before,
    part: "whole",
    exchanges,
    names: [...before.names, ...row.names],
    orders: [...before.orders, ...row.orders],
  };
}

function isResponseTo(before: Row, { part, exchanges: [responded] }: Row): boolean {
  return (
    part === "response" && before.part === "request" && before.exchanges[0]!.id === responded!.id
  );
}

function isPollAgain(before: Row, row: Row): boolean {
  return isWaiting(before) && isWaiting(row);
}

function isWaiting({ part, exchanges }: Row): boolean {
  const last = exchanges.at(-1);
  return part === "whole" && last !== undefined && outcomeOf(last) === "wait" && !last.fault;
}

/** An item on the page, with the state of its row when it was drawn. */
export interface Stored<Item> {
  readonly item: Item;
  readonly state: string;
}

export interface List<Item> {
  insertBefore(item: Item, before: Item | null): void;
  remove(item: Item): void;
  at(place: number): Item | null;
}

/**
 * Shows `rows` on the page. `stored` maps the names of drawn rows to their items, and is updated. `draw` also receives
 * the previous item of a row, if there is one. Returns whether anything has changed.
 */
export function updateList<Item>(
  list: List<Item>,
  stored: Map<string, Stored<Item>>,
  rows: readonly Row[],
  draw: (row: Row, before: Item | undefined) => Item,
): boolean {
  const known = new Map(stored);
  const gone = new Set([...stored.values()].map(({ item }) => item));
  stored.clear();
  let hasChanged = false;
  rows.forEach((row, place) => {
    const name = row.names.find((one) => known.has(one));
    const before = name === undefined ? undefined : known.get(name);
    const state = stateOf(row);
    const isSame = before?.state === state && gone.has(before.item);
    const item = isSame ? before.item : draw(row, before?.item);
    if (isSame) gone.delete(item);
    for (const one of row.names) {
      known.delete(one);
      stored.set(one, { item, state });
    }
    if (list.at(place) === item) return;
    list.insertBefore(item, list.at(place));
    hasChanged = true;
  });
  for (const item of gone) list.remove(item);
  return hasChanged || gone.size > 0;
}

/** If this text changes, the row must be drawn again. */
function stateOf({ orders, exchanges, part }: Row): string {
  const last = exchanges.at(-1);
  const ends = `${orders[0]} ${orders.length} ${orders.at(-1)}`;
  return `${ends} ${part} ${last?.ended?.order} ${last?.output} ${last?.fault}`;
}
