// What a person does to the simulated world, and that everything is as before when it is mended.
import { describe, expect, test } from "vitest";
import { CallState } from "../../core/complete.ts";
import { virtualWorld } from "../../targets/desktop/scenarios/play.ts";
import { Controller } from "../../targets/desktop/simulator/controls.ts";
import { deedOf } from "../../targets/desktop/simulator/deeds.ts";
import { shows } from "../../targets/desktop/simulator/device/frame-display.ts";
import { ExchangeLog } from "../../targets/desktop/simulator/log/exchanges.ts";
import { Moments } from "../../targets/desktop/simulator/log/moments.ts";
import { whyNot } from "../../targets/desktop/simulator/needs.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";
import { perform } from "../../targets/desktop/simulator/steps.ts";
import { Viewer } from "../../targets/desktop/simulator/view.ts";
import { FAULTS } from "../../targets/desktop/simulator/world/faults.ts";

const SETTINGS = { columns: 20, rows: 4, account: "ada", rotate: false };

async function signedIn(account = "ada"): Promise<Simulation> {
  const simulation = virtualWorld({ ...SETTINGS, account });
  simulation.powerOn();
  await simulation.clock.advance(20_000);
  await perform(simulation, "allow");
  await simulation.clock.advance(20_000);
  return simulation;
}

describe("mending gives back what was there before", () => {
  test("a policy that the fixture has set", async () => {
    const simulation = virtualWorld({ ...SETTINGS, account: "nora" });
    simulation.service!.setPolicy("nora", ["publisher"]);
    for (const how of ["on", "on", "off"]) await perform(simulation, `fault policy ${how}`);
    expect(simulation.service!.policyOf("nora")).toEqual(["publisher"]);
  });

  test("a quota that the options have set", async () => {
    const simulation = virtualWorld(SETTINGS);
    const deviceCodeQuota = { requests: 7, windowSeconds: 70 };
    simulation.service!.setOptions({ deviceCodeQuota });
    for (const how of ["on", "on", "off"]) await perform(simulation, `fault quota ${how}`);
    expect(simulation.service!.options.deviceCodeQuota).toEqual(deviceCodeQuota);
  });

  test("mending says when there is nothing to mend, and notes nothing", async () => {
    const simulation = virtualWorld(SETTINGS);
    expect(await perform(simulation, "mend")).toBe("there is no fault to mend");
    expect(simulation.timeline.entries).toEqual([]);
  });
});

describe("keys that can do nothing say why", () => {
  test("without power", async () => {
    const simulation = virtualWorld(SETTINGS);
    expect(await perform(simulation, "press sign-out")).toBe("the device has no power");
  });

  test("in a state in which they mean nothing", async () => {
    const simulation = await signedIn();
    expect(await perform(simulation, "press cancel")).toBe("cancel: nothing to do in this state");
  });

  test("one that fails leaves the next one alive", async () => {
    const simulation = virtualWorld(SETTINGS);
    const viewer = new Viewer(simulation);
    const controller = new Controller(simulation, viewer, true);
    simulation.resize = () => {
      throw new TypeError("broken inside");
    };
    await controller.run("display 20x4");
    expect(viewer.message).toContain("broken inside");
    await controller.run("mend");
    expect(viewer.message).toBe("there is no fault to mend");
  });
});

test("a message goes when it is no longer true, and a second one of the same words is another one", async () => {
  const simulation = virtualWorld(SETTINGS);
  const viewer = new Viewer(simulation);
  const controller = new Controller(simulation, viewer, true);
  await controller.run("allow");
  const { message, messageNumber } = viewer.view();
  expect(message).toBe("there is no code on the display");
  await controller.run("allow");
  expect(viewer.view().messageNumber).toBeGreaterThan(messageNumber);
  simulation.powerOn();
  await simulation.clock.advance(10_000, () => simulation.userCode !== "");
  expect(viewer.view().message).toBe("");
});

test("a power cycle while a code is pending never brings a false slow_down", async () => {
  for (let shiftMs = 0; shiftMs < 5000; shiftMs += 700) {
    const simulation = virtualWorld(SETTINGS);
    simulation.powerOn();
    await simulation.clock.advance(12_000 + shiftMs);
    await perform(simulation, "power cycle");
    await simulation.clock.advance(40_000);
    const answers = simulation.exchanges.entries.map(({ answer }) => answer);
    expect(answers.filter((answer) => answer.includes("slow_down"))).toEqual([]);
  }
});

test("device doc section 5.7: the API's own reason is on the display and in the log", async () => {
  const simulation = await signedIn("robot");
  expect(simulation.display.lines.join(" ")).toContain("NoLinkedVideo");
  const call = simulation.exchanges.entries.findLast(({ purpose }) => purpose === "call the API");
  expect(call?.answer).toContain("error=NoLinkedVideoAccount");
});

test("RFC 7009 section 2.1: a revocation is logged as one, in the query and, retried, in the body", async () => {
  const simulation = await signedIn();
  const { exchanges } = simulation;
  await perform(simulation, "fault unavailable on");
  await perform(simulation, "press sign-out");
  await simulation.clock.advance(1000);
  await perform(simulation, "fault unavailable off");
  await simulation.clock.advance(60_000);
  const revocations = exchanges.entries.filter(({ purpose }) => purpose === "revoke");
  expect(revocations.map(({ status }) => status)).toEqual([503, 200]);
  expect(exchanges.counts.get("ask for a code")).toBe(1);
  const log = new ExchangeLog(new Moments(() => 0), () => {});
  const request = { method: "POST", contentType: "", authorization: "" } as const;
  const purposeOf = (query: string, form: string): string => {
    const body = new TextEncoder().encode(form);
    const url = `http://127.0.0.1/revoke${query}`;
    return log.begin({ ...request, url, body, bodyFrom: 0, bodyTo: body.length }).purpose;
  };
  expect(purposeOf("?token=t", "")).toBe("revoke");
  expect(purposeOf("", "token=t&client_id=tv&client_secret=s")).toBe("revoke");
  expect(purposeOf("", "client_id=tv&scope=video")).toBe("ask for a code");
});

describe("offer document: the device creates an offer at the simulated service", () => {
  const names = "test.picogrant.player\npremium\nmonthly\nintro-offer\n2022/02";
  const body = JSON.stringify({
    packageName: "test.picogrant.player",
    productId: "premium",
    basePlanId: "monthly",
  });

  async function create(simulation: Simulation, line = names): Promise<[number, number, number]> {
    const { driver } = simulation;
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
    const { core, device } = driver!;
    const [id, offer] = [bytes(line), bytes(body)];
    const refused = core.createOffer!(device, id, 0, id.length, offer, 0, offer.length);
    driver!.run();
    await simulation.clock.advance(5000);
    expect(refused || device.callState === CallState.DONE).toBeTruthy();
    return [refused, device.callError, device.callStatus];
  }

  /** A device of the client that may publish, with the scope for it. */
  async function publisher(account: string): Promise<Simulation> {
    const scope = "https://auth.picogrant.test/auth/publisher";
    const simulation = virtualWorld({ ...SETTINGS, account });
    Object.assign(simulation.settings.config, {
      clientId: "publisher-console",
      clientSecret: "publisher-secret",
      scope,
    });
    Object.assign(simulation.settings, {
      endpoints: {
        ...simulation.settings.endpoints,
        resources: ["", simulation.settings.endpoints.resources[1]!],
      },
    });
    simulation.powerOn();
    await simulation.clock.advance(20_000);
    expect(await perform(simulation, "allow")).toBe("");
    await simulation.clock.advance(20_000);
    return simulation;
  }

  test("section 3: made, in the state DRAFT", async () => {
    expect(await create(await publisher("ada"))).toEqual([0, 0, 200]);
  });

  test("section 1: not under a base plan that does not renew itself", async () => {
    const prepaid = names.replace("monthly", "prepaid-30");
    const [refused] = await create(await publisher("ada"), prepaid);
    // The body names another base plan: found before anything is sent.
    expect(refused).toBe(9);
  });

  test("not by who may not publish, and not twice", async () => {
    expect((await create(await publisher("ben")))[2]).toBe(403);
    const simulation = await publisher("ada");
    await create(simulation);
    expect((await create(simulation))[2]).toBe(409);
  });
});

test("how long an access token lives is never told before it is known, whatever was restored", async () => {
  const simulation = await signedIn();
  const viewer = new Viewer(simulation);
  const told: number[] = [];
  simulation.onChange(() => told.push(viewer.view().device.access.leftMs));
  await perform(simulation, "power cycle");
  await simulation.clock.advance(20_000);
  expect(Math.max(...told)).toBeGreaterThan(3_000_000);
  expect(Math.max(...told)).toBeLessThanOrEqual(3_600_000);
});

describe("a jump while a code is pending", () => {
  test("does what happens without it, at the same moments", async () => {
    const [jumped, passed] = [virtualWorld(SETTINGS), virtualWorld(SETTINGS)];
    for (const simulation of [jumped, passed]) {
      simulation.powerOn();
      await simulation.clock.advance(10_000);
    }
    await new Controller(jumped, new Viewer(jumped), true).run("advance 30m");
    await passed.clock.advance(1_800_000);
    const logOf = ({ exchanges }: Simulation): string[] =>
      exchanges.entries.map(({ atMs, purpose, status }) => `${atMs} ${purpose} ${status}`);
    expect(logOf(jumped)).toEqual(logOf(passed));
    expect([...jumped.exchanges.counts]).toEqual([...passed.exchanges.counts]);
    expect(jumped.exchanges.counts.get("poll")).toBeGreaterThan(300);
  });

  test("nothing is counted meanwhile that makes it slow", async () => {
    const simulation = virtualWorld(SETTINGS);
    const heard: string[] = [];
    const meter = {
      read: () => {
        heard.push("read");
        return { core: 0, others: 0 };
      },
      pause: () => void heard.push("pause"),
    };
    const viewer = new Viewer(simulation, meter);
    simulation.powerOn();
    viewer.view();
    simulation.clock.after(60_000, () => heard.push(`${viewer.view().clock.jumpLeftMs}`));
    await new Controller(simulation, viewer, true).run("advance 30m");
    viewer.view();
    expect(heard).toEqual(["read", "pause", "1740000", "read"]);
  });

  test("a deed says that it waits; pause ends the jump", async () => {
    const simulation = virtualWorld(SETTINGS);
    const viewer = new Viewer(simulation);
    const controller = new Controller(simulation, viewer, true);
    simulation.powerOn();
    const said: string[] = [];
    let denied: Promise<void> | undefined;
    simulation.clock.after(60_000, () => {
      denied = controller.run("deny");
      said.push(viewer.message);
      void controller.run("pause");
    });
    await controller.run("advance 30m");
    expect(said).toEqual(["time jumps: deny comes after it; pause ends the jump"]);
    expect(simulation.clock.nowMs()).toBe(60_000);
    await denied;
    await simulation.clock.advance(10_000);
    expect(viewer.view().device.error).toBe("access denied");
  });
});

describe("what was never on is not mended aloud", () => {
  test("off for a fault that is not there notes nothing", async () => {
    const simulation = virtualWorld(SETTINGS);
    expect(await perform(simulation, "fault offline off")).toBe("network unplugged: was not on");
    expect(simulation.timeline.entries).toEqual([]);
  });
});

test("a decision on the phone's pages is in the log, with who made it", async () => {
  const simulation = virtualWorld(SETTINGS);
  simulation.powerOn();
  await simulation.clock.advance(5000);
  // Not by the simulator's key: as the pages do it.
  simulation.service!.approve(simulation.userCode, "ben");
  const { timeline } = new Viewer(simulation).view();
  expect(timeline.at(-1)).toMatchObject({ what: "ben allows", by: "person", state: "" });
});

/** What is done beside the fault for its display to come: before it and after it. */
const BESIDE: Readonly<Record<string, { before?: string[]; after?: string[] }>> = {
  slow: { before: ["power on", "advance 20s"] },
  "slow-down": { before: ["power on", "advance 20s"] },
  "repeat-poll": { before: ["power on", "advance 20s"] },
  "wrong-grant-type": { before: ["power on", "advance 20s"] },
  "cut-poll": { before: ["power on", "advance 20s"] },
  restart: { before: ["power on", "advance 20s"] },
  quota: { before: ["power on", "advance 20s"], after: ["press new-code"] },
  policy: { before: ["power on", "advance 20s"], after: ["allow"] },
  revoke: { before: ["power on", "advance 20s", "allow", "advance 20s"] },
  "lose-answer": { before: ["power on", "advance 20s", "allow", "advance 20s"] },
  "flip-bit": {
    before: ["power on", "advance 20s", "allow", "advance 20s"],
    after: ["power cycle"],
  },
};

describe("what a fault's button says that one should see", () => {
  test.each(FAULTS)("$name: $label", async ({ name, display, needs }) => {
    const simulation = virtualWorld(SETTINGS);
    const { before = [], after = [] } = BESIDE[name] ?? {};
    for (const step of before) await perform(simulation, step);
    const shown = [...simulation.display.lines];
    const why = whyNot(needs, new Viewer(simulation).view());
    expect(why).toBe("");
    for (const step of [`fault ${name}`, "power on", ...after]) await perform(simulation, step);
    const seen = (): boolean => shows(simulation.display.lines, display);
    if (display === "") {
      await simulation.clock.advance(60_000);
      expect(simulation.display.lines[0]).toBe(shown[0]);
    } else {
      // What the display shows already is no proof: it shows it again after the fault has struck.
      await simulation.clock.advance(7000);
      await simulation.clock.advance(70_000, seen);
      expect(seen()).toBe(true);
    }
  });

  test.each(FAULTS.filter(({ sees }) => / code (on the display )?stays good/.test(sees)))(
    "$name: a code stays good",
    async ({ name }) => {
      const simulation = virtualWorld(SETTINGS);
      simulation.powerOn();
      await simulation.clock.advance(20_000);
      const { userCode } = simulation;
      await perform(simulation, `fault ${name}`);
      await simulation.clock.advance(120_000);
      expect(simulation.userCode).toBe(userCode);
      await perform(simulation, "mend");
      await perform(simulation, "allow");
      await simulation.clock.advance(100_000);
      expect(simulation.driver!.isSignedIn).toBe(true);
    },
  );

  test("what strikes something that is not there is of no use, and says why", () => {
    const simulation = virtualWorld(SETTINGS);
    const view = new Viewer(simulation).view();
    const why = (name: string): string => whyNot(deedOf(name)!.needs, view);
    expect(why("revoke")).toBe("nobody is signed in");
    expect(why("slow-down")).toBe("there is no code on the display");
    expect(why("flip-bit")).toBe("the device has stored nothing");
    expect(why("offline")).toBe("");
  });
});
