// Computes the content of the display. Lines are divided into pages. A code that is shown is in the last row of each
// page.

import { Message } from "../../../core/device/errors.ts";
import { ErrorCode, Field, State } from "../../../core/index.ts";
import type { Ideal } from "./device.ts";
import { PAGE_MS } from "./purposes.ts";
import { ENDLESS_S, messageOf } from "./responses.ts";

/** Wraps at spaces, and cuts words that are longer than a line. */
function wrap(text: string, columns: number): string[] {
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

interface Text {
  text: string;
  /**
   * Whether the text is the developer's and may use all characters of the display. Other texts have only printable ASCII.
   */
  isManufacturers: boolean;
}

interface Content {
  texts: readonly Text[];
  foot: string | undefined;
}

function codeRow(label: string, code: string, leftS: number | undefined, columns: number): string {
  let row = label.length + code.length <= columns ? label + code : code;
  if (leftS !== undefined && leftS < 6000 && row.length + 5 < columns) {
    const minutes = String(Math.floor(leftS / 60)).padStart(2, "0");
    row = `${row.padEnd(columns - 5)}${minutes}:${String(leftS % 60).padStart(2, "0")}`;
  }
  return row.padEnd(columns).slice(0, columns);
}

/** Splits an address into few rows: after a slash, or else after a dot. Divides a part longer than a row evenly. */
function addressRows(address: string, columns: number): string[] {
  if (address.length <= columns) return address === "" ? [] : [address];
  const [, slash, dot] = /^(.*\/)?(.*\.)?/s.exec(address.slice(0, columns))!;
  let row = slash ?? dot;
  if (row === undefined) {
    const [word] = /^[^./]+[./]?/s.exec(address)!;
    row = word.slice(0, Math.ceil(word.length / Math.ceil(word.length / columns)));
  }
  return [row, ...addressRows(address.slice(row.length), columns)];
}

/** Omits the scheme if the address is longer than a row. Adds an instruction if there is space. */
function addressTexts(uri: string, hint: string, columns: number, rows: number): Text[] {
  let address = uri;
  if (address.length > columns) address = address.replace(/^https?:\/\/(?=.)/i, "");
  const lines = addressRows(address, columns);
  const texts = lines.map((text) => ({ text, isManufacturers: false }));
  if (lines.length <= rows - 2) texts.unshift({ text: hint, isManufacturers: true });
  return texts;
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?");
}

interface Layout {
  pages: string[];
  /** The number of cells from the first to the last character of the whole text. */
  cells: number;
}

function layOut(content: Content, columns: number, rows: number): Layout {
  const lines: string[] = [];
  for (const { text, isManufacturers } of content.texts) {
    lines.push(...wrap(isManufacturers ? text : printable(text), columns));
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

/** The display warns the user this long before the end of the session. */
const WARNING_S = 259_200;

const REPORTS_ERROR: ReadonlySet<number> = new Set([
  Message.REQUESTING,
  Message.CONNECTING,
  State.FAILED,
]);

/** The countdown has two digits for minutes, so this is the longest time it can show. */
const COUNTDOWN_S = 5999;

export class Prompt {
  #status = "";
  #key = "";
  #layout: Layout = { pages: [""], cells: -1 };
  #page = 0;
  #leftMs = 0;
  #isFirstDue = true;
  shown: string | undefined;

  readonly #device: Ideal;
  readonly #texts: readonly string[];

  constructor(device: Ideal, texts: readonly string[]) {
    this.#device = device;
    this.#texts = texts;
  }

  advance(elapsedMs: number): void {
    if (elapsedMs > 0) this.#leftMs = Math.max(0, this.#leftMs - elapsedMs);
  }

  turnToFirst(): void {
    this.#isFirstDue = true;
  }

  setStatus(text: string): void {
    const { columns, rows } = this.#device.settings.config;
    this.#status = text.slice(0, columns * (rows - 1));
    this.turnToFirst();
  }

  #line(line: Message): string {
    return this.#texts[line] ?? "";
  }

  #footWith(codeLifetimeS: number): string {
    const device = this.#device;
    const left = device.isCodeResumed ? undefined : codeLifetimeS;
    return codeRow(this.#line(Message.CODE), device.userCode, left, device.settings.config.columns);
  }

  /** Whether a code from a record is unexpired. Callers check first that it is not confirmed (`isCodeShown`). */
  #isBeingChecked(): boolean {
    const device = this.#device;
    const isStored = device.state === State.PENDING && device.isCodeResumed;
    return isStored && device.clock.codeLifetimeS > 0;
  }

  /** Whether " ?" fits after the code. If not, a text replaces the address. */
  #hasMark(): boolean {
    const { userCode, settings } = this.#device;
    return userCode.length + 2 <= settings.config.columns;
  }

  #footOfChecked(): string {
    const { userCode, settings } = this.#device;
    const { columns } = settings.config;
    if (!this.#hasMark()) return userCode.padEnd(columns);
    const labelled = this.#line(Message.CODE) + userCode;
    const text = labelled.length + 2 <= columns ? labelled : userCode;
    return `${text.padEnd(columns - 1)}?`;
  }

  #content(): Content {
    const device = this.#device;
    const { columns, rows } = device.settings.config;
    let foot: string | undefined;
    if (device.isCodeShown) foot = this.#footWith(device.clock.codeLifetimeS);
    else if (this.#isBeingChecked()) foot = this.#footOfChecked();
    if (foot !== undefined && (device.isCodeShown || this.#hasMark())) {
      // The messages start with one for each state, in the same order.
      const line: number = device.isCodeShown ? Message.OPEN : State.PENDING;
      return { texts: addressTexts(device.verificationUri, this.#line(line), columns, rows), foot };
    }
    let line: number = device.state;
    if (device.hasSession) {
      line = device.hasAccess || this.#isCalm() ? Message.SIGNED_IN : Message.CONNECTING;
    }
    const isReported = device.error !== ErrorCode.NONE && REPORTS_ERROR.has(line);
    const lines: Message[] = [isReported ? this.#lineOfError() : line];
    const others: string[] = [];
    if (line === Message.SIGNED_IN) {
      if (device.clock.refreshLifetimeS < WARNING_S) lines.push(Message.EXPIRES_SOON);
      if (device.storage.notSaved) lines.push(Message.NOT_SAVED);
      others.push(this.#status);
    } else if (isReported && device.error === ErrorCode.UNKNOWN_ERROR && !device.isResponding) {
      others.push(device.errorName.slice(0, device.capacity(Field.ERROR)));
    }
    const texts = lines.map((number) => ({ text: this.#line(number), isManufacturers: true }));
    texts.push(...others.map((text) => ({ text, isManufacturers: false })));
    const isOut = device.state === State.SIGNED_OUT || device.state === State.FAILED;
    if (isOut && device.storage.notErased) {
      texts.push({ text: this.#line(Message.NOT_ERASED), isManufacturers: true });
    }
    return { texts, foot };
  }

  #lineOfError(): Message {
    const device = this.#device;
    // If a text is too long for the display, more memory does not help.
    const isForDisplay = device.error === ErrorCode.VALUE_TOO_LONG && !device.misfits.memoryNeeded;
    return isForDisplay ? Message.FAILED : messageOf(device.error);
  }

  #isCalm(): boolean {
    return this.#device.state === State.SIGNED_IN && this.#device.clock.restS > 0;
  }

  #update(): void {
    const content = this.#content();
    const lines = content.texts.map(({ text }) => text).join("\n");
    const key = `${lines}\n\n${content.foot ?? ""}`;
    let isFirst = this.#isFirstDue;
    if (key !== this.#key) {
      this.#key = key;
      const { columns, rows } = this.#device.settings.config;
      const { cells } = this.#layout;
      this.#layout = layOut(content, columns, rows);
      // After a change of the text's length, paging starts at the first page. A countdown does not change the length.
      if (this.#layout.cells !== cells) isFirst = true;
    }
    const { pages } = this.#layout;
    if (isFirst) {
      this.#page = 0;
      this.#leftMs = PAGE_MS;
    } else if (this.#leftMs === 0) {
      this.#page = (this.#page + 1) % pages.length;
      this.#leftMs = PAGE_MS;
    }
    if (pages.length === 1) this.#leftMs = Number.POSITIVE_INFINITY;
    if (this.#page >= pages.length) this.#page = 0;
    this.#isFirstDue = false;
  }

  frame(): string {
    this.#update();
    return this.#layout.pages[this.#page]!;
  }

  between<T>(look: () => T): T {
    const before = [this.#key, this.#layout, this.#page, this.#leftMs, this.#isFirstDue] as const;
    const seen = look();
    [this.#key, this.#layout, this.#page, this.#leftMs, this.#isFirstDue] = before;
    return seen;
  }

  isChanged(): boolean {
    return this.frame() !== this.shown;
  }

  nextChangeMs(): number {
    const device = this.#device;
    const { clock } = device;
    let next = this.#leftMs;
    if (device.isCodeShown) {
      const { codeLifetimeS } = clock;
      const foot = this.#footWith(codeLifetimeS);
      if (this.#footWith(codeLifetimeS - 1) !== foot) next = Math.min(next, clock.msUntil(1));
      else if (codeLifetimeS > COUNTDOWN_S && this.#footWith(COUNTDOWN_S) !== foot) {
        next = Math.min(next, clock.msUntil(codeLifetimeS - COUNTDOWN_S));
      }
      return next;
    }
    if (!device.hasSession || !(device.hasAccess || this.#isCalm())) return next;
    const isMissed = !this.#isCalm() || clock.restS < clock.accessLifetimeS;
    if (device.hasAccess && isMissed) next = Math.min(next, clock.msUntil(clock.accessLifetimeS));
    // In the pause after a refresh, the display does not report a missing access token.
    const isHidden = this.#isCalm() && !(device.hasAccess && isMissed);
    if (isHidden) next = Math.min(next, clock.msUntil(clock.restS));
    const { refreshLifetimeS } = clock;
    if (refreshLifetimeS >= WARNING_S && refreshLifetimeS !== ENDLESS_S) {
      next = Math.min(next, clock.msUntil(refreshLifetimeS - WARNING_S + 1));
    }
    return next;
  }
}
