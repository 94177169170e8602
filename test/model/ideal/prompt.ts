// What the display has to show, page by page, and when it changes by itself.

import { Message } from "../../../core/device/errors.ts";
import { ErrorCode, Field, State } from "../../../core/index.ts";
import { ENDLESS_S } from "./answers.ts";
import { PAGE_MS } from "./clock.ts";
import type { Ideal } from "./device.ts";
import { addressTexts, type Content, codeRow, type Layout, layOut } from "./display.ts";
import { messageOf } from "./errors.ts";

/** From then on the user is told that the session will end. */
const WARNING_S = 259_200;

/** Lines in whose place an error is told. */
const TELLS_ERROR: ReadonlySet<number> = new Set([
  Message.REQUESTING,
  Message.CONNECTING,
  State.FAILED,
]);

/** Of a code with more seconds left than these no countdown is shown: two digits of minutes. */
const COUNTDOWN_S = 5999;

export class Prompt {
  #status = "";
  #key = "";
  #layout: Layout = { pages: [""], cells: -1 };
  #page = 0;
  /** How much longer the page stays; without end where it is the only one. */
  #leftMs = 0;
  #isFirstDue = true;
  /** What the host was given last. */
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

  /** The application's own line, cut to its room. */
  setStatus(text: string): void {
    const { columns, rows } = this.#device.settings.config;
    this.#status = text.slice(0, columns * (rows - 1));
    this.turnToFirst();
  }

  #line(line: Message): string {
    return this.#texts[line] ?? "";
  }

  /** The last row when the code has `codeLifeS` left. */
  #footWith(codeLifeS: number): string {
    const device = this.#device;
    const left = device.isCodeResumed ? undefined : codeLifeS;
    return codeRow(this.#line(Message.CODE), device.userCode, left, device.settings.config.columns);
  }

  /** A code from before a restart that the server has not confirmed. */
  #isBeingChecked(): boolean {
    const device = this.#device;
    const isKept = device.state === State.PENDING && device.isCodeResumed;
    return isKept && device.clock.codeLifeS > 0;
  }

  /** Where there is no room for " ?", words stand in the place of the address. */
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
    if (device.isCodeShown) foot = this.#footWith(device.clock.codeLifeS);
    else if (this.#isBeingChecked()) foot = this.#footOfChecked();
    if (foot !== undefined && (device.isCodeShown || this.#hasMark())) {
      const line = device.isCodeShown ? Message.OPEN : this.#lineOfState(State.PENDING);
      return { texts: addressTexts(device.verificationUri, this.#line(line), columns, rows), foot };
    }
    let line: number = device.state;
    if (device.hasSession) line = device.hasAccess ? Message.SIGNED_IN : Message.CONNECTING;
    const isTold = device.error !== ErrorCode.NONE && TELLS_ERROR.has(line);
    const lines = [isTold ? this.#lineOfError() : this.#lineOfState(line)];
    const others: string[] = [];
    if (line === Message.SIGNED_IN) {
      if (device.clock.refreshLifeS < WARNING_S) lines.push(Message.EXPIRES_SOON);
      if (device.storage.notSaved) lines.push(Message.NOT_SAVED);
      others.push(this.#status);
    } else if (isTold && device.error === ErrorCode.UNKNOWN_ERROR && !device.isAnswering) {
      others.push(device.errorName.slice(0, device.room(Field.ERROR) + 1));
    }
    const texts = lines.map((number) => ({ text: this.#line(number), isMakers: true }));
    texts.push(...others.map((text) => ({ text, isMakers: false })));
    const isOut = device.state === State.SIGNED_OUT || device.state === State.FAILED;
    if (isOut && device.storage.notErased) {
      texts.push({ text: this.#line(Message.NOT_ERASED), isMakers: true });
    }
    return { texts, foot };
  }

  #lineOfError(): Message {
    const device = this.#device;
    // More memory does not widen a display.
    const isForDisplay = device.error === ErrorCode.VALUE_TOO_LONG && !device.misfits.isMemoryShort;
    return isForDisplay ? Message.FAILED : messageOf(device.error);
  }

  /** The first lines are numbered as the states. */
  #lineOfState(line: number): Message {
    return line;
  }

  /** Lays out what is to be shown now, and turns the page where its time has come. */
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
      // A text of another length begins anew; a countdown does not.
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

  /** The frame that belongs on the display now. */
  frame(): string {
    this.#update();
    return this.#layout.pages[this.#page]!;
  }

  /** What is seen between two ticks, in which nothing is laid out anew, and no page turned. */
  between<T>(look: () => T): T {
    const before = [this.#key, this.#layout, this.#page, this.#leftMs, this.#isFirstDue] as const;
    const seen = look();
    [this.#key, this.#layout, this.#page, this.#leftMs, this.#isFirstDue] = before;
    return seen;
  }

  isChanged(): boolean {
    return this.frame() !== this.shown;
  }

  /** Milliseconds until the frame changes by itself. */
  nextChangeMs(): number {
    const device = this.#device;
    const { clock } = device;
    let next = this.#leftMs;
    if (device.isCodeShown) {
      const { codeLifeS } = clock;
      const foot = this.#footWith(codeLifeS);
      if (this.#footWith(codeLifeS - 1) !== foot) next = Math.min(next, clock.msUntil(1));
      else if (codeLifeS > COUNTDOWN_S && this.#footWith(COUNTDOWN_S) !== foot) {
        next = Math.min(next, clock.msUntil(codeLifeS - COUNTDOWN_S));
      }
      return next;
    }
    if (!device.hasSession || !device.hasAccess) return next;
    next = Math.min(next, clock.msUntil(clock.accessLifeS));
    const { refreshLifeS } = clock;
    if (refreshLifeS >= WARNING_S && refreshLifeS !== ENDLESS_S) {
      next = Math.min(next, clock.msUntil(refreshLifeS - WARNING_S + 1));
    }
    return next;
  }
}
