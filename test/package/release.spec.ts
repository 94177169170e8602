// `npm run release -- --dry-run` makes the same bytes in another folder, time zone and locale, and with another umask.

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { temporaryFolder } from "../listening.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const all = temporaryFolder();
const folder = path.join(all, "files");

const { version } = manifest;
const read = (name: string): string => readFileSync(path.join(folder, name), "utf8");
const again = path.join(all, "again");

/** A copy of the sources with this umask, with installed packages and built engines, but without earlier builds. */
function checkOut(to: string, umask: string): void {
  const script = `umask ${umask}; mkdir -p "$1" && git ls-files -co --exclude-standard -z |
    tar -cf - --null -T - | tar -xf - --no-same-permissions -C "$1"
    cp -al node_modules "$1/" 2>/dev/null || cp -a node_modules "$1/"
    rm -rf "$1/node_modules/.cache"
    mkdir "$1/dist" && if [ -d dist/engines ]; then ln -s "$PWD/dist/engines" "$1/dist/"; fi`;
  execFileSync("sh", ["-c", script, "sh", to], { cwd: root });
}

function release(from: string, out: string, umask: string, environment: NodeJS.ProcessEnv): void {
  const script = `umask ${umask}; exec npm run -s release -- --dry-run --out "$1"`;
  const env = { ...process.env, ...environment };
  execFileSync("sh", ["-c", script, "sh", out], { cwd: from, env, stdio: "pipe" });
}

const other = path.join(all, "of another, with a longer name", "picogrant");

beforeAll(() => {
  release(root, folder, "022", { TZ: "UTC", LC_ALL: "C" });
  checkOut(other, "077");
  // A file from the build of an earlier version.
  writeFileSync(path.join(other, "dist/picogrant-of-before.js"), "");
  release(other, again, "077", { TZ: "Asia/Kolkata", LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8" });
}, 600_000);

it("a real release needs the repository's address", () => {
  const args = ["run", "-s", "release", "--", "--out", path.join(all, "none")];
  const { status, stderr } = spawnSync("npm", args, { cwd: root, encoding: "utf8" });
  expect(stderr).toMatch(
    /^release: package\.json has no repository, no homepage, no bugs; [^\n]*\n$/,
  );
  expect(status).toBe(2);
});

it("each package has the repository's address, and links that leave a package lead there at its version", () => {
  const url = "https://git.example/owner/picogrant";
  const place = {
    repository: { type: "git", url: `git+${url}.git` },
    homepage: "https://picogrant.example",
    bugs: { url: `${url}/issues` },
  };
  writeFileSync(path.join(other, "package.json"), JSON.stringify({ ...manifest, ...place }));
  execFileSync("npm", ["run", "-s", "tool", "--", "package"], { cwd: other, stdio: "pipe" });
  const at = path.join(other, "dist/npm");
  for (const name of readdirSync(at).filter((one) => !one.startsWith("."))) {
    const made = readFileSync(path.join(at, name, "package.json"), "utf8");
    expect(JSON.parse(made)).toMatchObject({ name, ...place });
  }
  const page = path.join(at, "picogrant-firmware/targets/docs/firmware-in-javascript.md");
  expect(readFileSync(page, "utf8")).toContain(`[Security](${url}/blob/v${version}/SECURITY.md)`);
});

describe("a release", () => {
  it("has the same bytes from another folder, time zone, locale and umask", () => {
    const sums = (from: string): string => readFileSync(path.join(from, "SHA256SUMS"), "utf8");
    expect(sums(again)).toBe(sums(folder));
  });

  it("has files that every user can read", () => {
    for (const name of readdirSync(folder).filter((file) => file.endsWith(".tgz"))) {
      const list = execFileSync("tar", ["-tvzf", path.join(folder, name)], { encoding: "utf8" });
      expect(list.match(/^-rw(?!-r--r--|xr-xr-x)\S*.*$/gm)).toBe(null);
    }
  });

  it.each(["picogrant", "picogrant-tools", "picogrant-firmware"])(
    "npm would publish %s without corrections, and makes no network request",
    (name) => {
      const tarball = path.join(folder, `${name}-${version}.tgz`);
      // No server listens at this address.
      const at = ["--registry", "http://127.0.0.1:1/", "--fetch-retries=0"];
      // `npm run -s` also silences the npm that it starts.
      const args = ["publish", "--dry-run", "--loglevel=notice", ...at, tarball];
      const { status, stdout, stderr } = spawnSync("npm", args, { encoding: "utf8" });
      expect(stdout).toBe(`+ ${name}@${version}\n`);
      expect(stderr).not.toMatch(/npm (?:auto-corrected|warn publish (?!This command requires))/);
      expect(status).toBe(0);
    },
  );

  it("has checksums of all its files", () => {
    const names = readdirSync(folder).filter((name) => name !== "SHA256SUMS");
    expect(names).toEqual([
      `picogrant-${version}.cdx.json`,
      `picogrant-${version}.tgz`,
      `picogrant-firmware-${version}.tgz`,
      `picogrant-tools-${version}.tgz`,
    ]);
    const sums = names.map((name) => {
      const hash = createHash("sha256").update(readFileSync(path.join(folder, name)));
      return `${hash.digest("hex")}  ${name}\n`;
    });
    expect(read("SHA256SUMS")).toBe(sums.join(""));
  });

  it("the archive for firmware has bundles, types, maps, programs, conformance script and host", () => {
    const archive = path.join(folder, `picogrant-firmware-${version}.tgz`);
    const list = execFileSync("tar", ["-tzf", archive], { encoding: "utf8" }).split("\n");
    for (const name of [
      "dist/picogrant.js",
      "dist/picogrant.js.map",
      "dist/picogrant.d.ts",
      "dist/picogrant-grant.js",
      "dist/picogrant.qjs.js",
      "dist/picogrant-conformance.js",
      "core/SPEC.md",
      "LICENSE",
      "targets/host/portable/picogrant.h",
    ]) {
      expect(list).toContain(`package/${name}`);
    }
  });

  it("lists dependencies (CycloneDX), each package once, without a date or a random number", () => {
    const bill = JSON.parse(read(`picogrant-${version}.cdx.json`)) as {
      bomFormat: string;
      serialNumber?: string;
      metadata: { timestamp?: string; component: { name: string } };
      components: { name: string; licenses: unknown[] }[];
    };
    expect(bill.bomFormat).toBe("CycloneDX");
    expect(bill.metadata.component.name).toBe("picogrant");
    expect([bill.serialNumber, bill.metadata.timestamp]).toEqual([undefined, undefined]);
    const names = bill.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["tweetnacl", "hono", "picogrant.c"]));
    expect(names).not.toContain("vitest");
    expect(new Set(names).size).toBe(names.length);
    for (const { licenses } of bill.components) expect(licenses.length).toBeGreaterThan(0);
  });
});
