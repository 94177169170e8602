// Which world the panel shows: the simulator's own, or a scenario's while one is played. Meanwhile the simulator's own
// stands still.
import { Stage } from "../scenarios/player.ts";
import type { Settings } from "../scenarios/scenario.ts";
import { Controller } from "../simulator/controls.ts";
import type { Simulation } from "../simulator/simulation.ts";
import { Viewer } from "../simulator/view.ts";
import { createVirtualWorld } from "../simulator/world/virtual-world.ts";
import { fixture } from "../simulator/world/world.ts";

/** The pages that a person opens on the phone; whatever else is asked for, the simulator's own device asks for. */
const PHONE_PAGES = /^\/(device(\/account|\/decision)?|account(\/[a-z-]+)?)$/;

interface World {
  readonly simulation: Simulation;
  readonly controller: Controller;
}

export class ShownWorld {
  readonly stage = new Stage((settings) => this.#begin(settings));
  readonly #own: World;
  #scenario: World | undefined;
  /** Whether the simulator's own world stood still before a scenario began. */
  #wasPaused = false;
  readonly #listeners = new Set<() => void>();

  constructor(simulation: Simulation, controller: Controller) {
    this.#own = { simulation, controller };
  }

  get simulation(): Simulation {
    return (this.#scenario ?? this.#own).simulation;
  }

  get controller(): Controller {
    return (this.#scenario ?? this.#own).controller;
  }

  /** Calls `listener` after anything has changed; the returned function ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    const stop = this.#own.simulation.onChange(listener);
    return () => {
      this.#listeners.delete(listener);
      stop();
    };
  }

  /** Back to the simulator's own world. @returns a line for the person */
  live(): string {
    if (this.#scenario === undefined) return "This is the world that goes by itself.";
    this.#end();
    this.#own.simulation.clock.paused = this.#wasPaused;
    this.#tell();
    return "The world that goes by itself goes on where it was.";
  }

  /** The phone's pages are those of the scenario's own service. */
  phonePage(request: Request): Promise<Response> | undefined {
    const isPhone = PHONE_PAGES.test(new URL(request.url).pathname);
    const service = this.#scenario?.simulation.service;
    return isPhone && service ? Promise.resolve(service.fetch(request)) : undefined;
  }

  #begin(settings: Settings): Simulation {
    const { clock } = this.#own.simulation;
    // First what can fail: then nothing has happened.
    const simulation = createVirtualWorld({ ...settings, fixture: fixture(), framed: true });
    if (this.#scenario === undefined) this.#wasPaused = clock.paused;
    this.#end();
    clock.paused = true;
    const controller = new Controller(simulation, new Viewer(simulation), true);
    this.#scenario = { simulation, controller };
    simulation.onChange(this.#tell);
    simulation.powerOn();
    this.#tell();
    return simulation;
  }

  #end(): void {
    this.#scenario?.simulation.powerOff();
    this.#scenario?.simulation.clock.close();
    this.#scenario = undefined;
  }

  readonly #tell = (): void => {
    for (const listener of this.#listeners) listener();
  };
}
