// The child of the SIGKILL test: writes numbered records to both slots in turn for as long as it lives, and
// tells its parent of each before and after. Also the reading side, for the parent.

import { createHash } from "node:crypto";
import { FileStorage } from "../../platform/node/file-storage.ts";

/** Counter, its digest, then bytes that follow from both: lengths differ from record to record. */
export function recordOf(counter: number): Uint8Array {
  const digest = createHash("sha256").update(String(counter)).digest();
  const length = 36 + (digest[0]! << 3);
  const record = new Uint8Array(length);
  new DataView(record.buffer).setUint32(0, counter);
  for (let i = 4; i < length; i++) record[i] = digest[i % 32]!;
  return record;
}

/** The counter of the record in a slot, 0 where it is empty; throws where it is no record of ours. */
export function counterOf(storage: FileStorage, slot: number): number {
  const into = new Uint8Array(storage.capacity);
  let length = -1;
  storage.read(slot, into, 0, into.length, (count) => {
    length = count;
  });
  if (length === 0) return 0;
  const counter = length < 4 ? 0 : new DataView(into.buffer).getUint32(0);
  const expected = recordOf(counter);
  const same = length === expected.length && expected.every((byte, i) => byte === into[i]);
  if (!same)
    throw new Error(`slot ${slot} holds neither an old nor a new record (${length} bytes)`);
  return counter;
}

function writeForEver(directory: string, first: number): void {
  const storage = new FileStorage(directory);
  let counter = first;
  const next = (): void => {
    const slot = counter % 2;
    const record = recordOf(counter);
    process.send?.({ slot, counter, done: false });
    storage.write(slot, record, 0, record.length, (ok) => {
      if (!ok) throw new Error(storage.lastFailure);
      process.send?.({ slot, counter, done: true });
    });
    counter++;
    setImmediate(next);
  };
  next();
}

// Only as the child: the parent imports the reading side from here.
const [, , directory, first, role] = process.argv;
if (role === "writer" && directory !== undefined) writeForEver(directory, Number(first));
