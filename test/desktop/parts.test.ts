// The small parts of the simulator: masks, the character set, recordings, settings of the fleet.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import type { Http, HttpSink } from "../../platform/contracts.ts";
import { buildVariant, VARIANTS } from "../../targets/desktop/fleet/core-variants.ts";
import { GLYPH_ROWS, glyphOf } from "../../targets/desktop/panel/font.ts";
import { play, virtualWorld } from "../../targets/desktop/scenarios/play.ts";
import { Recorder } from "../../targets/desktop/scenarios/recorder.ts";
import { readScenario } from "../../targets/desktop/scenarios/scenario.ts";
import { CONTROLS, Controller } from "../../targets/desktop/simulator/controls.ts";
import { ExchangeLog } from "../../targets/desktop/simulator/log/exchanges.ts";
import { clean, describeAnswer, describeForm } from "../../targets/desktop/simulator/log/mask.ts";
import { Moments } from "../../targets/desktop/simulator/log/moments.ts";
import { Viewer } from "../../targets/desktop/simulator/view.ts";
import { FAULTS } from "../../targets/desktop/simulator/world/faults.ts";
import { Network } from "../../targets/desktop/simulator/world/network.ts";
import { WorldClock } from "../../targets/desktop/simulator/world/world-clock.ts";
import { Visitor } from "../service/visitor.ts";

test("answers and forms are shown without their secrets and without control characters", () => {
  const answer = { access_token: "s1", refresh_token: "s2", device_code: "s3", user_code: "s4" };
  expect(describeAnswer(JSON.stringify({ ...answer, expires_in: 5 }))).toBe(
    "access_token=*** refresh_token=*** device_code=*** user_code=*** expires_in=5",
  );
  expect(describeForm("client_secret=x&token=y&grant_type=z")).not.toMatch(/=[xy](&|$)/);
  expect(describeAnswer("<html>")).toBe("(6 characters that are not JSON)");
  expect(describeAnswer('{"error":"\\u001b[2J"}')).toBe("error=?[2J");
  expect(clean("a\x1b\n\x7fb")).toBe("a???b");
});

test("the character set has a glyph of its own for each printable character, within 8 rows", () => {
  const seen = new Map<string, number>();
  for (let code = 32; code < 127; code++) {
    const glyph = glyphOf(code);
    expect(glyph).toHaveLength(5);
    for (const column of glyph) expect(column).toBeLessThan(2 ** GLYPH_ROWS);
    const key = glyph.join();
    expect(seen.get(key), `${String.fromCharCode(code)} looks like another`).toBeUndefined();
    seen.set(key, code);
    if (code > 32) expect(glyph.some((column) => column > 0)).toBe(true);
  }
  expect(glyphOf(7)).toEqual(glyphOf(32));
});

test("no two controls share a key, and every fault has one", () => {
  const keys = CONTROLS.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).not.toContain("q");
  for (const { key } of FAULTS) expect(keys).toContain(key);
});

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

test("a wrong command is told in one line and changes nothing", async () => {
  const simulation = virtualWorld({ columns: 20, rows: 4, account: "ada", rotate: false });
  const viewer = new Viewer(simulation);
  await new Controller(simulation, viewer, true).run("press any key");
  expect(viewer.message).toMatch(/^there is no button/);
  await new Controller(simulation, viewer, false).run("advance 30m");
  expect(viewer.message).toBe("a real server runs on real time");
  expect(simulation.clock.nowMs()).toBe(0);
});

test("a power cut in the middle of a real exchange lets the world go on", async () => {
  const clock = new WorldClock({ paused: true });
  const log = new ExchangeLog(new Moments(() => clock.nowMs()), () => {});
  const silent: Http = { send: () => {}, abort: () => {} };
  const network = new Network(silent, clock, log);
  const heard: string[] = [];
  const sink: HttpSink = {
    status: () => heard.push("status"),
    body: () => heard.push("body"),
    end: () => heard.push("end"),
    failed: () => heard.push("failed"),
  };
  const nothing = new Uint8Array(0);
  const request = { method: "POST", url: "http://127.0.0.1/token", contentType: "" } as const;
  network.send({ ...request, authorization: "", body: nothing, bodyFrom: 0, bodyTo: 0 }, sink);
  const jump = clock.advance(1000);
  network.abort();
  await jump;
  expect(clock.nowMs()).toBe(1000);
  expect(heard).toEqual([]);
  expect(log.entries[0]?.answer).toBe("given up");
});

test.each(VARIANTS)("the core has what is varied in the fleet: $name", async (variant) => {
  expect(typeof (await buildVariant(variant)).tick).toBe("function");
});
