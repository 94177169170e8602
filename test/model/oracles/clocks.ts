// What the device tells of its clocks, where its build tells it.

import { State } from "../../../core/index.ts";
import { type Scene, same } from "./oracle.ts";

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
