// The blocks of code in a page, and what stands before each: how it is run, or why it is not.

export interface Block {
  readonly language: string;
  readonly text: string;
  /** "beside", "until TEXT", "by FILE" (a test that runs it), "not: REASON", or "". */
  readonly mark: string;
}

export function blocksOf(text: string): Block[] {
  const block = /^(?:<!-- (not )?run: ([^\n]*) -->\n)?```(\w*)\n(.*?)^```$/gms;
  return [...text.matchAll(block)].map(([, not, words = "", language, body]) => ({
    language: language!,
    text: body!,
    mark: not === undefined ? words : `not: ${words}`,
  }));
}

/** How many blocks a page has, however they are indented: as many as `blocksOf` finds, or some were missed. */
export function countBlocks(text: string): number {
  return [...text.matchAll(/^[ >]*(?:```|~~~)/gm)].length / 2;
}
