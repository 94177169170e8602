// What the device tells, where its build tells it: its clocks; the scope that the server has granted, of which those are
// kept that fit (RFC 6749 §3.3).

import { Field, State } from "../../../core/index.ts";
import { type Document, textOf, type Value } from "../ideal/json.ts";
import { type Scene, same, textAt } from "./oracle.ts";

export function checkClocks(scene: Scene): void {
  const { device, ideal } = scene;
  const { clock } = ideal;
  if (typeof device.codeLifeS !== "number") return;
  if (ideal.state === State.PENDING) {
    same(scene, "clocks", "codeLifeS", device.codeLifeS, clock.codeLifeS);
    same(scene, "clocks", "codeShown", device.codeShown, ideal.isCodeShown ? 1 : 0);
    same(scene, "clocks", "intervalMs", device.intervalMs, clock.intervalMs);
  }
  if (ideal.hasSession) {
    if (ideal.accessToken) {
      same(scene, "clocks", "accessLifeS", device.accessLifeS, clock.accessLifeS);
    }
    same(scene, "clocks", "refreshLifeS", device.refreshLifeS, clock.refreshLifeS);
  }
}

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
