// Entropy on Node: the system's generator.

import { randomBytes } from "node:crypto";

export function makeEntropy() {
  return {
    fill(into, from, to) {
      const random = randomBytes(to - from);
      for (let at = from; at < to; at++) into[at] = random[at - from];
      random.fill(0);
      return true;
    },
  };
}
