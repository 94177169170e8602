// Storage in two files. A record is written beside the old one, made durable, and then takes its name: whenever
// the power goes, the slot holds the old record or the new one.

import fs from "node:fs";

const folder = process.env.STATE ?? "state";

const fileOf = (slot) => {
  if (slot !== 0 && slot !== 1) throw new RangeError(`storage: there is no slot ${slot}`);
  return `${folder}/slot-${slot}`;
};

/** Makes what was done to the folder durable: a name that was given, or taken away. */
function syncFolder() {
  const directory = fs.openSync(folder, "r");
  fs.fsyncSync(directory);
  fs.closeSync(directory);
}

/** Runs `change` and tells whether it worked. A full or broken disk is not the program's fault. */
function succeeds(change) {
  try {
    change();
    return true;
  } catch {
    return false;
  }
}

export function makeStorage() {
  // Whether the folder can be used shows in each call.
  succeeds(() => fs.mkdirSync(folder, { recursive: true, mode: 0o700 }));
  const storage = {
    capacity: 16_384,

    read(slot, into, from, to, done) {
      const file = fileOf(slot);
      if (!fs.existsSync(file)) return done(0);
      let record;
      if (!succeeds(() => (record = fs.readFileSync(file)))) return done(-1);
      if (record.length > to - from) return done(-1);
      for (let at = 0; at < record.length; at++) into[from + at] = record[at];
      done(record.length);
    },

    write(slot, bytes, from, to, done) {
      const file = fileOf(slot);
      if (to - from > storage.capacity) return done(false);
      const record = Buffer.alloc(to - from);
      for (let at = from; at < to; at++) record[at - from] = bytes[at];
      const ok = succeeds(() => {
        const draft = fs.openSync(`${file}.new`, "w", 0o600);
        try {
          fs.writeSync(draft, record);
          fs.fsyncSync(draft);
        } finally {
          fs.closeSync(draft);
        }
        fs.renameSync(`${file}.new`, file);
        syncFolder();
      });
      done(ok);
    },

    erase(slot, done) {
      const file = fileOf(slot);
      const ok = succeeds(() => {
        fs.rmSync(`${file}.new`, { force: true });
        fs.rmSync(file, { force: true });
        syncFolder();
      });
      done(ok);
    },
  };
  return storage;
}
