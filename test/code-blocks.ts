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

/**
 * How many blocks a page has, those too that are indented or have nothing but blanks before them: as many as `blocksOf`
 * finds, or some were missed.
 */
export function countBlocks(text: string): number {
  const fences = [...text.matchAll(/^[ >]*(?:```|~~~)/gm)].length / 2;
  const rest = text.replace(/^```.*?^```$/gms, "");
  return fences + [...rest.matchAll(/\n\n {4}\S/g)].length;
}
