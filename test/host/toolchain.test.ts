// Runs `npm run host -- --install` on a machine without any packages. A folder of programs simulates the machine.

import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { InstallError } from "../../targets/workbench/engines/install.ts";
import { refuseSpaces } from "../../targets/workbench/host/build.ts";
import {
  analyserNeeds,
  armNeeds,
  ensurePackages,
  hostNeeds,
  missingPackages,
  portNeeds,
} from "../../targets/workbench/host/toolchain.ts";
import { temporaryFolder } from "../listening.ts";

const EVERYTHING = (
  "gcc make dpkg-dev pkg-config libcurl4-openssl-dev libsodium-dev libssl-dev valgrind cmake " +
  "libmbedtls-dev liblwip-dev clang g++"
).split(" ");

let bin: string;

beforeEach(() => {
  bin = temporaryFolder();
  symlinkSync("/bin/sh", join(bin, "sh"));
  vi.stubEnv("PATH", bin);
});

function program(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

function aptGet(script: string): void {
  program("apt-get", script);
  program("sudo", '"$@"');
}

it("in a folder with a space, the error is one line", () => {
  expect(() => refuseSpaces("/home/ada/my projects/picogrant/")).toThrow(
    /^make cannot build in \/home\/ada\/my projects\/picogrant\/: move it/,
  );
  expect(() => refuseSpaces("/home/ädä/picogrant/")).not.toThrow();
});

it("the compiler's package is installed with the C library's headers, which Debian's gcc only recommends", () => {
  for (const needs of [hostNeeds, armNeeds, portNeeds, analyserNeeds]) {
    expect(needs.map((need) => need.package)).toEqual(expect.arrayContaining(["gcc", "libc6-dev"]));
  }
});

describe("npm run host -- --install", () => {
  it("names every missing package if the option is missing", () => {
    expect(missingPackages(hostNeeds)).toEqual(EVERYTHING);
    expect(() => ensurePackages(hostNeeds, false)).toThrow(EVERYTHING.join(" "));
  });

  it.each([
    ["is not there", () => undefined, /is not on this machine; install by hand: gcc /],
    ["fails", () => aptGet("exit 100"), /ended with 100; install by hand: gcc /],
    [
      "installs nothing",
      () => aptGet("exit 0"),
      /has installed gcc .*, but its files are not found$/,
    ],
  ])("reports in one line that apt-get %s", (_name, prepare, message) => {
    prepare();
    let error: unknown;
    try {
      ensurePackages(hostNeeds, true);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(InstallError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toContain("\n");
  });
});
