// The scope that the server has granted: of a longer one than there is room for, those that fit (RFC 6749 §3.3).

import { Field } from "../../../core/index.ts";
import { type Document, textOf, type Value } from "../ideal/json.ts";
import { type Scene, same, textAt } from "./oracle.ts";

function scopeOf(value: Value | undefined): string | undefined {
  if (value?.kind !== "list") return textOf(value);
  return value.items.length > 0 ? value.items.map(textOf).join(" ") : undefined;
}

/** Tokens have just come with this answer. */
export function checkScope(scene: Scene, { root }: Document): void {
  const { device, memory, ideal } = scene;
  const members = root?.kind === "object" ? root.members : [];
  const scope = scopeOf(members.findLast(({ name }) => name === "scope")?.value);
  const room = ideal.room(Field.SCOPE);
  const end = scope && scope.length > room ? scope.lastIndexOf(" ", room) : undefined;
  const right = end === undefined ? scope : scope?.slice(0, Math.max(0, end));
  const size = device.length[Field.SCOPE]!;
  const seen = size < 0 ? undefined : textAt(memory, device.start[Field.SCOPE]!, size);
  same(scene, "texts", "the scope", seen, right);
}
