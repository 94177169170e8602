// Finds the code blocks of a Markdown page. A mark before a block states how a test runs it, or why no test does.

export interface Block {
  readonly language: string;
  readonly text: string;
  /** "beside", "until TEXT", "by FILE" (the test that runs it), "not: REASON", or "". */
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

/** Counts code blocks of all forms, also indented ones. A page must have only blocks that `blocksOf` finds. */
export function countBlocks(text: string): number {
  const fences = [...text.matchAll(/^[ >]*(?:```|~~~)/gm)].length / 2;
  const rest = text.replace(/^```.*?^```$/gms, "");
  return fences + [...rest.matchAll(/\n\n {4}\S/g)].length;
}
