// The tables and figures of the pages match the sources.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { ErrorCode } from "../../core/complete.ts";
import { errorRows } from "../../core/tables/errors.ts";
import { MEMORY_BYTES_DEFAULT } from "../../platform/driver/options.ts";
import { limits } from "../../targets/workbench/budgets/budget-limits.ts";
import { pagesWithTables, pageWithTables } from "../../targets/workbench/docs/spliced-tables.ts";
import { isFullRun } from "../full-run.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

it.each(pagesWithTables)(
  "%s shows its tables as the sources have them (npm run generate)",
  (file) => {
    const page = pageWithTables(root, file);
    if (process.env.PICOGRANT_GENERATE) writeFileSync(root + file, page);
    expect(readFileSync(root + file, "utf8")).toBe(page);
  },
);

it("the table of errors has every error, with its number, servers' names for it and the remedy", () => {
  const text = readFileSync(`${root}targets/docs/errors.md`, "utf8");
  for (const { error, names } of errorRows()) {
    const name = ErrorCode[error]!;
    const row = new RegExp(
      `^\\| ${error} \\| <a id="(.*)"></a>\`${name}\` \\| (.*?) \\|.*\\| .+ \\|$`,
      "m",
    );
    const [, address, wire] = row.exec(text)!;
    expect(address).toBe(name.toLowerCase());
    expect(wire).toBe(names.map((one) => `\`${one}\``).join(", "));
  }
});

it("every code of SignInError has one address on the page of errors", () => {
  const source = readFileSync(`${root}platform/session/sign-in-error.ts`, "utf8");
  const union = source.slice(source.indexOf("type SignInErrorCode ="), source.indexOf("/** Why a"));
  const own = [...union.matchAll(/^ {2}\| "(\w+)"/gm)].map(([, code]) => code!);
  expect(own.length).toBeGreaterThan(10);
  const cores = errorRows().map(({ error }) => ErrorCode[error]!.toLowerCase());
  const page = readFileSync(`${root}targets/docs/errors.md`, "utf8");
  const addresses = [...page.matchAll(/<a id="(\w+)">/g)].map(([, id]) => id!);
  expect(addresses.sort()).toEqual([...cores, ...own].sort());
});

it("sizes that pages state are the limits that npm run budgets enforces", () => {
  const { complete, api, grant } = limits;
  const kib = (bytes: number): string => `${Math.ceil(bytes / 102.4) / 10} KiB`;
  const readme = readFileSync(`${root}README.md`, "utf8");
  expect(readme).toContain(`heap | ${kib(complete.heap)} | ${kib(grant.heap)} |`);
  expect(readme).toContain(`JavaScript file | ${kib(complete.file)} | ${kib(grant.file)} |`);
  const design = readFileSync(`${root}core/DESIGN.md`, "utf8").replaceAll(/\s+/g, " ");
  const figure = (bytes: number): string => bytes.toLocaleString("en");
  for (const each of ["heap", "peak"] as const) {
    const [most, middle, least] = [complete, api, grant].map((of) => of[each] / 1024);
    expect(design).toContain(`${most} / ${middle} / ${least} KiB`);
  }
  const files = [complete, api, grant].map(({ file }) => figure(file));
  expect(design).toContain(`${files.join(" / ")} B`);
});

it("the page of sizing has the default memory sizes of the hosts", () => {
  const page = readFileSync(`${root}targets/docs/sizing.md`, "utf8").replaceAll(/\s+/g, " ");
  expect(page).toContain(`Where you set nothing, the driver takes ${MEMORY_BYTES_DEFAULT} `);
  const defaults = {
    "targets/command/page-format.ts": /memoryBytes \?\? (\d+);/,
    "targets/host/ports/template/main.c": /MEMORY_BYTES = (\d+),/,
  };
  for (const [file, pattern] of Object.entries(defaults)) {
    const [, bytes] = pattern.exec(readFileSync(root + file, "utf8"))!;
    expect(page).toContain(`The hosts in C take ${bytes}, `);
  }
  const makefile = readFileSync(`${root}targets/host/ports/template/Makefile`, "utf8");
  expect(makefile).not.toContain("PICOGRANT_BUILD");
  expect(page).toContain("They have the complete core");
});

it.runIf(isFullRun)(
  "npm run docs makes the site: everything is described, and links lead somewhere",
  () => {
    const output = execFileSync("npm", ["run", "-s", "docs"], { cwd: root, encoding: "utf8" });
    expect(output.trim().endsWith("dist/docs/index.html")).toBe(true);
  },
);
