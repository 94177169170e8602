import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { Command, release } from "../../core/index.ts";
import { version } from "../../targets/desktop/command-line.ts";
import { membersOf, numbersHeader } from "../../targets/workbench/host/generate.ts";

const header = readFileSync(
  fileURLToPath(new URL("../../targets/host/portable/picogrant.h", import.meta.url)),
  "utf8",
);

it("picogrant.h has the release of package.json, as the core does", () => {
  const [major, minor, patch] = version().split(/[.-]/).map(Number) as [number, number, number];
  expect(release).toBe(major * 1_000_000 + minor * 1000 + patch);
  expect(numbersHeader()).toContain(`#define PICOGRANT_VERSION_NUMBER ${release}\n`);
});

it("picogrant.h documents every command of the core with the calls that SPEC.md lists", () => {
  const spec = readFileSync(new URL("../../core/SPEC.md", import.meta.url), "utf8");
  for (const [name, number] of membersOf(Command)) {
    if (name === "NONE") continue;
    const [, text = ""] =
      new RegExp(`^ \\*   ${name} ([\\s\\S]*?)^ \\*(?:   \\w|$)`, "m").exec(header) ?? [];
    const [, calls = "-"] =
      new RegExp(`^\\| \`${name}\` ${number} \\|.*\\|(.*)\\|$`, "m").exec(spec) ?? [];
    expect(text, name).not.toBe("");
    for (const [, call] of calls.matchAll(/`([\w(), -]+)`/g)) {
      const inC = call!.replace("requestId", "PG_REQUEST_ID").replace(/^\w+/, (own) => {
        return `pg_${own.replace(/[A-Z]/g, "_$&").toLowerCase()}`;
      });
      expect(text.replace(/\n \* +/g, " "), `${name}: ${call}`).toContain(inC);
    }
  }
});
