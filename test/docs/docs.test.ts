// The pages' tables are today's, every page of the table of contents is there, and the check of links finds what is
// broken. The site itself is made and looked at in test/browser.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { ErrorCode } from "../../core/complete.ts";
import { errorRows } from "../../core/tables/errors.ts";
import { MEMORY_BYTES_DEFAULT } from "../../platform/driver/options.ts";
import { heapLimits, sizeCeilings } from "../../targets/workbench/budgets/budget-limits.ts";
import { brokenLinks } from "../../targets/workbench/docs/links.ts";
import { chapters, pages } from "../../targets/workbench/docs/pages.ts";
import { withRfcLinks } from "../../targets/workbench/docs/rfc-links.ts";
import { pagesWithTables, pageWithTables } from "../../targets/workbench/docs/spliced-tables.ts";
import { QUESTIONS } from "./questions.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

it.each(pagesWithTables)(
  "%s shows its tables as the sources have them (npm run generate)",
  (file) => {
    expect(readFileSync(root + file, "utf8")).toBe(pageWithTables(root, file));
  },
);

it("the table of errors has every error, with its number, what servers call it and what to do", () => {
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

it("sizes that pages state are the limits that npm run budgets holds", () => {
  const { complete: file, grant: grantFile } = sizeCeilings;
  const { complete: heap, grant: grantHeap } = heapLimits;
  const kib = (bytes: number): string => `${Math.ceil(bytes / 102.4) / 10} KiB`;
  const readme = readFileSync(`${root}README.md`, "utf8").replaceAll(/\s+/g, " ");
  expect(readme).toContain(
    `takes less than ${kib(heap)} of heap and the grant alone less than ${kib(grantHeap)}; ` +
      `the minified files have less than ${kib(file)} and ${kib(grantFile)}`,
  );
  const design = readFileSync(`${root}core/DESIGN.md`, "utf8").replaceAll(/\s+/g, " ");
  const figure = (bytes: number): string => bytes.toLocaleString("en");
  expect(design).toContain(`${heap / 1024} / ${grantHeap / 1024} KiB`);
  expect(design).toContain(`${figure(file)} / ${figure(grantFile)} B`);
});

it("the page of sizing has the bytes that hosts take where nothing is set", () => {
  const page = readFileSync(`${root}targets/docs/sizing.md`, "utf8").replaceAll(/\s+/g, " ");
  expect(page).toContain(`Where you set nothing, the driver takes ${MEMORY_BYTES_DEFAULT} `);
  const defaults = {
    "targets/host/portable/config.c": /\.memory_bytes = (\d+),/,
    "targets/host/ports/template/main.c": /MEMORY_BYTES = (\d+),/,
  };
  for (const [file, pattern] of Object.entries(defaults)) {
    const [, bytes] = pattern.exec(readFileSync(root + file, "utf8"))!;
    expect(page).toContain(`The hosts in C take ${bytes}, `);
  }
  // Which column of the tables is theirs.
  const makefile = readFileSync(`${root}targets/host/ports/template/Makefile`, "utf8");
  expect(makefile).toContain("generated-complete-source");
  expect(page).toContain("They have the complete core");
});

it("every page is a file, and has a name of its own", () => {
  expect(pages.filter(({ file }) => !existsSync(root + file))).toEqual([]);
  expect(new Set(pages.map(({ name }) => name)).size).toBe(pages.length);
});

it("every guide, and every page for when something goes wrong, answers a question that users ask", () => {
  expect(QUESTIONS.length).toBeGreaterThanOrEqual(40);
  const answering = new Set(QUESTIONS.map(([, page]) => page));
  const asked = chapters.filter(({ title }) =>
    /^(?:Guides|When something goes wrong)$/.test(title),
  );
  expect(
    asked.flatMap((chapter) => chapter.pages).filter(({ name }) => !answering.has(name)),
  ).toEqual([]);
  const names = new Set(pages.map(({ name }) => name));
  expect([...answering].filter((name) => !names.has(name))).toEqual([]);
});

it("a link to a page, a picture or a heading that is not there is found", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-links-"));
  try {
    mkdirSync(path.join(folder, "a"));
    const page = (body: string): string => `<!doctype html><body>${body}`;
    writeFileSync(
      path.join(folder, "index.html"),
      page('<a href="a/b.html#there">1</a><a href="a/b.html#gone">2</a><a href="c.html">3</a>'),
    );
    writeFileSync(
      path.join(folder, "a/b.html"),
      page(
        '<h2 id="there">x</h2><a href="../index.html">4</a><img src="no.png"><a href="../../x">5</a>',
      ),
    );
    expect(brokenLinks(folder).sort()).toEqual([
      "a/b.html: ../../x leads out of the site",
      "a/b.html: no.png is not there",
      "index.html: a/b.html#gone has no such place",
      "index.html: c.html is not there",
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

const at = (rfc: number, section: string): string =>
  `https://www.rfc-editor.org/rfc/rfc${rfc}#section-${section}`;

it.each([
  ["(RFC 8628 §3.5).", `([RFC 8628 §3.5](${at(8628, "3.5")})).`],
  ["RFC 6749 section 2.3.1 says", `[RFC 6749 section 2.3.1](${at(6749, "2.3.1")}) says`],
  [
    "RFC 8628 §3.1, §3.4 and §5",
    `[RFC 8628 §3.1](${at(8628, "3.1")}), [§3.4](${at(8628, "3.4")}) and [§5](${at(8628, "5")})`,
  ],
  ["RFC 8628 alone", "RFC 8628 alone"],
  ["### RFC 8628 §3.5", "### RFC 8628 §3.5"],
  ["`RFC 8628 §3.5`", "`RFC 8628 §3.5`"],
  ["[RFC 8628 §3.5](x.md)", "[RFC 8628 §3.5](x.md)"],
])("sections of RFCs are links on the site: %s", (prose, shown) => {
  expect(withRfcLinks(prose)).toBe(shown);
});

it("the pages name sections of RFCs, and what is a link once stays as it is", () => {
  const texts = pages.map(({ file }) => withRfcLinks(readFileSync(root + file, "utf8")));
  expect(texts.join("").split("](https://www.rfc-editor.org/rfc/").length).toBeGreaterThan(30);
  for (const text of texts) expect(withRfcLinks(text)).toBe(text);
});
