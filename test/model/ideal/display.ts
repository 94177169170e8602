// The display as a reader of it would describe it: words wrapped on lines, lines on pages, and with a
// code its row at the foot of every page.

/** Words as many as fit on a line; one that is longer than a line is cut. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest) {
    let cut = rest.length;
    if (cut > columns) {
      const space = rest.lastIndexOf(" ", columns);
      cut = space > 0 ? space : columns;
    }
    lines.push(rest.slice(0, cut));
    rest = rest.slice(cut).replace(/^ +/, "");
  }
  return lines;
}

/** A text that begins a line. */
export interface Text {
  text: string;
  /** The maker's, in the display's own characters; of anybody else's only printable ASCII is shown. */
  isMakers: boolean;
}

export interface Content {
  texts: readonly Text[];
  /** The last row of each page, where there is a code. */
  foot: string | undefined;
}

/** The row with the code: its label where there is room, and how long it has left. */
export function codeRow(
  label: string,
  code: string,
  leftS: number | undefined,
  columns: number,
): string {
  let row = label.length + code.length <= columns ? label + code : code;
  if (leftS !== undefined && leftS < 6000 && row.length + 5 < columns) {
    const minutes = String(Math.floor(leftS / 60)).padStart(2, "0");
    row = `${row.padEnd(columns - 5)}${minutes}:${String(leftS % 60).padStart(2, "0")}`;
  }
  return row.padEnd(columns).slice(0, columns);
}

/**
 * An address on rows: each as long as it can be that ends behind a slash, or else behind a dot. A word that is wider
 * than the display is divided evenly.
 */
export function addressRows(address: string, columns: number): string[] {
  if (address.length <= columns) return address === "" ? [] : [address];
  const [, slash, dot] = /^(.*\/)?(.*\.)?/s.exec(address.slice(0, columns))!;
  let row = slash ?? dot;
  if (row === undefined) {
    const [word] = /^[^./]+[./]?/s.exec(address)!;
    row = word.slice(0, Math.ceil(word.length / Math.ceil(word.length / columns)));
  }
  return [row, ...addressRows(address.slice(row.length), columns)];
}

/** The address without its scheme where that makes it fit a row; with an instruction where there is room. */
export function addressTexts(uri: string, hint: string, columns: number, rows: number): Text[] {
  let address = uri;
  if (address.length > columns) address = address.replace(/^https?:\/\/(?=.)/i, "");
  const lines = addressRows(address, columns);
  const texts = lines.map((text) => ({ text, isMakers: false }));
  if (lines.length <= rows - 2) texts.unshift({ text: hint, isMakers: true });
  return texts;
}

/** Printable ASCII stays, anything else is a question mark. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?");
}

export interface Layout {
  pages: string[];
  /** Cells from the first to the last character of the text: a text of another length is another one. */
  cells: number;
}

export function layOut(content: Content, columns: number, rows: number): Layout {
  const lines: string[] = [];
  for (const { text, isMakers } of content.texts) {
    lines.push(...wrap(isMakers ? text : printable(text), columns));
  }
  const perPage = content.foot === undefined ? rows : rows - 1;
  const pages: string[] = [];
  for (let at = 0; at < Math.max(1, lines.length); at += perPage) {
    let page = "";
    for (let row = at; row < at + perPage; row++) page += (lines[row] ?? "").padEnd(columns);
    pages.push(page + (content.foot ?? ""));
  }
  const last = lines[lines.length - 1] ?? "";
  return { pages, cells: lines.length ? (lines.length - 1) * columns + last.length : 0 };
}
