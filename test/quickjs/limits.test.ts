// No test of this folder can hang: whatever never comes ends in a failure that names the step, and leaves no
// process behind.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RunningDevice } from "./device.ts";
import { runToEnd } from "./limits.ts";
import { descendantsOf } from "./processes.ts";
import { enginesHere, temporaryFolder } from "./qjs.ts";

const LIMIT_MS = 300;
const FOREVER = ["-e", 'console.log(`{"event":"begun"}`); while (true);'];

describe.each(enginesHere())("%s", (_, qjs) => {
  it("a program that never ends is killed, and its step named", async () => {
    const run = runToEnd("the seventh step", qjs, FOREVER, LIMIT_MS);
    await expect(run).rejects.toThrow(
      /^the seventh step: nothing within 300 ms, killed\. It said: /,
    );
    await expect.poll(() => descendantsOf([process.pid])).toEqual([process.pid]);
  });

  it.each([
    ["event", (device: RunningDevice) => device.state("signed-in"), "waiting for state signed-in"],
    ["end", (device: RunningDevice) => device.end(), "its end"],
    [
      "end after a signal",
      (device: RunningDevice) => device.signal("SIGCONT"),
      "its end after SIGCONT",
    ],
  ])("an %s of a device that never comes is a failure with its step", async (_name, wait, step) => {
    const device = new RunningDevice(qjs, FOREVER, {}, LIMIT_MS);
    await expect(wait(device)).rejects.toThrow(`${step}: nothing within 300 ms, killed`);
    await expect.poll(() => device.child.signalCode).toBe("SIGKILL");
  });

  it("a program that ends in time is left alone", async () => {
    const folder = temporaryFolder();
    const program = `console.log("done"); std.open(${JSON.stringify(join(folder, "x"))}, "w").close()`;
    const ended = await runToEnd("short", qjs, ["--std", "-e", program]);
    expect(ended).toEqual({ status: 0, stdout: "done\n", stderr: "" });
    expect(existsSync(join(folder, "x"))).toBe(true);
  });
});

it("a program that is not there is told at once", async () => {
  await expect(runToEnd("none", "/nonexistent/qjs", [])).rejects.toThrow("ENOENT");
});
