// A simulated world on a virtual clock, with what looks at it and what carries commands out: for tests.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RealTime } from "../../platform/node/index.ts";
import { readOptions } from "../../targets/desktop/options.ts";
import { createPanel } from "../../targets/desktop/panel/routes.ts";
import { play, virtualWorld } from "../../targets/desktop/scenarios/play.ts";
import { sideBySide } from "../../targets/desktop/scenarios/player.ts";
import { Recorder } from "../../targets/desktop/scenarios/recorder.ts";
import { readScenario, type Settings } from "../../targets/desktop/scenarios/scenario.ts";
import { Controller } from "../../targets/desktop/simulator/controls.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";
import { Viewer } from "../../targets/desktop/simulator/view.ts";
import { createWorld, type Front } from "../../targets/desktop/simulator/world/world.ts";

// Real time that passes only when a test says so.

/** Real time by hand. */
export class Handmade implements RealTime {
  ms = 0;
  /** How often somebody had to wait for it. */
  waits = 0;
  #waits: { dueMs: number; ring: () => void }[] = [];

  nowMs(): number {
    return this.ms;
  }

  wait(ms: number, ring: () => void): () => void {
    this.waits++;
    const entry = { dueMs: this.ms + ms, ring };
    this.#waits.push(entry);
    return () => {
      this.#waits = this.#waits.filter((other) => other !== entry);
    };
  }

  pass(ms: number): void {
    const targetMs = this.ms + ms;
    for (;;) {
      const due = this.#waits.filter(({ dueMs }) => dueMs <= targetMs);
      const next = due.sort((a, b) => a.dueMs - b.dueMs)[0];
      if (next === undefined) break;
      this.#waits = this.#waits.filter((other) => other !== next);
      this.ms = Math.max(this.ms, next.dueMs);
      next.ring();
    }
    this.ms = targetMs;
  }
}

// Whether the recording of a session ends as the session did: the same requests with the same answers at the same
// moments, the same states, the same frame.

/** Plays a recording anew. What was not as in the session, with the recording; "" where nothing was. */
export async function differenceOf(session: Simulation, recording: string): Promise<string> {
  const scenario = readScenario("recording", recording);
  const end = scenario.lines.at(-1)!;
  let replayed: Simulation | undefined;
  let story: string[] = [];
  const { unmet } = await play(scenario, {
    created(simulation) {
      replayed = simulation;
    },
    before(line) {
      if (line === end) story = storyOf(replayed!);
    },
  });
  if (unmet) return `${unmet.line.text}\n${sideBySide(unmet)}\n${recording}`;
  const told = storyOf(session);
  const at = told.findIndex((line, place) => line !== story[place]);
  if (at < 0 && told.length === story.length) return "";
  const place = at < 0 ? told.length : at;
  const [expected, actual] = [told, story].map((lines) =>
    lines.slice(Math.max(0, place - 5), place + 2),
  );
  return `the session:\n${expected!.join("\n")}\nits replay:\n${actual!.join("\n")}\n${recording}`;
}

/** The last requests and states, each with its moment. */
function storyOf({ exchanges, timeline }: Simulation): string[] {
  const requests = exchanges.entries.map(({ atMs, order, purpose, target, status, fault }) => ({
    order,
    line: `${atMs} ${purpose} ${target} ${status} ${fault}`,
  }));
  const states = timeline.entries
    .filter(({ by }) => by === "device" || by === "button")
    .map(({ atMs, order, state, what }) => ({ order, line: `${atMs} ${state} ${what}` }));
  return [...requests, ...states].sort((a, b) => a.order - b.order).map(({ line }) => line);
}

export function bench(settings: Partial<Settings> = {}) {
  const simulation = virtualWorld(settings);
  const viewer = new Viewer(simulation);
  return { simulation, viewer, controller: new Controller(simulation, viewer, true) };
}

// The real simulator in this process, with a panel and a recording of whatever a person does there.

export interface RunningSimulator {
  readonly simulation: Simulation;
  /** Ends the session and its recording, and plays that anew: what was not the same, "" for nothing. */
  replay(): Promise<string>;
  readonly controller: Controller;
  /** Where the service is; the panel is at /panel. */
  readonly url: string;
  close(): Promise<void>;
}

/** A simulator with its sockets and files, its state in a folder of its own; whatever is done there is recorded. */
export async function startSimulator(speed = 10): Promise<RunningSimulator> {
  const state = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  const recorded = path.join(state, "session.scenario");
  const front: { handle?: Front } = {};
  const options = readOptions([
    "--port",
    "0",
    "--state",
    state,
    "--speed",
    String(speed),
    "--record",
    recorded,
  ]);
  const world = await createWorld(options, front, () => {});
  const { simulation, url } = world;
  const recorder = new Recorder(simulation, recorded);
  const controller = new Controller(simulation, new Viewer(simulation), true);
  front.handle = createPanel(simulation, controller);
  controller.recorder = recorder;
  simulation.powerOn();
  simulation.clock.paused = false;
  return {
    simulation,
    controller,
    url,
    async replay() {
      await simulation.clock.inTurn(async () => {
        simulation.clock.paused = true;
      });
      await recorder.save();
      return await differenceOf(simulation, readFileSync(recorded, "utf8"));
    },
    async close() {
      await world.close();
      rmSync(state, { recursive: true, force: true });
    },
  };
}
