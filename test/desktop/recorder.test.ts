// What a person does in the simulator, recorded into a scenario that replays.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { play, virtualWorld } from "../../targets/desktop/scenarios/play.ts";
import { Recorder } from "../../targets/desktop/scenarios/recorder.ts";
import { readScenario } from "../../targets/desktop/scenarios/scenario.ts";
import { Controller } from "../../targets/desktop/simulator/controls.ts";
import { Viewer } from "../../targets/desktop/simulator/view.ts";
import { Visitor } from "../service/visitor.ts";

test("what a person does is recorded into a scenario that can be replayed", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  const file = path.join(folder, "recorded.scenario");
  const simulation = virtualWorld({ columns: 20, rows: 4, account: "ada", rotate: false });
  const controller = new Controller(simulation, new Viewer(simulation), true);
  const recorder = new Recorder(simulation, file);
  controller.recorder = recorder;
  simulation.powerOn();
  await simulation.clock.advance(12_345);
  await controller.run("fault slow");
  await simulation.clock.advance(3000);
  await controller.run("fault slow");
  await controller.run("allow");
  await simulation.clock.advance(30_000);
  await recorder.save();
  const text = readFileSync(file, "utf8");
  rmSync(folder, { recursive: true });
  expect(text).toContain(
    "advance 12345ms\nfault slow\nadvance 3000ms\nfault slow\nallow ada\nadvance 30",
  );
  expect(text).toContain("|Signed in           |");
  expect((await play(readScenario("recorded", text))).unmet).toBeUndefined();
  const changed = text.replace("\nallow ada\n", "\ndeny\n");
  expect((await play(readScenario("recorded", changed))).unmet).toBeDefined();
  simulation.clock.close();
});

test("what is decided on the service's own pages is recorded with its choices, and replays", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  const file = path.join(folder, "recorded.scenario");
  const simulation = virtualWorld({ columns: 20, rows: 4, account: "ada", rotate: false });
  const service = simulation.service!;
  const recorder = new Recorder(simulation, file);
  simulation.powerOn();
  recorder.step("scope video.readonly email");
  simulation.useScope(["video.readonly", "email"]);
  await simulation.clock.advance(12_000);
  const visitor = new Visitor(service);
  const entry = await visitor.get(`/device?user_code=${simulation.userCode}`);
  const chooser = await visitor.submit(entry, "/device", {});
  const consent = await visitor.submit(chooser, "/device/account", { account: "ben" });
  const decision = { decision: "allow", access: "" };
  await visitor.submit(consent, "/device/decision", decision, ["email"]);
  await simulation.clock.advance(30_000);
  expect(() => new Recorder(simulation, `${file}.2`)).toThrow(/has a past/);
  const account = await visitor.get("/account");
  await visitor.submit(account, "/account/sign-out-everywhere", {});
  await simulation.clock.advance(1000);
  recorder.step("press list");
  simulation.press("list");
  await recorder.save();
  const text = readFileSync(file, "utf8");
  const fresh = virtualWorld({ columns: 20, rows: 4, account: "ada", rotate: false });
  expect(() => new Recorder(fresh, file)).toThrow(/is there already; choose another file/);
  expect(readFileSync(file, "utf8")).toBe(text);
  rmSync(folder, { recursive: true });
  expect(text).toMatch(/allow ben scopes=\S+video\.readonly\n/);
  expect(text).toContain("account sign-out-everywhere ben");
  expect(text).toContain("|Session ended");
  expect((await play(readScenario("recorded", text))).unmet).toBeUndefined();
});
