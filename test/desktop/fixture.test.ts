// Accounts and clients edited behind the panel: checked as --fixture is, applied to the world that runs, saved as a file.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createPanel } from "../../targets/desktop/panel/routes.ts";
import { virtualWorld } from "../../targets/desktop/scenarios/play.ts";
import { Recorder } from "../../targets/desktop/scenarios/recorder.ts";
import { Controller } from "../../targets/desktop/simulator/controls.ts";
import { shows } from "../../targets/desktop/simulator/device/frame-display.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";
import { perform } from "../../targets/desktop/simulator/steps.ts";
import { Viewer } from "../../targets/desktop/simulator/view.ts";
import type { FixtureInput } from "../../targets/service/fixture.ts";

const ADDRESS = "http://127.0.0.1:8628/panel/fixture";

let simulation: Simulation;
let controller: Controller;
let ask: (address: string, init?: RequestInit) => Promise<Response>;

beforeEach(() => {
  simulation = virtualWorld();
  controller = new Controller(simulation, new Viewer(simulation), true);
  const panel = createPanel(simulation, controller);
  ask = async (address, init) => (await panel(new Request(address, init), {}))!;
  simulation.powerOn();
});

async function present(): Promise<FixtureInput> {
  return (await (await ask(ADDRESS)).json()) as FixtureInput;
}

/** @returns what is wrong with it */
async function send(deed: "apply" | "check", text: string): Promise<string> {
  const headers = { "content-type": "application/json", "x-picogrant-panel": "1" };
  const body = JSON.stringify({ text });
  const answer = await ask(`${ADDRESS}/${deed}`, { method: "POST", headers, body });
  return ((await answer.json()) as { said: string }).said;
}

/** The fixture as it is now, with a change. */
async function changed(change: (fixture: FixtureInput) => void): Promise<string> {
  const fixture = await present();
  change(fixture);
  return JSON.stringify(fixture, null, 2);
}

async function until(text: string): Promise<void> {
  await simulation.clock.advance(60_000, () => shows(simulation.display.lines, text));
  expect(shows(simulation.display.lines, text), simulation.display.lines.join("|")).toBe(true);
}

describe("accounts and clients behind the panel", () => {
  test("they are as they are now, with a policy that was set meanwhile", async () => {
    await perform(simulation, "policy pupil video");
    const fixture = await present();
    expect(fixture).toEqual(simulation.fixtureNow);
    expect(fixture.accounts?.find(({ id }) => id === "pupil")?.blockedScopes).toEqual(["video"]);
  });

  test("an account that was disabled meanwhile is disabled in it, and after it is applied", async () => {
    await perform(simulation, "account disable ben");
    const disabledOf = ({ accounts = [] }: FixtureInput): string[] =>
      accounts.filter(({ disabled }) => disabled).map(({ id }) => id);
    const before = disabledOf(simulation.fixture!);
    expect(disabledOf(await present())).toEqual(["ben", ...before]);
    await send("apply", await changed(() => {}));
    expect(disabledOf(simulation.fixtureNow!)).toEqual(["ben", ...before]);
    expect(await perform(simulation, "account disable ben")).toBe(
      "ben's account is disabled already",
    );
    await perform(simulation, "account enable ben");
    expect(disabledOf(simulation.fixtureNow!)).toEqual(before);
  });

  test("applied, the service begins anew: a device that was signed in signs in again", async () => {
    await until("Code ");
    await perform(simulation, "allow");
    await until("3 broadcasts: Harbour regatta");
    const text = await changed(({ broadcasts = [] }) => {
      for (const one of broadcasts) if (one.id === "regatta") one.title = "Rowing & <rain>";
    });
    expect(await send("apply", text)).toBe("");
    expect(simulation.fixtureNow?.broadcasts?.[0]?.title).toBe("Rowing & <rain>");
    await until("Session ended. Sign in again");
    await perform(simulation, "new-code");
    await until("Code ");
    await perform(simulation, "allow");
    await until("3 broadcasts: Rowing & <rain>");
    expect(simulation.timeline.entries.filter(({ what }) => what === "ada allows")).toHaveLength(2);
  });

  test("a code that was shown is unknown to it: the device asks for a new one by itself", async () => {
    await until("Code ");
    const before = simulation.userCode;
    await perform(simulation, "service interval 7");
    await send("apply", await changed(() => {}));
    await simulation.clock.advance(
      60_000,
      () => simulation.userCode !== "" && simulation.userCode !== before,
    );
    expect(simulation.userCode).not.toBe(before);
    expect(simulation.service!.options.interval).toBe(7);
  });

  test("the device has the secret that its client has now", async () => {
    await send(
      "apply",
      await changed(({ clients = [] }) => {
        for (const one of clients) if (one.id === "living-room-tv") one.secret = "another secret";
      }),
    );
    await until("Code ");
    await perform(simulation, "allow");
    await until("3 broadcasts");
  });

  test("a stream of security events is set up anew with the receivers that there are now", async () => {
    await perform(simulation, "stream poll");
    expect(simulation.maker.view.delivery).toBe("poll");
    await send(
      "apply",
      await changed(({ receivers = [] }) => {
        for (const one of receivers) one.token = `${one.token}-and-more`;
      }),
    );
    expect(simulation.maker.view.delivery).toBe("off");
    expect(await perform(simulation, "stream poll")).toBe("");
    expect(simulation.maker.authorization).toMatch(/-and-more$/);
  });

  test("a lasting fault of the service before is mended first", async () => {
    await perform(simulation, "fault quota on");
    await send("apply", await changed(() => {}));
    await until("Code ");
    expect(simulation.service!.options.deviceCodeQuota?.requests).toBeGreaterThan(0);
  });

  test.each([
    ["{", /^is not JSON: .+$/],
    ['{"accounts": [\n1 2]}', /^is not JSON: .+$/],
    ["[]", /^fixture: .+$/],
    ['{"accounts": [{"id": "ada"}]}', /^fixture: accounts.+$/],
    ['{"accounts": []}', /^fixture: accounts: there is no "ada", who allows; .+$/],
  ])("a wrong text is one line about it, and changes nothing: %s", async (text, line) => {
    const before = simulation.fixtureNow;
    expect(await send("apply", text)).toMatch(line);
    expect(simulation.fixtureNow).toEqual(before);
  });

  test("before it is saved it is only looked at", async () => {
    const text = await changed(({ accounts = [] }) => {
      accounts[0]!.name = "Zoë";
    });
    expect(await send("check", text)).toBe("");
    expect(simulation.fixtureNow?.accounts?.[0]?.name).not.toBe("Zoë");
    expect(await send("check", "{")).toMatch(/^is not JSON/);
  });

  test("a page elsewhere can send nothing and read nothing", async () => {
    const body = JSON.stringify({ text: await changed(() => {}) });
    expect((await ask(`${ADDRESS}/apply`, { method: "POST", body })).status).toBe(403);
    expect((await ask("http://evil.example/panel/fixture")).status).toBe(403);
    const large = { method: "POST", body: "x".repeat(2_000_001) };
    expect((await ask(`${ADDRESS}/apply`, large)).status).toBe(413);
  });

  test("a recording is replayed with the usual accounts", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "picogrant-"));
    controller.recorder = new Recorder(simulation, path.join(folder, "one.scenario"));
    const said = await send("apply", await changed(() => {}));
    expect(said).toContain("a recording is replayed with the usual accounts");
  });
});
