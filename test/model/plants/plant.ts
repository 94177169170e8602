// How a fault in the core is written down: texts that stand once in a file, and what stands there instead.

interface Edit {
  /** In core/. */
  file: string;
  find: string;
  replacement: string;
}

export interface Planted {
  name: string;
  edits: readonly Edit[];
  /** One of those in which values shared bytes, or calls and the grant each other's state. */
  isShared: boolean;
}

export function shared(name: string, ...edits: Edit[]): Planted {
  return { name, edits, isShared: true };
}

export function other(name: string, file: string, find: string, replacement: string): Planted {
  return { name, edits: [{ file, find, replacement }], isShared: false };
}

export function edit(file: string, find: string, replacement: string): Edit {
  return { file, find, replacement };
}
