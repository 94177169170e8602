// Two devices in one program, on each engine: each lives beside the other as it does alone (test/host/c/two-devices.c).
// And whatever of a device is not its own, but the program's, is found: every field of what a device is made of is made a
// static one in turn, as if there were one device.

import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quickjsFolder } from "../../targets/workbench/engines/debian-sources.ts";
import { run } from "../../targets/workbench/engines/install.ts";
import { hostFolder, programOf } from "../../targets/workbench/host/build.ts";
import { isFullRun } from "../full-run.ts";
import { PATIENCE_MS } from "../patience.ts";
import { freshSeed } from "../seeds.ts";

const host = fileURLToPath(new URL("../../targets/host/", import.meta.url));
const tests = fileURLToPath(new URL("c/", import.meta.url));
const seed = String(freshSeed() % 1_000_000);

it.each([
  ["QuickJS", "sanitize", isFullRun ? 30 : 15],
  ["Duktape", "duktape", isFullRun ? 6 : 3],
] as const)("on %s each device lives beside another as it does alone", (engine, kind, pairs) => {
  console.log(`PICOGRANT_SEED=${seed}`);
  const program = programOf(kind, "two-devices");
  const args = [seed, String(pairs), "800"];
  const { stdout: said, stderr, status } = spawnSync(program, args, { encoding: "utf8" });
  expect(status, said + stderr).toBe(0);
  console.log(`${engine}: ${said.trim()}`);
  const counts = [...said.matchAll(/(\w+) (\d+)/g)].map(([, what, count]) => [what, Number(count)]);
  expect(counts).toHaveLength(7);
  for (const [what, count] of counts) expect(count, `${what}`).toBeGreaterThan(0);
});

it("connection.h for Linux: connections to several servers at the same time, each answered by its own", async () => {
  const counts = [0, 0];
  // The first is slow, and its answer comes in pieces; the second is fast.
  const servers = counts.map((_, at) =>
    createServer((_request, response) => {
      counts[at]!++;
      response.writeHead(200, { connection: "close" });
      if (at === 1) {
        response.end("fast");
        return;
      }
      response.write("sl");
      setTimeout(() => response.end("ow"), 15);
    }),
  );
  try {
    for (const server of servers) {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    }
    const addresses = servers.map(
      (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    );
    // Nobody listens at the third.
    const all = ["20", ...addresses, "http://127.0.0.1:1/"];
    const said = await new Promise<string>((resolve, reject) => {
      execFile(programOf("sanitize", "two-connections"), all, (error, stdout, stderr) => {
        if (error) reject(new Error(stdout + stderr, { cause: error }));
        else resolve(stdout);
      });
    });
    expect(said.split("\n")).toEqual([
      "answered 20 failed 0 reason 0 slow",
      "answered 20 failed 0 reason 0 fast",
      expect.stringMatching(/^answered 0 failed 20 reason [1-9]\d* $/),
      expect.stringMatching(/^most at once [23]$/),
      "",
    ]);
    expect(counts).toEqual([20, 20]);
  } finally {
    for (const server of servers) server.close();
  }
});

/** What a device is made of: a struct, and the file that has it as `name->field`. */
interface Part {
  readonly struct: string;
  readonly header: string;
  readonly file: string;
  readonly name: string;
  /**
   * Not tried: what the program reads itself (its own fields are tried), what is the same for all devices, and what
   * nobody needs any more when a call returns.
   */
  readonly but?: readonly string[];
}

const PARTS: readonly Part[] = [
  {
    struct: "pg_host",
    header: "portable/host.h",
    file: "portable/host",
    name: "host",
    but: ["core", "history", "http", "names"],
  },
  { struct: "pg_driver", header: "portable/driver.h", file: "portable/driver", name: "driver" },
  {
    struct: "pg_http",
    header: "portable/http.h",
    file: "portable/http",
    name: "http",
    but: ["sink"],
  },
  {
    struct: "pg_challenge",
    header: "portable/code-challenge.h",
    file: "portable/code-challenge",
    name: "challenge",
  },
  { struct: "pg_history", header: "portable/history.h", file: "portable/history", name: "history" },
  {
    struct: "pg_heap",
    header: "portable/heap.h",
    file: "engines/heap",
    name: "heap",
    but: ["engine", "core"],
  },
  {
    struct: "pg_core",
    header: "portable/picogrant.h",
    file: "engines/picogrant",
    name: "core",
    but: ["heap", "transfer", "is_guest", "parts"],
  },
  {
    struct: "pg_core",
    header: "portable/picogrant.h",
    file: "engines/quickjs/core-quickjs",
    name: "core",
    but: ["heap", "transfer", "is_guest", "threw"],
  },
];

/** The fields of a struct, as its header names them. */
function fieldsOf({ struct, header, but = [] }: Part): string[] {
  const text = readFileSync(host + header, "utf8");
  const body = new RegExp(`^struct ${struct} \\{\\n([^}]*)^\\};`, "m").exec(text)?.[1] ?? "";
  const names = [...body.matchAll(/^ {2}[\w *]*?\b(\w+)(?:\[\w+\])?;/gm)].map(([, name]) => name!);
  expect(names.length, struct).toBeGreaterThan(1);
  return names.filter((name) => !but.includes(name));
}

/** A source in which one field is the program's, and no device's. */
function withStatic({ struct, file, name }: Part, field: string): string {
  const text = readFileSync(`${host}${file}.c`, "utf8");
  const use = new RegExp(`\\b${name}->${field}\\b`, "g");
  expect(text, field).toMatch(use);
  const behind = /(?:^#include [^\n]*\n+)+(?!#include)/m;
  const own = `static __typeof__(((struct ${struct} *)0)->${field}) its_own;\n`;
  const at = behind.exec(text)!;
  const cut = at.index + at[0].length;
  return text.slice(0, cut) + own + text.slice(cut).replace(use, "its_own");
}

const planted = PARTS.flatMap((part) =>
  fieldsOf(part).map((field) => ({ part, field, name: `${part.struct}: ${field}` })),
);

describe("a field that is not the device's own is found", () => {
  const objects = `${hostFolder}sanitize`;
  const flags = [
    ...["-std=gnu11", "-O1", "-w", "-DPG_ASSERTIONS", "-fsanitize=address,undefined"],
    ...["portable", "engines", "engines/quickjs"].map((room) => `-I${host}${room}`),
    `-I${hostFolder}generated-complete`,
    ...["-isystem", quickjsFolder()],
  ];
  const others = [
    ...["core-quickjs", "picogrant", "heap", "core-code", "host", "driver", "code-challenge"],
    ...["http", "json-body", "http-answer", "http-date", "address", "last-look", "units"],
    ...["storage", "history", "reason"],
  ];
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "picogrant-two-devices-"));
    mkdirSync(join(folder, "planted"));
    // The structs are as they were: what uses them is compiled once.
    for (const name of ["two-devices", "device-life", "device-server"]) {
      run("gcc", [
        ...flags,
        `-I${tests}`,
        "-c",
        "-o",
        join(folder, `${name}.o`),
        `${tests}${name}.c`,
      ]);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** What the program says with a fault in one file. */
  function saidWith(file: string, text: string): { said: string; status: number | null } {
    const name = file.slice(file.lastIndexOf("/") + 1);
    const source = join(folder, "planted", `${name}.c`);
    const program = join(folder, "program");
    writeFileSync(source, text);
    const rest = others.filter((other) => other !== name).map((other) => `${objects}/${other}.o`);
    const own = ["two-devices.o", "device-life.o", "device-server.o"].map((object) =>
      join(folder, object),
    );
    const library = `${quickjsFolder()}/libquickjs.a`;
    run("gcc", [
      ...flags,
      "-o",
      program,
      source,
      ...own,
      ...rest,
      library,
      "-lm",
      "-lpthread",
      "-ldl",
    ]);
    const { stdout, stderr, status } = spawnSync(program, ["1", "16", "800"], {
      encoding: "utf8",
      timeout: PATIENCE_MS,
    });
    return { said: stdout + stderr, status };
  }

  it("and nothing is found where there is none", () => {
    const { said, status } = saidWith(
      "portable/http",
      readFileSync(`${host}portable/http.c`, "utf8"),
    );
    expect(said).toMatch(/^requests \d+ /);
    expect(status).toBe(0);
  });

  // Each is built anew: a few of them, others each time, unless everything is run.
  const chosen = planted.filter((_, at) => isFullRun || (at + Number(seed)) % 8 === 0);
  it.each(chosen)("$name", ({ part, field }) => {
    console.log(`PICOGRANT_SEED=${seed}`);
    const { said, status } = saidWith(part.file, withStatic(part, field));
    expect(status, said).not.toBe(0);
    expect(said).not.toMatch(/^requests \d+ /m);
  });
});
