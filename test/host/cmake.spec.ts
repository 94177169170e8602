// Uses the C host from a CMake project (targets/host/CMakeLists.txt), as a subfolder or installed.

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { generatedC } from "../../targets/workbench/host/build.ts";
import { generateC } from "../../targets/workbench/host/generate.ts";
import { opened } from "../environment/real-environment.ts";
import { temporaryFolder } from "../listening.ts";
import { TV } from "../service/harness.ts";
import { TIMEOUT_MS } from "../timeouts.ts";
import { HostProcess } from "./host-process.ts";

const targets = fileURLToPath(new URL("../../targets/", import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = temporaryFolder();
  await generateC(generatedC);
});

function valid(command: string, ...args: readonly string[]): void {
  const options = { encoding: "utf8", timeout: TIMEOUT_MS } as const;
  const { stdout, stderr, status } = spawnSync(command, args, options);
  expect(status, stdout + stderr).toBe(0);
}

/** Creates a CMake project with the example of a device in C. @param finding CMake code that adds the library */
function firmware(name: string, finding: string): string {
  const project = path.join(folder, name);
  mkdirSync(project);
  const files = ["main", "connection", "medium", "display", "clock"];
  const sources = files.map((file) => `"${targets}host/ports/template/${file}.c"`).join(" ");
  writeFileSync(
    path.join(project, "CMakeLists.txt"),
    `cmake_minimum_required(VERSION 3.20)
project(firmware C)
${finding}
add_executable(device ${sources})
target_include_directories(device PRIVATE "${targets}host/ports/template")
target_compile_options(device PRIVATE -Wall -Wextra -Werror)
target_link_libraries(device PRIVATE picogrant::host)
`,
  );
  return project;
}

describe("firmware built with CMake", () => {
  const settings = [`-DPICOGRANT_GENERATED=${generatedC}`];

  it("add_subdirectory: the example builds and shows a code", async () => {
    const project = firmware("with", `add_subdirectory("${targets}host" picogrant)`);
    valid("cmake", "-S", project, "-B", `${project}/build`, ...settings);
    valid("cmake", "--build", `${project}/build`, "--target", "device");
    const running = await opened();
    const device = new HostProcess([`${project}/build/device`], {
      SERVER: running.url,
      CLIENT_ID: TV.client_id,
      CLIENT_SECRET: TV.client_secret,
      RECORDS: path.join(project, "records"),
    });
    try {
      await expect.poll(() => device.display).toMatch(/[A-Z]{4}-[A-Z]{4}/);
    } finally {
      await device.kill("SIGKILL");
    }
  });

  it("install, find_package and pkg-config: the installed host and the core alone work too", () => {
    const build = path.join(folder, "library");
    const prefix = path.join(folder, "installed");
    valid("cmake", "-S", `${targets}host`, "-B", build, ...settings);
    valid("cmake", "--build", build);
    valid("cmake", "--install", build, "--prefix", prefix);
    const alone = path.join(folder, "alone.c");
    const body = "struct pg_core core; pg_core_close(&core); return pg_get(&core, PG_STATE);";
    writeFileSync(alone, `#include <picogrant.h>\nint main(void) { ${body} }\n`);
    const core = `add_executable(alone "${alone}")\ntarget_link_libraries(alone picogrant::core)`;
    const project = firmware("finds", `find_package(picogrant REQUIRED)\n${core}`);
    valid("cmake", "-S", project, "-B", `${project}/build`, `-DCMAKE_PREFIX_PATH=${prefix}`);
    valid("cmake", "--build", `${project}/build`);
    valid(`${project}/build/alone`);
    const flags = `$(PKG_CONFIG_PATH=${prefix}/lib/pkgconfig pkg-config --cflags --libs picogrant-core)`;
    valid("sh", "-c", `gcc -Werror ${alone} ${flags} -o ${folder}/alone && ${folder}/alone`);
  });
});
