// npm run host -- --install on a machine that has nothing yet: a folder of programs stands for it, with an
// apt-get that writes down what it is asked for.

import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
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

const EVERYTHING =
  "gcc make dpkg-dev pkg-config libcurl4-openssl-dev libsodium-dev duktape-dev valgrind cmake".split(
    " ",
  );

let bin: string;

beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), "picogrant-bin-"));
  symlinkSync("/bin/sh", join(bin, "sh"));
  vi.stubEnv("PATH", bin);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(bin, { recursive: true, force: true });
});

function program(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

/** apt-get, and sudo for those who are not root: it does as `script` says and keeps its arguments. */
function aptGet(script: string): void {
  program("apt-get", `echo "$*" >> ${bin}/asked\n${script}`);
  program("sudo", '"$@"');
}

/** A shell's commands that bring the programs; pkg-config says yes to every library. */
const BRING = ["gcc", "make", "dpkg-source", "pkg-config", "valgrind", "cmake"]
  .map((name) => `echo '#!/bin/sh' > $d/${name}; /bin/chmod 755 $d/${name}`)
  .join("\n");

it("says in one line that make knows no folder with a space", () => {
  expect(() => refuseSpaces("/home/ada/my projects/picogrant/")).toThrow(
    /^make cannot build in \/home\/ada\/my projects\/picogrant\/; move it/,
  );
  expect(() => refuseSpaces("/home/ädä/picogrant/")).not.toThrow();
});

it("wherever the compiler is asked for the C library's headers are, too: Debian's gcc only recommends them", () => {
  for (const needs of [hostNeeds, armNeeds, portNeeds, analyserNeeds]) {
    expect(needs.map((need) => need.package)).toEqual(expect.arrayContaining(["gcc", "libc6-dev"]));
  }
});

describe("npm run host -- --install", () => {
  it("without it, names every package that is missing", () => {
    expect(missingPackages(hostNeeds)).toEqual(EVERYTHING);
    expect(() => ensurePackages(hostNeeds, false)).toThrow(EVERYTHING.join(" "));
  });

  it("asks for an update, then for all of them, and goes on where they are there", () => {
    aptGet(`d=${bin}\ncase "$*" in *install*) ${BRING};; esac`);
    ensurePackages(hostNeeds, true);
    const [update, install] = readFileSync(join(bin, "asked"), "utf8").trim().split("\n");
    expect(update).toBe("update");
    expect(install).toMatch(/install -y --no-install-recommends gcc make /);
    for (const name of EVERYTHING) expect(install).toContain(` ${name}`);
    // A second time there is nothing to do.
    ensurePackages(hostNeeds, true);
    expect(readFileSync(join(bin, "asked"), "utf8").trim().split("\n")).toHaveLength(2);
  });

  it.each([
    ["is not there", () => undefined, /is not on this machine; install by hand: gcc /],
    ["fails", () => aptGet("exit 100"), /ended with 100; install by hand: gcc /],
    ["brings nothing", () => aptGet("exit 0"), /has installed gcc .*, but what they bring/],
  ])("an apt-get that %s is one line", (_name, prepare, message) => {
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

  it("ARM's needs name their packages, too", () => {
    expect(missingPackages(armNeeds)).toEqual(
      expect.arrayContaining(["gcc-arm-linux-gnueabihf", "qemu-user"]),
    );
  });
});
