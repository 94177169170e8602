// Keeps a list on the page in step with rows: what is known stays the item it was, what is new is drawn, and each
// stands in its place.
import type { Row } from "./rows.ts";

/** An item of the list, and what it was drawn from. */
export interface Kept<Item> {
  readonly item: Item;
  readonly state: string;
}

/** What is done to a list. */
export interface List<Item> {
  insertBefore(item: Item, before: Item | null): void;
  remove(item: Item): void;
  /** The item in this place, null behind the last. */
  at(place: number): Item | null;
}

/**
 * @param kept the items of the rows before, by each of their names; renewed here
 * @param draw makes a row's item, instead of the one that it has already, if it has one
 * @returns whether anything has changed
 */
export function keepInStep<Item>(
  list: List<Item>,
  kept: Map<string, Kept<Item>>,
  rows: readonly Row[],
  draw: (row: Row, before: Item | undefined) => Item,
): boolean {
  const known = new Map(kept);
  const gone = new Set([...kept.values()].map(({ item }) => item));
  kept.clear();
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
      kept.set(one, { item, state });
    }
    if (list.at(place) === item) return;
    list.insertBefore(item, list.at(place));
    hasChanged = true;
  });
  for (const item of gone) list.remove(item);
  return hasChanged || gone.size > 0;
}

/** Changes when the row has to be drawn anew. */
function stateOf({ orders, exchanges, run, part }: Row): string {
  const last = exchanges.at(-1);
  const ends = `${orders[0]} ${orders.length} ${orders.at(-1)} ${run.length}`;
  return `${ends} ${part} ${last?.ended?.order} ${last?.said} ${last?.fault}`;
}
