// What stays in the C host's memory after signing out, and when it ends.

import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { programOf } from "../../targets/workbench/host/build.ts";
import { HostProcess } from "./host-process.ts";
import { opened } from "./host-world.ts";

const release = programOf("release");
const isRoot = process.getuid?.() === 0;

describe("RFC 9700 §4.14 secrets in memory", () => {
  /** Everything that the process can read or write of its own memory, piece by piece. */
  function* memoryOf(pid: number): Generator<Buffer> {
    const memory = openSync(`/proc/${pid}/mem`, "r");
    const room = Buffer.alloc(2 ** 28);
    for (const line of readFileSync(`/proc/${pid}/maps`, "utf8").split("\n")) {
      const match = /^([\da-f]+)-([\da-f]+) rw/.exec(line);
      if (!match) continue;
      const [from, to] = [Number.parseInt(match[1]!, 16), Number.parseInt(match[2]!, 16)];
      // The sanitizers' account of all addresses is no memory of the program's.
      if (to - from > room.length) continue;
      try {
        yield room.subarray(0, readSync(memory, room, 0, to - from, from));
      } catch {
        // Some of the kernel's own pages cannot be read.
      }
    }
    closeSync(memory);
  }

  function occurrences(memory: Buffer, text: string): number {
    let count = 0;
    for (let at = memory.indexOf(text); at >= 0; at = memory.indexOf(text, at + 1)) count++;
    return count;
  }

  /** The tokens that the service has issued: as a record has them, they lie behind their lengths. */
  function tokensIn(record: string): string[] {
    const tokens = [
      ...new Set(
        readFileSync(record)
          .toString("latin1")
          .match(/pg[ar]\.[\w-]{43}/g),
      ),
    ];
    expect(tokens.length).toBeGreaterThan(0);
    return tokens;
  }

  /** How often each text is in the memory, its end counted as well: a shorter one may lie on a longer. */
  function copies(pid: number, texts: readonly string[]): number[] {
    const ends = texts.map((text) => text.slice(-16));
    const counts = texts.map(() => 0);
    for (const memory of memoryOf(pid)) {
      for (const [i, end] of ends.entries()) counts[i]! += occurrences(memory, end);
    }
    return counts;
  }

  // Nobody but root may look into the program (process.h).
  it.runIf(isRoot || process.env.CI === "true").each([
    ["http", "release"],
    ["https", "release"],
    ["http", "duktape"],
  ] as const)(
    "%s on %s: signed out, no token is left in it, and no further copy of the client's secret",
    async (protocol, kind) => {
      const own = await opened(protocol);
      const secret = "tv-secret";
      const config = own.configure({ autoStart: false });
      const host = new HostProcess([programOf(kind), "--config", config]);
      await host.state("SIGNED_OUT");
      const before = copies(host.pid, [secret]);
      expect(before[0]).toBeGreaterThan(0);
      host.press("s");
      await host.state("PENDING");
      const deviceCode = readFileSync(own.recordFile)
        .toString("latin1")
        .match(/pgd\.[\w-]{43}/)![0];
      expect(copies(host.pid, [deviceCode])[0]).toBeGreaterThan(0);
      expect(own.service.approve(own.pendingCode, "ada")).toBe("granted");
      await host.state("SIGNED_IN");
      expect(copies(host.pid, [deviceCode])).toEqual([0]);
      host.press("a");
      await host.says("api: status 200");
      const first = tokensIn(own.recordFile);
      expect(Math.min(...copies(host.pid, first))).toBeGreaterThan(0);
      // Refused, refreshed, and called again.
      own.skip(3_700_000);
      host.press("a");
      await host.says("api: status 200", 2);
      const every = [deviceCode, ...first, ...tokensIn(own.recordFile)];
      host.press("o");
      await host.state("SIGNED_OUT", 2);
      expect(copies(host.pid, every)).toEqual(every.map(() => 0));
      // Those that it was made with, or fewer.
      expect(copies(host.pid, [secret])[0]).toBeLessThanOrEqual(before[0]!);
      expect(await host.quit()).toBe(0);
    },
  );

  it.runIf(isRoot || process.env.CI === "true").each(["http", "https"] as const)(
    "%s: signed out, headers of the configuration are only where they were before the first request",
    async (protocol) => {
      const own = await opened(protocol);
      const headers = ["grant-header-7Hq2Zr9Lm4Xw", "resource-header-5Tn8Vb3Kc6Yd"] as const;
      const config = own.configure({
        autoStart: false,
        headers: { grant: { "X-Maker": headers[0] }, resource: { "X-Maker": headers[1] } },
      });
      const host = new HostProcess([release, "--config", config]);
      await host.state("SIGNED_OUT");
      const before = copies(host.pid, headers);
      expect(Math.min(...before)).toBeGreaterThan(0);
      host.press("s");
      await host.state("PENDING");
      expect(own.service.approve(own.pendingCode, "ada")).toBe("granted");
      await host.state("SIGNED_IN");
      host.press("a");
      await host.says("api: status 200");
      host.press("o");
      await host.state("SIGNED_OUT", 2);
      expect(copies(host.pid, headers)).toEqual(before);
      expect(await host.quit()).toBe(0);
    },
  );
});
