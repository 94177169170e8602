// Tools for makers of devices of the installed package, without the sources.

import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, inject, it } from "vitest";
import { run, start } from "./command.ts";

const folder = path.join(inject("project"), "tools");

describe("picogrant check-server", () => {
  it("answers the check of a port in C, counts its connections, and ends with Ctrl+C", async () => {
    const server = start(["check-server", "--port", "0"]);
    await expect.poll(() => server.stdout).toMatch(/listening on \S+\n/);
    const [, url] = /listening on (\S+)\n/.exec(server.stdout)!;
    const pattern = await fetch(`${url}pattern`);
    expect(pattern.headers.get("picogrant-check")).toBe("1");
    expect((await pattern.arrayBuffer()).byteLength).toBe(5000);
    const echo = await fetch(`${url}echo`, { method: "POST", body: "abc" });
    // 97 * 31^2 + 98 * 31 + 99
    expect(await echo.text()).toBe("3 96354 ");
    expect(await (await fetch(`${url}open`)).text()).toMatch(/^[1-3] $/);
    const again = await run(["check-server", "--port", new URL(url!).port]);
    expect(again).toMatchObject({ code: 2, stdout: "" });
    expect(again.stderr).toMatch(
      /^picogrant check-server: port \d+ on 127\.0\.0\.1 is in use; [^\n]*\n$/,
    );
    server.child.kill("SIGINT");
    expect(await server.end).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("picogrant configure", () => {
  it("writes what the server's profile says into a device.json that every host takes", async () => {
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, "device.json");
    const out = path.join(folder, "complete.json");
    writeFileSync(
      file,
      JSON.stringify({ clientId: "c", scope: "openid", server: "google", clientSecret: "x" }),
    );
    expect(await run(["configure", file, "--out", out])).toMatchObject({ code: 0, stderr: "" });
    const config = JSON.parse(readFileSync(out, "utf8")) as { endpoints: { token: string } };
    expect(config.endpoints.token).toMatch(/^https:/);
    expect(statSync(out).mode & 0o777).toBe(0o600);

    const again = await run(["configure", file, "--out", out]);
    expect(again).toMatchObject({ code: 2, stdout: "" });
    expect(again.stderr).toMatch(
      /^picogrant configure: [^\n]*complete\.json: exists already[^\n]*\n$/,
    );

    const page = await run(["configure", file, "--page", "--out", path.join(folder, "page")]);
    expect(page.stderr).toMatch(/^picogrant configure: --authorities is missing[^\n]*\n$/);
  });
});

describe("picogrant sizing", () => {
  it("says how much memory tokens need, and more for longer ones", async () => {
    const need = async (access: string): Promise<{ complete: number; grant_alone: number }> => {
      const { stdout } = await run(["sizing", "--access", access, "--refresh", "64", "--json"]);
      return JSON.parse(stdout) as { complete: number; grant_alone: number };
    };
    const [short, long] = [await need("64"), await need("2000")];
    expect(short.complete % 32).toBe(0);
    expect(short.grant_alone).toBeLessThanOrEqual(short.complete);
    expect(long.complete).toBeGreaterThan(short.complete + 1900);
  });
});
