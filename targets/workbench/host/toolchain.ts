// The tools that build the C host: Debian packages on this machine, and for 32-bit ARM Debian's armhf libraries, which
// are downloaded once into dist/engines and unpacked, but not installed.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { engineVersion, fetchOnce, InstallError, privateApt, run } from "../engines/install.ts";

export interface Need {
  readonly package: string;
  readonly isThere: () => boolean;
}

export const tool = (name: string, from: string): Need => ({
  package: from,
  isThere: () => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0,
});

const library = (name: string, from: string): Need => ({
  package: from,
  isThere: () => spawnSync("pkg-config", ["--exists", name]).status === 0,
});

/** Whether clang can link a fuzzer. The runtime for that is a separate package. */
function hasFuzzer(): boolean {
  const program = "int LLVMFuzzerTestOneInput(const char *a, long b) { return a && b ? 0 : 0; }";
  const args = ["-fsanitize=fuzzer,address", "-x", "c", "-", "-o", "/dev/null"];
  return spawnSync("clang", args, { input: program, stdio: "pipe" }).status === 0;
}

const includes = (name: string, from: string): Need => ({
  package: from,
  isThere: () => spawnSync("gcc", ["-E", "-xc", "-include", name, "/dev/null"]).status === 0,
});

/** The compiler's package only recommends the headers of the C library, so apt may not have installed them. */
const headersNeed: Need = {
  package: "libc6-dev",
  isThere: () => existsSync("/usr/include/stdlib.h"),
};

export const portNeeds: readonly Need[] = [tool("gcc", "gcc"), headersNeed, tool("make", "make")];

export const engineNeeds: readonly Need[] = [...portNeeds, tool("dpkg-source", "dpkg-dev")];

export const hostNeeds: readonly Need[] = [
  ...engineNeeds,
  tool("pkg-config", "pkg-config"),
  library("libcurl", "libcurl4-openssl-dev"),
  library("libsodium", "libsodium-dev"),
  library("libcrypto", "libssl-dev"),
  tool("valgrind", "valgrind"),
  tool("cmake", "cmake"),
  includes("mbedtls/ssl.h", "libmbedtls-dev"),
  includes("lwip/lwipopts.h", "liblwip-dev"),
  tool("clang", "clang"),
  tool("g++", "g++"),
];

export const fuzzNeeds: readonly Need[] = [
  tool("clang", "clang"),
  { package: "libclang-rt-dev", isThere: hasFuzzer },
];

export const wasmNeeds: readonly Need[] = [tool("clang", "clang"), tool("wasm-ld", "lld")];

export const analyserNeeds: readonly Need[] = [
  tool("gcc", "gcc"),
  headersNeed,
  tool("clang", "clang"),
  tool("cppcheck", "cppcheck"),
];

export const armNeeds: readonly Need[] = [
  ...engineNeeds,
  tool("arm-linux-gnueabihf-gcc", "gcc-arm-linux-gnueabihf"),
  // The compiler's package only recommends the C library, so apt may not have installed it.
  {
    package: "libc6-dev-armhf-cross",
    isThere: () => existsSync("/usr/arm-linux-gnueabihf/include/stdlib.h"),
  },
  tool("qemu-arm", "qemu-user"),
];

export function missingPackages(needs: readonly Need[]): string[] {
  return needs.filter((need) => !need.isThere()).map((need) => need.package);
}

/** @throws InstallError with one line that names the packages that are still missing */
export function ensurePackages(needs: readonly Need[], install: boolean): void {
  const missing = missingPackages(needs);
  if (missing.length === 0) return;
  if (!install) {
    throw new InstallError(
      `Debian packages are missing: ${missing.join(" ")}; install them, or add -- --install`,
    );
  }
  installPackages(missing);
  const left = missingPackages(needs);
  if (left.length > 0) {
    throw new InstallError(`apt-get has installed ${left.join(" ")}, but its files are not found`);
  }
}

function installPackages(packages: readonly string[]): void {
  const asRoot = process.getuid?.() === 0 ? [] : ["sudo"];
  const flags = ["-o", "Acquire::Retries=3", "install", "-y", "--no-install-recommends"];
  for (const args of [["update"], [...flags, ...packages]]) {
    const [command, ...rest] = [...asRoot, "apt-get", ...args];
    try {
      execFileSync(command!, rest, {
        stdio: ["ignore", "ignore", "inherit"],
        env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      });
    } catch (error) {
      const { code, status } = error as { code?: string; status?: number };
      const why = code === "ENOENT" ? "is not on this machine" : `ended with ${status}`;
      throw new InstallError(`${command} ${why}; install by hand: ${packages.join(" ")}`);
    }
  }
}

export function armQuickjs(quickjs: string): string {
  const folder = fetchOnce("quickjs-armhf", (draft) => {
    const result = join(draft, "result");
    mkdirSync(result);
    const define = `-DCONFIG_VERSION="${engineVersion(quickjs)}"`;
    const objects = ["quickjs", "libregexp", "libunicode", "cutils", "dtoa"].map((name) => {
      const object = join(result, `${name}.o`);
      const flags = ["-Os", "-g", "-w", "-D_GNU_SOURCE", define, "-c"];
      run("arm-linux-gnueabihf-gcc", [...flags, "-o", object, join(quickjs, `${name}.c`)]);
      return object;
    });
    run("arm-linux-gnueabihf-ar", ["rcs", join(result, "libquickjs.a"), ...objects]);
  });
  return join(folder, "libquickjs.a");
}

/** The folder with Debian's libcurl and libsodium for armhf and all their dependencies, such as the C library. */
export function armSysroot(): string {
  return fetchOnce("armhf-sysroot", (folder) => {
    const apt = privateApt(folder);
    const armhf = ["-o", "APT::Architecture=armhf", "-o", "APT::Architectures::=armhf"];
    apt([...armhf, "update"]);
    apt([
      ...armhf,
      ...["install", "-y", "--no-install-recommends", "--download-only"],
      ...["libc6-dev", "libcurl4-openssl-dev", "libsodium-dev"],
    ]);
    const archives = join(folder, "cache/archives");
    const result = join(folder, "result");
    for (const file of readdirSync(archives).filter((name) => name.endsWith(".deb"))) {
      run("dpkg-deb", ["-x", join(archives, file), result]);
    }
  });
}
