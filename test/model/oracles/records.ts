// Records on their way to storage: their bytes, and the slot that each goes to.

import { Command } from "../../../core/index.ts";
import { encode } from "../ideal/record.ts";
import { holds, type Scene, same, textAt } from "./oracle.ts";

export function checkStorage(scene: Scene, command: number): void {
  const { device, ideal, memory } = scene;
  same(scene, "records", `the slot of ${Command[command]}`, device.slot, ideal.storage.slotDue());
  if (command === Command.ERASE) return;
  const isInside = device.data >= 0 && device.data + device.dataLength <= memory.length;
  holds(scene, "records", "the range of a record is outside the memory", isInside);
  if (command !== Command.STORE) return;
  const right = Buffer.from(encode(ideal.record(), ideal.binding)).toString("latin1");
  const seen = textAt(memory, device.data, device.dataLength);
  same(scene, "records", "the record", hex(seen), hex(right));
}

function hex(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("hex");
}
