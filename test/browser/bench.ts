// The simulator with its panel in a browser, and the playground's folder on a file server: for tests and pictures.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { mallocExport, quickjsPackage } from "../../scripts/budgets/engine.ts";
import { countCalls } from "../../scripts/budgets/wasm-counter.ts";
import { readOptions } from "../../targets/desktop/options.ts";
import { createPanel } from "../../targets/desktop/panel/routes.ts";
import { writePlayground } from "../../targets/desktop/playground/folder.ts";
import { Recorder } from "../../targets/desktop/scenarios/recorder.ts";
import { Controller } from "../../targets/desktop/simulator/controls.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";
import { Viewer } from "../../targets/desktop/simulator/view.ts";
import { createWorld, type Front } from "../../targets/desktop/simulator/world/world.ts";
import { serveFolder } from "./static-server.ts";

export interface Bench {
  readonly simulation: Simulation;
  /** Ends the recording of the session; its text as a scenario. */
  recording(): string;
  readonly controller: Controller;
  /** Where the service is; the panel is at /panel. */
  readonly url: string;
  close(): Promise<void>;
}

/** A simulator that runs ten times as fast as the world, its state in a folder of its own. */
export async function startSimulator(flags: readonly string[] = []): Promise<Bench> {
  const state = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  const recorded = path.join(state, "session.scenario");
  const front: { handle?: Front } = {};
  const options = readOptions([
    "--port",
    "0",
    "--state",
    state,
    "--speed",
    "10",
    "--record",
    recorded,
    ...flags,
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
    recording() {
      simulation.clock.paused = true;
      recorder.save();
      return readFileSync(recorded, "utf8");
    },
    async close() {
      await world.close();
      rmSync(state, { recursive: true, force: true });
    },
  };
}

/** The playground, below a path. */
export async function startPlayground(): Promise<{ url: string; close(): Promise<void> }> {
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  const wasm = readFileSync(createRequire(import.meta.url).resolve(`${quickjsPackage}/wasm`));
  await writePlayground(folder, countCalls(wasm, mallocExport()));
  const server = await serveFolder(folder, "/some/where/");
  return {
    url: server.url,
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the display shows this text, in one row or wrapped. */
export async function shows(page: Page, text: string): Promise<void> {
  await page.waitForFunction(
    (wanted) =>
      document.getElementById("frame")?.textContent?.replace(/\s+/g, " ").includes(wanted),
    text,
  );
}
