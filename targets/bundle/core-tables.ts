// Generates files of the core from the readable tables (core/tables), for `npm run generate`. The generated files are
// tracked and part of the bundle. A test compares them with the tables.

import { Limit } from "../../core/device/limits.ts";
import { type ErrorRow, errorRows } from "../../core/tables/errors.ts";
import {
  type FieldRow,
  fieldRows,
  Lifetime,
  type ResponseKind,
  regionRows,
} from "../../core/tables/fields.ts";
import {
  type GrammarRow,
  grammarRows,
  namedStates,
  rowlessStates,
  valueEnds,
} from "../../core/tables/grammar.ts";
import {
  documentLiterals,
  grantLiterals,
  type LiteralRow,
  type Members,
  type NamedPlace,
  requestLiterals,
} from "../../core/tables/literals.ts";

// Tables are packed into strings, because an array of objects takes thousands of bytes of the engine's heap.

/** Packs names with their numbers. The first letter is the number of the first name ('A' is 0). The character after a
 * name is the distance to the number of the next name: a space for the same number, `!` for the following one. */
export function packedNames(rows: readonly NamedPlace[]): string {
  let packed = String.fromCharCode(65 + rows[0]!.place);
  rows.forEach((row, i) => {
    const next = i + 1 < rows.length ? rows[i + 1]!.place : row.place;
    if (next < row.place) throw new Error(`${row.names[0]} is out of order`);
    packed += row.names.join(" ") + String.fromCharCode(32 + next - row.place);
  });
  return packed;
}

export function packedErrorNames(rows: readonly ErrorRow[]): string {
  const named = rows.filter((row) => row.names.length > 0);
  return packedNames(named.map((row) => ({ place: row.error, names: row.names })));
}

/** Packs the kind (a digit) and the message ('A' is message 0) of each error. NONE has two blanks. */
export function packedErrorKinds(rows: readonly ErrorRow[]): string {
  let packed = "  ";
  rows.forEach((row, i) => {
    if (row.error !== i + 1) throw new Error(`error ${row.error} is not in its order`);
    packed += row.kind + String.fromCharCode(65 + row.message);
  });
  return packed;
}

/** The numbers of the scanner's states. A state's number is the position of its row in GRAMMAR, counted in pairs. A state
 * without a row has a number between those positions. The ends of values have negative numbers. */
export function grammarStates(rows: readonly GrammarRow[]): Record<string, number> {
  const states: Record<string, number> = {};
  const free: number[] = [];
  const lastPairs: number[] = [];
  let at = 0;
  rows.forEach(([state, moves, otherwise]) => {
    states[state] = at;
    let end = at + (otherwise ? 1 : 0);
    end += Object.keys(moves).join("").length;
    for (let inside = at + 1; inside < end; inside++) free.push(inside);
    if (otherwise) lastPairs.push(end - 1);
    at = end;
  });
  Object.keys(rowlessStates()).forEach((state, i) => {
    states[state] = free[i]!;
  });
  Object.keys(valueEnds()).forEach((end, i) => {
    states[end] = -1 - i;
  });
  ["END", "INVALID"].forEach((state) => {
    if (lastPairs.indexOf(states[state]!) < 0) throw new Error(`${state} is no last pair of a row`);
  });
  return states;
}

/** Packs pairs of a byte and the next state ('A' is 0). The row of a state ends with a blank and the state for any
 * other byte. If this end is missing, the next row continues the row. */
export function packedGrammar(rows: readonly GrammarRow[]): string {
  const states = grammarStates(rows);
  const letter = (to: string): string => {
    const number = to < " " ? to.charCodeAt(0) : to === "ITSELF" ? 0 : states[to];
    if (number === undefined) throw new Error(`no state ${to}`);
    return String.fromCharCode(65 + number);
  };
  let packed = "";
  rows.forEach(([, moves, otherwise]) => {
    for (const [bytes, to] of Object.entries(moves)) {
      for (const byte of bytes) packed += byte + letter(to);
    }
    if (otherwise) packed += ` ${letter(otherwise)}`;
  });
  return packed;
}

interface NumberedName {
  readonly name: string;
  readonly number: number;
  readonly description: string;
}

/** A comment that is indented and wrapped like those of the sources. */
function commentOf(text: string, indent: string): string {
  if (!text) return "";
  let line = `${indent}/** ${text} */`;
  if (line.length <= 120) return `${line}\n`;
  let comment = `${indent}/**\n`;
  line = "";
  text.split(" ").forEach((word) => {
    if (indent.length + 3 + line.length + word.length > 119) {
      comment += `${indent} *${line}\n`;
      line = "";
    }
    line += ` ${word}`;
  });
  return `${comment}${indent} *${line}\n${indent} */\n`;
}

function enumOf(name: string, description: string, members: readonly NumberedName[]): string {
  let text = `\n${commentOf(description, "")}export enum ${name} {\n`;
  members.forEach((member) => {
    text += `${commentOf(member.description, "  ")}  ${member.name} = ${member.number},\n`;
  });
  return `${text}}\n`;
}

/** A string literal, formatted as biome does. */
function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1);
  if (text.indexOf('"') < 0) return `"${escaped}"`;
  if (text.indexOf("'") >= 0) throw new Error("both kinds of quotes");
  return `'${escaped.split('\\"').join('"')}'`;
}

function textOf(name: string, description: string, text: string): string {
  const pieces = (text.match(/[^\n]+\n?|\n/g) || []).map(quoted);
  const value = pieces.length === 1 ? ` ${pieces[0]}` : `\n  ${pieces.join(" +\n  ")}`;
  return `\n${commentOf(description, "")}export var ${name} =${value};\n`;
}

function numbered(rows: readonly FieldRow[], first: number): NumberedName[] {
  return rows.map((row, i) => ({
    name: row.name,
    number: first + i,
    description: row.description,
  }));
}

const fields = fieldRows();
const regions = regionRows();
const firstLiteral = 1 + fields.length + regions.length;

function fieldNamed(name: string): number {
  const at = fields.map((row) => row.name).indexOf(name);
  if (at < 0) throw new Error(`there is no field ${name}`);
  return 1 + at;
}

function mask(
  name: string,
  description: string,
  isMeant: (row: FieldRow) => boolean,
): NumberedName {
  const meant = fields.filter(isMeant);
  let bits = 0;
  meant.forEach((row) => {
    bits |= 1 << fieldNamed(row.name);
  });
  return { name, number: bits, description: `${description}.` };
}

function isIn(row: FieldRow, response: ResponseKind): boolean {
  return (row.responses || []).indexOf(response) >= 0;
}

function masks(): NumberedName[] {
  return [
    mask("CODE", "Fields that a code response may contain", (row) => isIn(row, "code")),
    mask(
      "CODE_MUST_FIT",
      "Fields of a code response that must fit",
      (row) => isIn(row, "code") && row.mustFit === true,
    ),
    mask("TOKENS", "Fields that a token response may contain", (row) => isIn(row, "tokens")),
    mask(
      "TOKENS_MUST_FIT",
      "Fields of a token response that must fit",
      (row) => isIn(row, "tokens") && row.mustFit === true,
    ),
    mask(
      "REFUSAL",
      "Fields that a refusal may contain. A token in a refusal does not replace the current one",
      (row) => isIn(row, "refusal"),
    ),
    mask(
      "VALUES",
      "Fields for the values of a call. The literal of the call selects some of them",
      (row) => row.lifetime === Lifetime.VALUE,
    ),
    mask("OF_CODE", "Values that end with the code", (row) => row.lifetime === Lifetime.CODE),
    mask(
      "OF_SESSION",
      "Values that are erased when the session ends, or when a response contains others",
      (row) => row.lifetime === Lifetime.SESSION,
    ),
    mask("RECORDED", "Values that a code's record contains", (row) => row.isRecorded === true),
  ];
}

function capacities(): string {
  let packed = "";
  fields.concat(regions).forEach((row, i) => {
    if (!row.capacity) return;
    const bytes = Limit[row.capacity];
    if (bytes % 4 || bytes > 4 * 94) throw new Error(`${row.capacity} is no fourth of a character`);
    packed += String.fromCharCode(65 + 1 + i) + String.fromCharCode(32 + bytes / 4);
  });
  return packed;
}

function memberPlaces(): NamedPlace[] {
  return fields
    .filter((row) => row.responses)
    .map((row) => ({ place: fieldNamed(row.name), names: row.wire ?? [row.name.toLowerCase()] }));
}

function isMembers(texts: LiteralRow["texts"]): texts is Members {
  return "first" in texts;
}

function partsOf(row: LiteralRow): readonly string[] {
  const texts = row.texts;
  if (!isMembers(texts)) return texts;
  const first = fieldNamed(texts.first);
  return [
    packedNames(texts.names.map((names, i) => ({ place: first + i, names: [names].flat() }))),
  ];
}

/** The literals of every build: first those generated from other tables, then those of the grant. */
function coreLiterals(): LiteralRow[] {
  return [
    {
      name: "MEMBERS",
      description: "Names of members of grant responses.",
      texts: [packedNames(memberPlaces())],
    },
    { name: "ERRORS", description: "", texts: [packedErrorNames(errorRows())] },
    { name: "ERROR_KINDS", description: "", texts: [packedErrorKinds(errorRows())] },
    { name: "GRAMMAR", description: "", texts: [packedGrammar(grammarRows())] },
  ].concat(grantLiterals() as never);
}

function linesOf(rows: readonly LiteralRow[]): string {
  return `${rows.map((row) => partsOf(row).join("\n")).join("\n")}\n`;
}

function deviceTables(): string {
  const builds = [coreLiterals(), requestLiterals(), documentLiterals()];
  const literals: NumberedName[] = [];
  const ends: number[] = [];
  let next = firstLiteral;
  builds.forEach((rows) => {
    rows.forEach((row) => {
      literals.push({ name: row.name, number: next, description: row.description });
      next += partsOf(row).length;
    });
    ends.push(next);
  });
  if (fields.length > 23)
    throw new Error("a mask of 27 bits has one for each field and three regions");
  return (
    "// Numbers, names and masks of what lies in a device's memory, and its literals, from ../tables. Made by\n" +
    "// `npm run generate`: do not edit.\n" +
    enumOf(
      "Field",
      "The members that the core looks for in responses. Each value is copied to the region of the same number. A field is " +
        "also the number of its bit in a mask of fields.",
      [{ name: "NONE", number: 0, description: "No field." }].concat(numbered(fields, 1)),
    ) +
    enumOf(
      "Region",
      "The other regions of the memory. Their numbers follow those of Field.",
      numbered(regions, 1 + fields.length).concat([
        { name: "COUNT", number: firstLiteral, description: "How many regions there are." },
      ]),
    ) +
    enumOf("Fields", "Masks of fields.", masks()) +
    textOf(
      "CAPACITIES",
      "Regions of a fixed size with their own place. Pairs: the number ('A' is 0), a quarter of the bytes (blank is 0).",
      capacities(),
    ) +
    enumOf(
      "Literal",
      "Strings that the core needs as bytes. They are regions after those of Region, and the display texts follow them.",
      literals,
    ) +
    enumOf("LiteralEnd", "The number after the last literal of each build.", [
      { name: "GRANT", number: ends[0]!, description: "" },
      { name: "API", number: ends[1]!, description: "" },
      { name: "COMPLETE", number: ends[2]!, description: "" },
    ]) +
    textOf("LITERALS", "The literals of every build, one per line.", linesOf(builds[0]!)) +
    textOf(
      "REQUEST_LITERALS",
      "The literals for requests other than those of the grant.",
      linesOf(builds[1]!),
    ) +
    textOf(
      "DOCUMENT_LITERALS",
      "Literals of the two specifications, which only the complete build contains.",
      linesOf(builds[2]!),
    )
  );
}

function scanStates(): NumberedName[] {
  const states = grammarStates(grammarRows());
  return Object.entries({ ...valueEnds(), ...namedStates(), ...rowlessStates() })
    .map(([name, description]) => ({ name, number: states[name]!, description }))
    .sort((one, other) => one.number - other.number);
}

/** The generated files by path in core/. */
export function madeFiles(): Record<string, string> {
  return {
    "device/tables.ts": deviceTables(),
    "text/tables.ts":
      "// The states of the JSON scanner, from ../tables. Made by `npm run generate`: do not edit.\n" +
      enumOf(
        "Scan",
        "Where the rows of the states begin in GRAMMAR; states without a row have numbers between them. Negative numbers are not " +
          "states, but the ends of values.",
        scanStates(),
      ),
  };
}
