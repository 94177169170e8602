// Tests the files of the C host: closed descriptors, files of other users, records of other servers, and full disks.

import { spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { programOf } from "../../targets/workbench/host/build.ts";
import { code } from "../environment/environment.ts";
import { endpointsAt, opened, scripted } from "../environment/real-environment.ts";
import { HostProcess } from "./host-process.ts";

const release = programOf("release");
const sanitized = programOf("sanitize");
const isRoot = process.getuid?.() === 0;

describe("files and descriptors", () => {
  it("if standard descriptors are closed at the start, no file gets their numbers", async () => {
    const own = await opened();
    const page = own.page();
    // At the second start, a record exists. If its file got descriptor 0, the host would read its bytes as keys.
    for (let start = 0; start < 2; start++) {
      const script = `exec ${release} --page ${page} <&- >&- 2>${own.folder}/messages`;
      const child = spawn("sh", ["-c", script], { stdio: "ignore" });
      const polls = own.responses("/token").length;
      while (own.responses("/token").length < polls + 2) {
        if (child.exitCode !== null)
          throw new Error(readFileSync(`${own.folder}/messages`, "utf8"));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const ended = new Promise((resolve) => child.on("exit", resolve));
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
    }
    expect(readFileSync(own.recordFile).toString("latin1")).not.toContain("+---");
    expect(own.responses("/device/code")).toHaveLength(1);
  });

  it("standard input stays blocking, because other processes may read it too", async () => {
    const page = (await opened()).page();
    const script = `${release} --page ${page} 2>&1 >/dev/null; cat /proc/self/fdinfo/0`;
    const host = new HostProcess(["sh", "-c", script]);
    await host.until("a state", () => host.display.includes("state: PENDING"));
    await host.quit();
    const flags = Number.parseInt(/^flags:\s*(\d+)$/m.exec(host.display)![1]!, 8);
    expect(flags & 0o4000).toBe(0);
  });

  it.runIf(isRoot || process.env.CI === "true")(
    "the host refuses a directory or a file of another user",
    async () => {
      const own = await opened();
      const page = own.page();
      const directory = join(own.folder, "state");
      mkdirSync(directory, { mode: 0o700 });
      chownSync(directory, 65_534, 65_534);
      const other = new HostProcess([sanitized, "--page", page]);
      expect(await other.exit()).toBe(2);
      expect(other.messages).toMatch(/^picogrant-host: \S+: its directory belongs to another user/);
      chownSync(directory, 0, 0);
      writeFileSync(own.recordFile, Buffer.alloc(16_384, 0xff), { mode: 0o600 });
      chownSync(own.recordFile, 65_534, 65_534);
      const file = new HostProcess([sanitized, "--page", page]);
      expect(await file.exit()).toBe(2);
      expect(file.messages).toMatch(/^picogrant-host: \S+records\.flash: belongs to another user/);
    },
  );

  it.each(["release", "quickjs"] as const)(
    "a second device on the same records is refused, and the first continues (%s)",
    async (kind) => {
      const own = await opened();
      const page = own.page();
      const first = new HostProcess([programOf(kind), "--page", page]);
      await first.state("PENDING");
      const second = new HostProcess([programOf(kind), "--page", page]);
      expect(await second.exit()).toBe(2);
      expect(second.messages).toMatch(
        /^picogrant-host: \S+records\.flash: is in use by another host\n$/,
      );
      expect(own.service.approve(own.pendingCode, "ada")).toBe("granted");
      await first.state("SIGNED_IN");
      expect(await first.quit()).toBe(0);
    },
  );

  it("modes of own files are corrected; files that every user can write are refused, also because of their directory", async () => {
    const own = await opened();
    const page = own.page();
    const directory = join(own.folder, "state");
    mkdirSync(directory);
    chmodSync(directory, 0o777);
    writeFileSync(own.recordFile, "");
    chmodSync(own.recordFile, 0o660);
    const host = new HostProcess([sanitized, "--page", page]);
    await host.state("PENDING");
    expect(await host.quit()).toBe(0);
    const modes = [directory, own.recordFile].map((file) => statSync(file).mode & 0o777);
    expect(modes).toEqual([0o755, 0o600]);
    const refused = async (): Promise<string> => {
      const other = new HostProcess([sanitized, "--page", page]);
      expect(await other.exit()).toBe(2);
      return other.messages;
    };
    chmodSync(own.recordFile, 0o606);
    expect(await refused()).toMatch(/every user could change it; delete it and sign in again\n$/);
    chmodSync(own.recordFile, 0o600);
    mkdirSync(join(own.folder, "open"));
    chmodSync(join(own.folder, "open"), 0o777);
    own.page({
      storage: { directory: join(own.folder, "open/state"), deviceKeyFile: "/dev/null" },
    });
    expect(await refused()).toMatch(/others can change a directory that it lies in/);
  });

  /** Starts the host with each configuration in one folder. @returns the number of code requests after each start */
  async function codeRequests(
    changes: (origin: string) => readonly Record<string, unknown>[],
  ): Promise<number[]> {
    const { origin, requested: requests } = await scripted(() => code({ interval: 1 }));
    const own = await opened();
    const requested: number[] = [];
    for (const change of changes(origin)) {
      const host = new HostProcess([sanitized, "--page", own.page(change)]);
      await host.state("PENDING");
      await host.kill("SIGKILL");
      requested.push(requests.filter(({ path }) => path.startsWith("/device/code")).length);
    }
    return requested;
  }

  const withToken = (origin: string, token: string): Record<string, unknown> => ({
    endpoints: { ...endpointsAt(origin).endpoints, token },
  });
  const at = (origin: string, path: string) => withToken(origin, origin + path);

  it.each<[string, (origin: string) => readonly Record<string, unknown>[], readonly number[]]>([
    [
      "a record belongs to one server: the address of its token endpoint, or its issuer",
      (origin) => {
        const own = withToken(origin, `${origin}/token`);
        const other = withToken(origin, `${origin}/token`.replace("127.0.0.1", "localhost"));
        return [own, own, other, { ...other, issuer: "https://issuer.example" }];
      },
      [1, 1, 2, 3],
    ],
    [
      "tenants of one origin share nothing (RFC 9700 §4.4)",
      (origin) =>
        ["/a/token", "/a/token", "/b/token", "/b/Token", "/b/token?x=1"].map((path) =>
          at(origin, path),
        ),
      [1, 1, 2, 3, 4],
    ],
    [
      "an update keeps the session: a record of an older host, which named the server by its origin, is valid",
      (origin) => {
        const older = { ...at(origin, "/a/token"), issuer: origin };
        return [
          older,
          at(origin, "/a/token"),
          at(origin, "/a/token"),
          at(origin, "/b/token"),
          older,
        ];
      },
      [1, 1, 1, 2, 3],
    ],
  ])("%s", async (_, changes, requested) => {
    expect(await codeRequests(changes)).toEqual(requested);
  });

  it("more memory keeps the session: the file grows, and its blocks stay in place", async () => {
    const own = await opened();
    let host = new HostProcess([sanitized, "--page", own.page()]);
    await host.state("PENDING");
    await host.kill("SIGKILL");
    expect(statSync(own.recordFile).size).toBe(16_384);
    const page = own.page({ limits: { memoryBytes: 65_535 } });
    host = new HostProcess([sanitized, "--page", page]);
    await host.state("PENDING");
    expect(own.responses("/device/code")).toHaveLength(1);
    expect(statSync(own.recordFile).size).toBe(9 * 16_384);
    expect(await host.quit()).toBe(0);
  });
});

it("SPEC.md, Records: on a full disk the device continues, and reports it", async () => {
  const own = await opened();
  // With a maximum file length of 0, each write fails.
  const script = `ulimit -f 0; exec ${release} --page ${own.page()}`;
  const host = new HostProcess(["sh", "-c", script]);
  await host.state("PENDING");
  expect(host.messages).toMatch(/records\.flash: .*\n.*will not stay signed in/);
  expect(own.service.approve(own.pendingCode, "ada")).toBe("granted");
  await host.state("SIGNED_IN");
  await host.until("the display reports it", () => /not saved/i.test(host.frame.join(" ")));
  expect(await host.quit()).toBe(0);
});
