// What ships matches its documentation. core/SPEC.md names each function and property of the bundle. `.d.ts` and file
// agree as script, CommonJS and ES module. The source map names existing files and mostly the right lines.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, SourceMap } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import vm from "node:vm";
import { type AnyNode, parse } from "acorn";
import { full } from "acorn-walk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deviceConfig } from "../../platform/testing/index.ts";
import { bundleCore } from "../../targets/bundle/bundled-core.ts";
import { withoutCalls } from "../../targets/bundle/make-bundle.ts";
import { shippedFiles } from "../../targets/bundle/shipped.ts";
import { deviceProperties, exportsOf, functionsOf, nameOf } from "../../targets/bundle/surface.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const spec = readFileSync(`${root}core/SPEC.md`, "utf8");
const variants = ["complete", "api", "grant"] as const;

type Api = Record<string, (...args: unknown[]) => unknown>;

function namesIn(text: string): Set<string> {
  const spans = [...text.matchAll(/`([a-z][A-Za-z]*)[`([]/g)];
  return new Set(spans.map(([, name]) => name!));
}

function allNamesIn(text: string): Set<string> {
  const code = [...text.matchAll(/```[^`]*```|`[^`\n]+`/g)].map(([span]) => span);
  return new Set(code.join(" ").match(/\w+/g));
}

let folder: string;

beforeAll(async () => {
  // Use a folder in the repository, where file extensions distinguish CommonJS from ES modules.
  mkdirSync(`${root}dist`, { recursive: true });
  folder = mkdtempSync(`${root}dist/shipped-`);
  for (const variant of variants) {
    for (const [name, text] of Object.entries(await shippedFiles(variant))) {
      writeFileSync(join(folder, name), text);
    }
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function loaded(variant: (typeof variants)[number]): Promise<Record<string, Api>> {
  const file = (outcome: string): string => join(folder, nameOf(variant) + outcome);
  const context: { picogrant?: Api } = {};
  vm.runInNewContext(readFileSync(file(".js"), "utf8"), context);
  const require = createRequire(import.meta.url);
  const module = (await import(/* @vite-ignore */ pathToFileURL(file(".mjs")).href)) as {
    default: Api;
  };
  return {
    script: context.picogrant!,
    commonjs: require(file(".cjs")) as Api,
    module: module.default,
  };
}

describe.each(variants)("the files of the %s build", (variant) => {
  test("SPEC.md: each property that a host may read exists, however the file is loaded", async () => {
    const section = /## Properties for hosts\n([\s\S]*?)\n## /.exec(spec)![1]!;
    const others = ["errorKind", "device", "Property"];
    const reported = [...namesIn(section)].filter((name) => !others.includes(name));
    expect(reported.length).toBeGreaterThan(15);
    for (const [way, api] of Object.entries(await loaded(variant))) {
      const device = api.create!(new Uint8Array(4096), deviceConfig) as object;
      const isThere = (name: string): boolean => deviceProperties.indexOf(name) in device;
      const missing = [...reported, ...deviceProperties].filter((name) => !isThere(name));
      expect(missing, way).toEqual([]);
    }
  });

  test("each function exists, however the file is loaded, and no other", async () => {
    for (const [way, api] of Object.entries(await loaded(variant))) {
      expect(Object.keys(api).sort(), way).toEqual([...exportsOf(variant)].sort());
    }
    const module = (await import(
      /* @vite-ignore */ pathToFileURL(join(folder, `${nameOf(variant)}.mjs`)).href
    )) as Api;
    for (const name of functionsOf(variant)) expect(typeof module[name], name).toBe("function");
  });

  test("the types are right however the file is loaded: tsc accepts a host, and rejects missing names", () => {
    const name = nameOf(variant);
    const rest = `
      const config: picogrant.Config = ${JSON.stringify(deviceConfig)};
      const device: picogrant.Device | null = picogrant.create(new Uint8Array(4096), config);
      if (device) {
        const command: picogrant.Command = picogrant.tick(device, 0);
        const left: number = device[picogrant.Property.CODE_LIFETIME_S] + device[picogrant.Property.CAPACITY][picogrant.Region.OUTPUT]!;
        if (command === picogrant.Command.SEND && left) picogrant.responseFailed(device, device[picogrant.Property.REQUEST_ID]);
        // @ts-expect-error private: a host does not know its place
        picogrant.Property.SCAN_STATE;
        // @ts-expect-error not in the bundle
        picogrant.errorMessage;
      }`;
    const hosts: Record<string, string> = {
      "script.ts": `/// <reference path="./${name}.d.ts" />\n{${rest}}`,
      "commonjs.cts": `import picogrant = require("./${name}.cjs");\n${rest}`,
      // The default export is the object itself, so that a firmware can release its `create`.
      "module.mts": `import * as picogrant from "./${name}.mjs";\nimport whole from "./${name}.mjs";\n${rest}\nwhole.create = picogrant.create;`,
    };
    for (const [file, text] of Object.entries(hosts)) {
      writeFileSync(join(folder, file), text);
      const flags = ["--noEmit", "--strict", "--target", "es2020", "--types", ""];
      const modules = ["--module", "nodenext", "--moduleResolution", "nodenext"];
      const args = [...flags, ...modules, "--ignoreConfig", join(folder, file)];
      const compiler = `${root}node_modules/@typescript/native/bin/tsc`;
      try {
        execFileSync(compiler, args, { encoding: "utf8", stdio: "pipe" });
      } catch (error) {
        throw new Error(`${file}: ${(error as { stdout: string }).stdout}`);
      }
    }
  });

  test("the script does not name the map, and the map names existing files", async () => {
    const { code, map } = await bundleCore(variant);
    expect(code).not.toContain("sourceMappingURL");
    const { sources } = JSON.parse(map) as { sources: string[] };
    const files = sources.filter((source) => !source.endsWith("/core/picogrant.ts"));
    expect(files.length).toBeGreaterThan(15);
    expect(files.filter((source) => !existsSync(join(root, "dist", source)))).toEqual([]);
    expect(files.every((source) => source.startsWith("../core/"))).toBe(true);
  });

  test("after all steps of the build, the map leads functions, calls and texts to their own lines", async () => {
    const { flashed, map } = await bundleCore(variant);
    const { sources, sourcesContent } = JSON.parse(map) as Record<string, string[]>;
    const places = new SourceMap(JSON.parse(map));
    const lineOf = ({ loc }: AnyNode): string | undefined => {
      const { line, column } = loc!.start;
      const found = places.findEntry(line - 1, column);
      if (!("originalSource" in found) || found.originalSource === undefined) return undefined;
      const text = sourcesContent![sources!.indexOf(found.originalSource)]!;
      return text.split("\n")[found.originalLine];
    };
    const functions: (string | undefined)[] = [];
    const calls: (string | undefined)[] = [];
    const texts: (readonly [text: string, line: string | undefined])[] = [];
    full(parse(flashed, { ecmaVersion: 5, locations: true }), (node) => {
      if (/^Function/.test(node.type)) functions.push(lineOf(node));
      if (node.type === "CallExpression") calls.push(lineOf(node));
      if (node.type === "Literal" && typeof node.value === "string" && node.value.length > 5) {
        texts.push([node.value, lineOf(node)]);
      }
    });
    // Functions that the build tools add, such as the outermost one, have no source.
    const owned = functions.filter((line) => line !== undefined);
    expect(owned.length).toBeGreaterThanOrEqual(functions.length - 2);
    expect(owned.filter((line) => !/\bfunction /.test(line))).toEqual([]);
    // Nearly all calls are mapped to a line with a call. A string's method may be mapped to its first occurrence.
    const own = calls.filter((line) => line && /\w!?\(/.test(line));
    expect(calls.length).toBeGreaterThan(300);
    expect(own.length).toBeGreaterThan(0.98 * calls.length);
    // Equal texts are merged, and the result is mapped to the first of them.
    const astray = texts.filter(([text, line]) => !line?.includes(text.slice(0, 6)));
    expect(texts.length - astray.length).toBeGreaterThan(8);
    expect(
      astray.filter(([, line]) => !line || !/^\s*(var \w+ = )?\w+( \+ \w+)* ?[+,;]/.test(line)),
    ).toEqual([]);
  });
});

test("SPEC.md names every function and property of the API", () => {
  const reported = allNamesIn(spec);
  const surface = [...exportsOf("complete"), ...deviceProperties];
  expect(surface.filter((name) => !reported.has(name))).toEqual([]);
});

test("the build of the grant alone stops if it contains code that starts a call", () => {
  expect(withoutCalls("device.call = null;if(device.call)f();").replace(/ /g, "")).toBe(
    "if(null)f();",
  );
  for (const code of ["device.call = k", "other.call", "f.call(x)", "var d={call: 5}"]) {
    expect(() => withoutCalls(code)).toThrow("should not set or name a call");
  }
});
