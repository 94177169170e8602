// The tables and figures of the pages match the sources.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { ErrorCode, MESSAGES } from "../../core/complete.ts";
import { errorRows } from "../../core/tables/errors.ts";
import { allowedBy, type Schema } from "../../platform/configuration/schema-check.ts";
import table from "../../platform/configuration/settings.json";
import { reasons } from "../../platform/display/reasons.ts";
import { markdownTable } from "../../targets/desktop/command-line.ts";
import { FIXED_BY } from "../../targets/desktop/simulator/log/remedies.ts";
import { limits as firmwareLimits } from "../../targets/workbench/board/sizes.ts";
import {
  limits,
  limitsOfC,
  pollInstructionsOfCMax,
} from "../../targets/workbench/budgets/budget-limits.ts";
import { expectTables, isGenerating } from "../generated.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The generated tables of each page: the name in a table's marks, and the function that makes the table. */
const TABLES: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  "README.md": {
    "first program": () => `<!-- run: by test/examples/examples.test.ts -->\n${firstProgram()}`,
    limits: budgetTable,
  },
  "targets/host/ports/board/README.md": { limits: firmwareTable },
  "scripts/package/picogrant.md": { "first program": firstProgram },
  "targets/docs/node.md": { "first program": firstProgram },
  "targets/docs/questions.md": { "http options": httpOptions },
  "targets/docs/errors.md": { errors: errorTable },
  "targets/docs/configuration.md": {
    configuration: () => settingsOf("device"),
    create: createTable,
    "sign-in options": () => settingsOf("signIn"),
  },
};

it.each(Object.keys(TABLES))("the tables of %s match the sources (npm run generate)", (file) => {
  expectTables(file, TABLES[file]!);
});

it.each(["signIn", "device"] as const)(
  "the schema of %s matches the table of settings (npm run generate)",
  (entrance) => {
    const file = root + SCHEMAS[entrance];
    const schema = schemaOf(entrance);
    if (isGenerating) {
      writeFileSync(file, JSON.stringify(schema));
      execFileSync(`${root}node_modules/.bin/biome`, ["format", "--write", file]);
    }
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(schema);
  },
);

it("every code of SignInError has exactly one anchor on the page of errors", () => {
  const source = readFileSync(`${root}platform/session/sign-in-error.ts`, "utf8");
  const [, union = ""] = /type SignInErrorCode =(.*?)export class/s.exec(source)!;
  const own = [...union.matchAll(/^ {2}\| "(\w+)"/gm)].map(([, code]) => code!);
  expect(own.length).toBeGreaterThan(10);
  const cores = errorRows().map(({ error }) => ErrorCode[error]!.toLowerCase());
  const page = readFileSync(`${root}targets/docs/errors.md`, "utf8");
  const addresses = [...page.matchAll(/<a id="(\w+)">/g)].map(([, id]) => id!);
  expect(addresses.sort()).toEqual([...cores, ...own].sort());
});

it("sizes on pages are the limits that npm run budgets checks", () => {
  const { complete, api, grant } = limits;
  const design = readFileSync(`${root}core/DESIGN.md`, "utf8").replaceAll(/\s+/g, " ");
  for (const each of ["heap", "peak"] as const) {
    const [most, middle, least] = [complete, api, grant].map((of) => of[each] / 1024);
    expect(design).toContain(`${most} / ${middle} / ${least} KiB`);
  }
  const all = [complete, api, grant].map(({ file }) => figure(file));
  const inC = Object.values(limitsOfC).map(({ code }) => figure(code));
  for (const row of [all, inC]) expect(design).toContain(`${row.join(" / ")} B`);
  const { ram, stack } = limitsOfC.complete;
  const more = `${figure(ram)} / ${figure(limitsOfC.grant.ram)} B; ${figure(stack)} B`;
  expect(design).toContain(more);
  expect(design).toContain(`poll | ${figure(pollInstructionsOfCMax)} |`);
});

const CORE = "core/device/limits.ts";
const URIS =
  /N_URI_MAX = (\d+).*_COMPLETE_MAX = (\d+).*G_URI_MEMORY = (\d+).*G_URI_MAX = (\d+).*E_MAX = (\d+)/s;
const MEMORY_OF_C = "The hosts in C use {} by default";
/** Figures of pages, and the expressions that find them in the sources. */
const FIGURES: readonly [page: string, phrase: string, source: string, values: RegExp][] = [
  [
    "targets/docs/sizing.md",
    "{} characters, and the URI with the code {}. From {} bytes of memory on, the limits are {} and {}.",
    CORE,
    URIS,
  ],
  [
    "core/SPEC.md",
    "{} bytes and the complete one {}; with {} bytes of memory or more, {} and {}.",
    CORE,
    URIS,
  ],
  ["core/SPEC.md", "may be {} levels deep", CORE, /JSON_DEPTH_MAX = (\d+)/],
  [
    "core/DESIGN.md",
    "engine included | {} B |",
    "targets/workbench/budgets/budget-limits.ts",
    /stack: (\d+)/,
  ],
  [
    "targets/docs/sizing.md",
    "for `qjs` use {} bytes by default",
    "platform/driver/options.ts",
    /MEMORY_BYTES_DEFAULT = (\d+)/,
  ],
  [
    "targets/docs/sizing.md",
    "a client identifier of {} characters, a secret of {}",
    "targets/command/sizing.ts",
    /"c".repeat\((\d+)\),\s*clientSecret: "s".repeat\((\d+)\)/,
  ],
  [
    "targets/docs/node.md",
    "at most {} printable characters",
    "platform/exchange/log.ts",
    /LINE_MAX = (\d+)/,
  ],
  [
    "targets/docs/sizing.md",
    MEMORY_OF_C,
    "targets/command/page-format.ts",
    /memoryBytes \?\? (\d+)/,
  ],
  [
    "targets/docs/sizing.md",
    MEMORY_OF_C,
    "targets/host/ports/template/main.c",
    /MEMORY_BYTES = (\d+)/,
  ],
  [
    "targets/docs/firmware-in-c.md",
    "| RAM | {} bytes of device memory",
    "targets/host/ports/template/main.c",
    /MEMORY_BYTES = (\d+)/,
  ],
  [
    "targets/bundle/PEERS.md",
    "for picogrant is {} B.",
    "targets/workbench/peers/costs.ts",
    /beside \+ (\d+)/,
  ],
  ["targets/bundle/PEERS.md", "responses above {} B", "test/peers/naive.c", /RESPONSE = (\d+)/],
  [
    "targets/docs/node.md",
    "of at most {} bytes",
    "test/package/package.spec.ts",
    /takes at most.*?LessThan\(([\d_]+)/s,
  ],
  [
    "platform/README.md",
    "at most {} to a server",
    "platform/node/connection-pool.ts",
    /CONNECTIONS_MAX = (\d+)/,
  ],
  [
    "targets/host/README.md",
    "shorter than {} bytes. An assertion with the names of its parameters must be shorter than {} bytes.",
    "targets/host/portable/keys.h",
    /PROOF_BYTES = (\d+), PG_ASSERTION_BYTES = (\d+)/,
  ],
  [
    "targets/host/README.md",
    "`--heap-limit` is {} bytes by default with 64-bit pointers, and {} otherwise.",
    "targets/host/engines/picogrant.c",
    /pg_heap_default = [^?]*\? (\d+) : (\d+)/,
  ],
];

it.each(FIGURES)("%s: %s, as %s has it", (page, phrase, source, pattern) => {
  const [, ...values] = pattern.exec(readFileSync(root + source, "utf8"))!;
  const filled = phrase.replaceAll("{}", () => figure(Number(values.shift()!.replaceAll("_", ""))));
  expect(readFileSync(root + page, "utf8").replaceAll(/\s+/g, " ")).toContain(filled);
});

it("the hosts in C of the page of sizing have the complete core", () => {
  const page = readFileSync(`${root}targets/docs/sizing.md`, "utf8").replaceAll(/\s+/g, " ");
  const makefile = readFileSync(`${root}targets/host/ports/template/Makefile`, "utf8");
  expect(makefile).not.toContain("PICOGRANT_BUILD");
  expect(page).toContain("All of them contain the complete core");
});

const figure = (value: number): string => value.toLocaleString("en");

function budgetTable(): string {
  const js = [limits.complete, limits.grant];
  const c = [limitsOfC.complete, limitsOfC.grant];
  const kib = (bytes: number): string => `${Math.ceil(bytes / 102.4) / 10} KiB`;
  return markdownTable([
    ["", "complete core", "grant alone"],
    ["C on a Cortex-M3: code", ...c.map(({ code }) => `${figure(code)} bytes`)],
    [
      "C on a Cortex-M3: RAM in addition to the device memory",
      ...c.map(({ ram }) => `${figure(ram)} bytes`),
    ],
    ["QuickJS on 32-bit ARM, from bytecode: heap", ...js.map(({ heap }) => kib(heap))],
    ["JavaScript file", ...js.map(({ file }) => kib(file))],
  ]);
}

function firmwareTable(): string {
  const rows = Object.entries(firmwareLimits).map(([kind, { flash, ram }]) => [
    `\`${kind}\``,
    figure(flash),
    figure(ram),
  ]);
  return markdownTable([["firmware", "flash", "RAM"], ...rows]);
}

function firstProgram(): string {
  return `\`\`\`ts\n${readFileSync(`${root}targets/examples/first.mjs`, "utf8")}\`\`\`\n`;
}

/** The last column is written by hand in the page, so the generated table preserves it. */
function errorTable(): string {
  const page = readFileSync(`${root}targets/docs/errors.md`, "utf8");
  const advice = (name: string): string => {
    const [, text] = new RegExp(`</a>\`${name}\` \\|.*\\| (.+) \\|$`, "m").exec(page) ?? [];
    if (text === undefined) throw new Error(`targets/docs/errors.md: add a row for ${name}`);
    return text;
  };
  const texts = MESSAGES.split("\n");
  const rows = errorRows()
    .filter(({ error }) => error !== ErrorCode.NONE)
    .map(({ error, names, kind, message }) => {
      const name = ErrorCode[error]!;
      return [
        String(error),
        // The anchor is the error's name in programs.
        `<a id="${name.toLowerCase()}"></a>\`${name}\``,
        names.map((one) => `\`${one}\``).join(", "),
        FIXED_BY[kind],
        texts[message]!.trim(),
        advice(name),
      ];
    });
  const head = ["", "error", "error code of the server", "fixed by", "display", "what to do"];
  return markdownTable([head, ...rows]);
}

/** A comment in the core's Config applies to the members below it, up to an empty line or the next comment. */
function createTable(): string {
  const source = readFileSync(`${root}core/device/config.ts`, "utf8");
  const from = source.indexOf("export interface Config {");
  const body = source.slice(from, source.indexOf("\n}", from));
  const member = /\/\*\*([\s\S]*?)\*\/|^ {2}(\w+)\??: (\w+);|^$/gm;
  const rows = [["member", "type", "meaning"]];
  let comment = "";
  for (const [whole, text, name, type] of body.matchAll(member)) {
    if (text !== undefined)
      comment = text
        .replaceAll(/\n\s*\*/g, " ")
        .replaceAll(/\s+/g, " ")
        .trim();
    else if (name !== undefined) rows.push([`\`${name}\``, type!, comment]);
    else if (whole === "") comment = "";
  }
  return markdownTable(rows);
}

const SCHEMAS = {
  signIn: "platform/configuration/sign-in.schema.json",
  device: "platform/configuration/device.schema.json",
} as const;
type Entrance = keyof typeof SCHEMAS;
const DEFS = table.$defs as object as Readonly<Record<string, Schema>>;
type Own = Schema & {
  readonly [of in "path" | "unit" | "sentence"]?: string;
} & { readonly names?: string[] };

function rowsOf(entrance: Entrance) {
  return table.settings.flatMap((setting) => {
    const own = setting[entrance] as Own | undefined;
    if (own === undefined) return [];
    const { path = setting.name, sentence = setting.sentence, unit, ...rest } = own;
    const { names = path === "reasons" ? reasons.map(({ name }) => name) : undefined, ...more } =
      rest;
    const value: Schema = { ...setting.value, ...more, ...(names && textsBy(names)) };
    const title = unit && `an integer from ${value.minimum} to ${value.maximum}, in ${unit}`;
    return [{ ...setting, path, sentence, value: { ...(title && { title }), ...value } }];
  });
}

/** The schema of `messages` or of `reasons`: each of these names has a text. */
function textsBy(names: readonly string[]): Schema {
  const properties = Object.fromEntries(names.map((name) => [name, { $ref: "#/$defs/message" }]));
  return { additionalProperties: false, properties };
}

/** The schema of signIn has no descriptions, because programs load it. */
function schemaOf(entrance: Entrance): Schema {
  type Open = Schema & { properties: Record<string, Schema>; required: string[] };
  const opened = (name: string): Open => ({
    ...(table.objects as Readonly<Record<string, object>>)[name],
    ...{ type: "object", additionalProperties: false, required: [], properties: {} },
  });
  const schema = opened(entrance);
  for (const { path, value, sentence, required = [] } of rowsOf(entrance)) {
    const names = path.split(".");
    const last = names.pop()!;
    let at = schema;
    for (const name of names) {
      at.properties[name] ??= opened(`${entrance}.${name}`);
      at = at.properties[name] as Open;
    }
    at.properties[last] = entrance === "device" ? { description: sentence, ...value } : value;
    if (required.includes(entrance)) at.required.push(last);
  }
  const used = (name: string): boolean => JSON.stringify(schema).includes(`#/$defs/${name}"`);
  const shared = Object.entries(DEFS).filter(([name]) => used(name));
  return { ...schema, $defs: Object.fromEntries(shared) };
}

function allowed(value: Schema): string {
  const own = value.$ref === undefined ? value : DEFS[value.$ref.replace("#/$defs/", "")]!;
  const names = Object.keys(own.properties ?? {}).map((name) => `\`${name}\``);
  return names.length > 0 ? `an object with ${names.join(", ")}` : (own.title ?? allowedBy(own));
}

function settingsOf(entrance: Entrance): string {
  const quoted = (text: unknown): string => (text === undefined ? "" : `\`${text}\``);
  const rows = rowsOf(entrance).map(({ path, value, sentence, flag }) => [
    ...[quoted(path), allowed(value), quoted(value.default)],
    ...(entrance === "signIn" ? [quoted(flag && `--${flag.name}`)] : []),
    sentence,
  ]);
  const flags = entrance === "signIn" ? ["`picogrant login`"] : [];
  const all = [["setting", "value", "default", ...flags, "meaning"], ...rows];
  return markdownTable(all.map((row) => row.map((cell) => cell.replaceAll("|", "\\|"))));
}

function httpOptions(): string {
  const rows = rowsOf("signIn").flatMap(({ path, value, sentence }) => {
    const [, name] = /^http\.(\w+)$/.exec(path) ?? [];
    return name === undefined ? [] : [[`\`${name}\``, String(value.default ?? ""), sentence]];
  });
  return markdownTable([["option of `http`", "default", "meaning"], ...rows]);
}
