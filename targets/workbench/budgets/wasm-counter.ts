// Patches a counter into malloc of an engine in WebAssembly. Every call increments a word of the linear memory. The
// word is in an ArrayBuffer of the script that the engine runs, so that the script can read it without allocating.

/** The address of the cell that points to the word. Emscripten uses no memory below the static data. */
export const pointerCell = 16;

const CODE_SECTION = 10;
const IMPORT_SECTION = 2;
const EXPORT_SECTION = 7;

class Reader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte(): number {
    return this.bytes[this.at++]!;
  }

  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }

  name(): string {
    const length = this.number();
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }
}

function encode(value: number): number[] {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  bytes.push(value);
  return bytes;
}

interface Section {
  readonly id: number;
  readonly start: number;
  readonly bodyStart: number;
  readonly end: number;
}

function sections(bytes: Uint8Array): Section[] {
  const reader = new Reader(bytes, 8);
  const list: Section[] = [];
  while (reader.at < bytes.length) {
    const start = reader.at;
    const id = reader.byte();
    const size = reader.number();
    list.push({ id, start, bodyStart: reader.at, end: reader.at + size });
    reader.at += size;
  }
  return list;
}

function importedFunctions(bytes: Uint8Array, section: Section): number {
  const reader = new Reader(bytes, section.bodyStart);
  let functions = 0;
  for (let left = reader.number(); left > 0; left--) {
    reader.name();
    reader.name();
    const kind = reader.byte();
    if (kind === 0) {
      functions++;
      reader.number();
    } else if (kind === 3) {
      reader.at += 2;
    } else {
      // Kind 1 is a table, whose element type precedes its limits. Kind 2 is a memory, which has only limits.
      if (kind === 1) reader.at++;
      const hasMaximum = reader.byte() & 1;
      reader.number();
      if (hasMaximum) reader.number();
    }
  }
  return functions;
}

function exportedFunction(bytes: Uint8Array, section: Section, name: string): number {
  const reader = new Reader(bytes, section.bodyStart);
  for (let left = reader.number(); left > 0; left--) {
    const found = reader.name();
    const kind = reader.byte();
    const index = reader.number();
    if (found === name && kind === 0) return index;
  }
  throw new Error(`the WebAssembly module exports no function ${name}`);
}

/** The instructions of `*cell += 1`; `cell` is the pointer at pointerCell. */
const ADDITION = [
  ...[0x41, pointerCell, 0x28, 2, 0],
  ...[0x41, pointerCell, 0x28, 2, 0, 0x28, 2, 0],
  ...[0x41, 1, 0x6a, 0x36, 2, 0],
];

function withCounter(body: Uint8Array): number[] {
  const reader = new Reader(body);
  for (let groups = reader.number(); groups > 0; groups--) {
    reader.number();
    reader.byte();
  }
  return [...body.subarray(0, reader.at), ...ADDITION, ...body.subarray(reader.at)];
}

/** @param exportName the name under which the module exports malloc */
export function countCalls(bytes: Uint8Array, exportName: string): Uint8Array<ArrayBuffer> {
  const all = sections(bytes);
  const section = (id: number): Section => all.find((found) => found.id === id)!;
  const target =
    exportedFunction(bytes, section(EXPORT_SECTION), exportName) -
    importedFunctions(bytes, section(IMPORT_SECTION));
  const code = section(CODE_SECTION);
  const reader = new Reader(bytes, code.bodyStart);
  const count = reader.number();
  for (let index = 0; index < count; index++) {
    const start = reader.at;
    const size = reader.number();
    const body = bytes.subarray(reader.at, reader.at + size);
    reader.at += size;
    if (index !== target) continue;
    const counted = withCounter(body);
    const grown = [...encode(counted.length), ...counted];
    const before = bytes.subarray(code.bodyStart, start);
    const after = bytes.subarray(reader.at, code.end);
    const length = before.length + grown.length + after.length;
    return join([
      bytes.subarray(0, code.start),
      new Uint8Array([CODE_SECTION, ...encode(length)]),
      before,
      new Uint8Array(grown),
      after,
      bytes.subarray(code.end),
    ]);
  }
  throw new Error("the WebAssembly module has no such function");
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
