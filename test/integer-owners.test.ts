// DESIGN.md, Owners: each integer of the device has one owner, the file that declares it. Only functions of that file
// write it. TypeScript enforces this as long as no other file names the declared type.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parts, sources } from "./core/owners.ts";
import { Port } from "./environment/core-port.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Returns the errors of `tsc` for a core file that has these lines in a function with a parameter `device`. */
function refusals(lines: readonly string[]): string[] {
  const folder = mkdtempSync(join(root, "node_modules/.cache/owners-"));
  try {
    const source =
      `import type { Device } from "${root}core/device/memory.ts";\n` +
      `export function elsewhere(device: Device): void {\n${lines.join("\n")}\n}\n`;
    writeFileSync(join(folder, "elsewhere.ts"), source);
    const config = { extends: `${root}core/tsconfig.json`, include: ["elsewhere.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    execFileSync(join(root, "node_modules/@typescript/native/bin/tsc"), ["-p", folder], {
      encoding: "utf8",
    });
    return [];
  } catch (error) {
    const output = (error as { stdout: string }).stdout;
    return output.split("\n").filter((line) => line.includes("elsewhere.ts"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("the parts of a device", () => {
  const all = parts();

  it("have each property once, with a comment, in the order of creation", () => {
    const declared = all.flatMap(({ properties }) => properties.map(({ name }) => name));
    expect(declared.filter((name, at) => declared.indexOf(name) !== at)).toEqual([]);
    expect(Object.keys(new Port([]).device)).toEqual(declared);
    for (const { name, meaning, properties } of all) {
      expect(meaning, name).not.toBe("");
      for (const property of properties) expect(property.meaning, property.name).not.toBe("");
    }
  });

  it("contain integers, lists of integers and bytes, and one reference to the purpose of a call", () => {
    const enums = new Set(
      [...sources.values()].flatMap((text) => text.match(/(?<=^export enum )\w+/gm) ?? []),
    );
    const types = new Set(all.flatMap(({ properties }) => properties.map(({ type }) => type)));
    expect([...types].filter((type) => !enums.has(type)).sort()).toEqual([
      "Bytes",
      "Bytes | null",
      "CallKind | null",
      "Integers",
      "Place",
      "number",
    ]);
  });

  it("are named only by their owners and where the device is composed", () => {
    for (const { name, file } of all) {
      const named = new RegExp(`[&:<{,]\\s*(?:type )?${name}\\b(?!\\.)`);
      const naming = [...sources].filter(([, text]) => named.test(text)).map(([path]) => path);
      const composing = name === "HostMemory" ? ["loop/create.ts"] : [];
      const allowed = [file, "device/memory.ts", ...composing];
      expect(
        naming.filter((path) => !allowed.includes(path)),
        name,
      ).toEqual([]);
    }
  });

  it("cannot be written in another file: TypeScript reports it", () => {
    const writes = all.flatMap(({ properties }) =>
      properties.map(({ name, type }) =>
        type === "Integers" ? `device.${name}[1] = 1;` : `device.${name} = device.${name};`,
      ),
    );
    expect(writes.length).toBeGreaterThan(100);
    const refused = refusals(writes);
    expect(refused).toHaveLength(writes.length);
    for (const line of refused) expect(line).toMatch(/read-only property|only permits reading/);
    // TypeScript lets all code write the bytes of the memory, and read every integer.
    expect(refusals(["device.memory[0] = device.waitMs;"])).toEqual([]);
  });
});
