// The examples for supervisors in targets/quickjs/services: systemd's own judgement of the unit where it is
// there, OpenRC's script as a shell runs it, and that both start the same command line.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const services = fileURLToPath(new URL("../../targets/quickjs/services/", import.meta.url));
const unit = readFileSync(`${services}picogrant.service`, "utf8");
const script = `${services}picogrant.openrc`;

function isThere(tool: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${tool}`]).status === 0;
}

/** The values of a setting in the unit, in their order. */
function valuesOf(name: string): string[] {
  const lines = unit.split("\n").filter((line) => line.startsWith(`${name}=`));
  return lines.map((line) => line.slice(name.length + 1));
}

let folder: string;
let copy: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "picogrant-services-"));
  copy = join(folder, "picogrant.service");
  // verify wants the program to exist.
  writeFileSync(copy, unit.replace("/usr/bin/qjs", "/bin/sh"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!isThere("systemd-analyze"))(
  "the systemd unit, by systemd itself (if it is here)",
  () => {
    it("has nothing that systemd does not know or take", () => {
      const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", copy], {
        encoding: "utf8",
      });
      expect(stderr.split("\n").filter((line) => line.includes("picogrant"))).toEqual([]);
      expect(status).toBe(0);
    });

    it("is exposed little: 1.5 of 10 at the most", () => {
      const args = ["security", "--offline=yes", "--threshold=15", "--no-pager", copy];
      const { status, stdout } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
      expect(stdout).toContain("Overall exposure level");
      expect(status, stdout.split("\n").at(-2)).toBe(0);
    });
  },
);

describe("the systemd unit", () => {
  it.each([
    ["Restart", "on-failure"],
    ["StartLimitIntervalSec", "0"],
    ["User", "picogrant"],
    ["ProtectSystem", "strict"],
    ["NoNewPrivileges", "yes"],
    ["CapabilityBoundingSet", ""],
    ["UMask", "0077"],
    ["StateDirectoryMode", "0700"],
    ["StateDirectory", "picogrant picogrant/images"],
  ])("%s=%s", (name, value) => {
    expect(valuesOf(name)).toEqual([value]);
  });

  it("a failed start of any kind counts as one of an update's tries", () => {
    expect(valuesOf("RestartPreventExitStatus")).toEqual([]);
  });
});

/** Runs the script with functions in the place of OpenRC's; `then` is what OpenRC would call. */
function shell(then: string, env: Record<string, string> = {}): string {
  const stubs =
    'checkpath() { echo "checkpath $*"; }; need() { echo "need $*"; }; use() { :; }; after() { :; }';
  const { status, stdout, stderr } = spawnSync(
    "sh",
    ["-eu", "-c", `${stubs}; . "$0"; ${then}`, script],
    {
      encoding: "utf8",
      env: { PATH: process.env.PATH, ...env },
    },
  );
  expect([status, stderr]).toEqual([0, ""]);
  return stdout.trim();
}

describe("the OpenRC script", () => {
  it("is a POSIX shell's, without a complaint", () => {
    expect(spawnSync("sh", ["-n", script]).status).toBe(0);
    expect(readFileSync(script, "utf8").split("\n")[0]).toBe("#!/sbin/openrc-run");
    if (!isThere("shellcheck")) return;
    // SC2034: the variables are OpenRC's.
    const args = ["-s", "sh", "-e", "SC2034", script];
    const { status, stdout } = spawnSync("shellcheck", args, { encoding: "utf8" });
    expect([status, stdout]).toEqual([0, ""]);
  });

  it("starts the command line of the unit", () => {
    // Single quotes: echo must not see the arguments' dashes as its own.
    expect(shell('printf "%s %s" "$command" "$command_args"')).toBe(valuesOf("ExecStart")[0]);
  });

  it("makes the directories of the unit, for nobody else to enter", () => {
    expect(shell("start_pre").split("\n")).toEqual([
      "checkpath -d -m 0700 -o picogrant:picogrant /var/lib/picogrant",
      "checkpath -d -m 0700 -o picogrant:picogrant /var/lib/picogrant/images",
      "checkpath -d -m 0750 -o picogrant:picogrant /run/picogrant",
    ]);
  });

  it("needs the network, starts again without end, and takes settings of conf.d", () => {
    expect(shell("depend")).toBe("need net localmount");
    const text = 'printf "%s %s %s" "$supervisor" "$respawn_max" "$command_args"';
    const args = shell(text, { picogrant_state: "/data/pg" });
    expect(args).toContain("supervise-daemon 0 --std");
    expect(args).toContain("--images /data/pg/images ");
  });
});
