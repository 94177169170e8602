// Parses scenario files: settings, and a sequence of steps (steps.ts) and expectations (player.ts).
import { type Language, languages } from "../../../platform/display/languages.ts";
import type { ServiceOptionsInput } from "../../service/options.ts";
import { deviceKind } from "../simulator/device/kinds.ts";
import { isStep, readDuration, readValue, StepError } from "../simulator/steps.ts";

export interface Settings {
  columns: number;
  rows: number;
  account: string;
  rotate: boolean;
  /** The id of a client in the fixture. Default: the usual client of the device. */
  client?: string;
  device?: string;
  language?: Language;
  options?: ServiceOptionsInput;
}

export const USUAL: Settings = { columns: 20, rows: 4, account: "ada", rotate: false };

export type Line = { readonly number: number; readonly text: string } & (
  | { readonly kind: "step" }
  /** The display shows the text, in one row or wrapped: now, or within `withinMs` if that is not 0. */
  | { readonly kind: "shows"; readonly expected: string; readonly withinMs: number }
  | { readonly kind: "shows not"; readonly expected: string }
  /** `?` matches any character. */
  | { readonly kind: "frame"; readonly expected: readonly string[] }
  | { readonly kind: "state"; readonly expected: string }
  /** `call` is the result of the last call, and `event` the last security event with its verdict. */
  | { readonly kind: "call"; readonly expected: string }
  | { readonly kind: "event"; readonly expected: string; readonly withinMs: number }
  /** A part of the error's name, source and remedy, such as "access_denied from the authorization server". */
  | { readonly kind: "reason"; readonly expected: string }
  | { readonly kind: "slip"; readonly expected: string }
  | {
      readonly kind: "count";
      readonly what: string;
      readonly least: number;
      readonly most: number;
    }
);

export interface Scenario {
  readonly name: string;
  readonly settings: Settings;
  readonly lines: readonly Line[];
}

/** The message contains the scenario's name and the line number. */
export class ScenarioError extends Error {}

export function readScenario(name: string, text: string): Scenario {
  const settings: Settings = { ...USUAL };
  const lines: Line[] = [];
  const source = text.split("\n");
  for (let at = 0; at < source.length; at++) {
    const line = source[at]!.trim();
    if (line === "" || line.startsWith("#")) continue;
    try {
      if (line === "expect frame") {
        const expected: string[] = [];
        const number = at + 1;
        while (/^\s*\|.*\|\s*$/.test(source[at + 1] ?? "")) {
          expected.push(source[++at]!.trim().slice(1, -1));
        }
        lines.push({ kind: "frame", expected, number, text: line });
      } else if (!readSetting(settings, line)) lines.push(readLine(line, at + 1));
    } catch (error) {
      throw new ScenarioError(`${name}, line ${at + 1}: ${(error as Error).message}`);
    }
  }
  return { name, settings, lines };
}

function readSetting(settings: Settings, line: string): boolean {
  const [, name, value = ""] = /^(with)\s+(.*)$/.exec(line) ?? [];
  if (name === undefined) return false;
  const [, columns, rows] = /^display (\d{2})x(\d)$/.exec(value) ?? [];
  const account = /^account (\S+)$/.exec(value)?.[1];
  if (columns !== undefined) Object.assign(settings, { columns: +columns, rows: Number(rows) });
  else if (account !== undefined) settings.account = account;
  else if (value === "rotation") settings.rotate = true;
  else if (!readFurther(settings, value)) {
    throw new StepError(
      'after "with" comes display 16x2, account NAME, client NAME, device NAME, language de, option NAME VALUE or rotation',
    );
  }
  return true;
}

function readFurther(settings: Settings, value: string): boolean {
  const [, what, name = "", rest] =
    /^(client|device|language|option) (\S+)(?: (\S+))?$/.exec(value) ?? [];
  if (what === "client") settings.client = name;
  else if (what === "device") {
    const kind = deviceKind(name);
    if (kind === undefined) throw new StepError(`there is no device "${name}"`);
    Object.assign(settings, { device: name, columns: kind.columns, rows: kind.rows });
  } else if (what === "language" && (languages as readonly string[]).includes(name)) {
    settings.language = name as Language;
  } else if (what === "option" && rest !== undefined) {
    settings.options = { ...settings.options, [name]: readValue(rest) };
  } else return false;
  return true;
}

function readLine(text: string, number: number): Line {
  if (isStep(text)) return { kind: "step", number, text };
  const shows = /^expect (not )?"(.+)"(?: within (\S+))?$/.exec(text);
  if (shows) {
    const expected = shows[2]!;
    if (shows[1]) return { kind: "shows not", expected, number, text };
    const withinMs = shows[3] === undefined ? 0 : readDuration(shows[3]);
    return { kind: "shows", expected, withinMs, number, text };
  }
  const event = /^expect event (.+?)(?: within (\S+))?$/.exec(text);
  if (event) {
    const withinMs = event[2] === undefined ? 0 : readDuration(event[2]);
    return { kind: "event", expected: event[1]!, withinMs, number, text };
  }
  const [, reported, expected = ""] = /^expect (call|reason|slip) (.+)$/.exec(text) ?? [];
  if (reported === "call" || reported === "reason" || reported === "slip") {
    return { kind: reported, expected, number, text };
  }
  const state = /^expect state ([a-z ]+)$/.exec(text)?.[1];
  if (state !== undefined) return { kind: "state", expected: state, number, text };
  const count =
    /^expect (\d+)(?: to (\d+))? (polls|codes|refreshes|revocations|calls|event polls|slips)$/.exec(
      text,
    );
  if (count) {
    const least = Number(count[1]);
    const most = Number(count[2] ?? least);
    return { kind: "count", what: count[3]!, least, most, number, text };
  }
  throw new StepError(`"${text}" is neither a step nor an expectation`);
}
