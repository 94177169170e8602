// Entropy from the operating system, through node:crypto.

import { randomFillSync } from "node:crypto";
import type { Bytes, Entropy } from "../contracts.ts";

/** Never without entropy: Node waits for the system's generator at start-up. */
export class NodeEntropy implements Entropy {
  fill(into: Bytes, from: number, to: number): boolean {
    if (into instanceof Uint8Array) {
      randomFillSync(into, from, to - from);
      return true;
    }
    const bytes = randomFillSync(new Uint8Array(to - from));
    for (let i = from; i < to; i++) into[i] = bytes[i - from]!;
    // They may become a key: leave no copy behind.
    bytes.fill(0);
    return true;
  }
}
