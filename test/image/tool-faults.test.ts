// npm run tool -- image on a disk that fails: each call that writes fails once, for keys and images. Nothing half
// made stays behind, what was there before stays, and the next try works.

import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { readOptions } from "../../targets/command/image/options.ts";
import { performBuilt as perform } from "../../targets/workbench/built-payload.ts";
import { keys, PRODUCT } from "./image-builder.ts";

/** Calls counted down until one fails; undefined: none does. */
const fault = vi.hoisted(() => ({ left: undefined as number | undefined, code: "", failed: 0 }));

vi.mock("node:fs", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:fs")>();
  const failing = <Args extends unknown[], Result>(call: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      if (fault.left !== undefined && fault.left-- === 0) {
        fault.failed++;
        throw Object.assign(new Error(fault.code), { code: fault.code });
      }
      return call(...args);
    };
  };
  const { openSync, writeSync, fsyncSync, renameSync, closeSync } = original;
  // A close that fails has closed the file all the same.
  const close = (file: number): void => {
    closeSync(file);
    failing(() => undefined)();
  };
  return {
    ...original,
    openSync: failing(openSync),
    writeSync: failing(writeSync),
    fsyncSync: failing(fsyncSync),
    renameSync: failing(renameSync),
    closeSync: close,
  };
});

const folder = fs.mkdtempSync(join(tmpdir(), "picogrant-image-"));
const path = (name: string): string => join(folder, name);

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

beforeEach(() => {
  for (const name of fs.readdirSync(folder)) fs.rmSync(path(name), { recursive: true });
  const secret = Buffer.from(keys.secretKey).toString("hex");
  fs.writeFileSync(path("maker.key"), secret, { mode: 0o600 });
  fs.writeFileSync(path("program.js"), "print('hello')");
});

/** Lets each call fail in turn. @returns how many there were */
async function sweep(
  code: string,
  args: readonly string[],
  check: (call: number) => void,
): Promise<number> {
  for (let call = 0; ; call++) {
    Object.assign(fault, { left: call, code, failed: 0 });
    const said = await perform(readOptions(args)).catch((error: Error) => error);
    fault.left = undefined;
    if (fault.failed === 0) {
      expect(said).not.toBeInstanceOf(Error);
      return call;
    }
    expect(said, `call ${call}`).toBeInstanceOf(Error);
    expect((said as Error).message).toMatch(/cannot be (made|written|read) \([a-z -]+\)$/);
    check(call);
  }
}

describe.each([["ENOSPC"], ["EROFS"], ["EIO"]])("a disk that says %s", (code) => {
  it("leaves nothing of a pair of keys", async () => {
    const before = fs.readdirSync(folder);
    const calls = await sweep(code, ["--new-key", path("own")], () => {
      expect(fs.readdirSync(folder)).toEqual(before);
    });
    expect(calls).toBeGreaterThanOrEqual(8);
    expect(fs.readdirSync(folder)).toEqual(expect.arrayContaining(["own.key", "own.pub"]));
    console.log(`--new-key, ${code}: ${calls} calls failed, no file was left`);
  });

  it("leaves the image that was there, and no draft", async () => {
    fs.writeFileSync(path("new.img"), "the one before");
    const before = fs.readdirSync(folder);
    const own = ["--key", path("maker.key"), "--counter", "1", "--product", PRODUCT];
    const files = ["--target", "es5", "--payload", path("program.js"), "--out", path("new.img")];
    const calls = await sweep(code, [...own, ...files], () => {
      expect(fs.readdirSync(folder)).toEqual(before);
      expect(fs.readFileSync(path("new.img"), "utf8")).toBe("the one before");
    });
    expect(calls).toBeGreaterThanOrEqual(5);
    console.log(`--key, ${code}: ${calls} calls failed, the image before was left`);
  });
});
