// The playground's world, in this page: the simulated service, the network and the device. A scenario gets a world of its own, on a clock that only its lines move.
import { setText } from "../panel/client/dom.ts";
import type { Link, Scenarios } from "../panel/client/panel.ts";
import { Stage } from "../scenarios/player.ts";
import { type Settings, USUAL } from "../scenarios/scenario.ts";
import { Controller } from "../simulator/controls.ts";
import type { Simulation } from "../simulator/simulation.ts";
import { Viewer } from "../simulator/view.ts";
import { createVirtualWorld } from "../simulator/world/virtual-world.ts";
import { WorldClock } from "../simulator/world/world-clock.ts";
import type { PlaygroundData } from "./main.ts";
import { Phone } from "./phone.ts";

/** Where the service of this page would be, were there a network. */
const BASE_URL = "https://tv.example";
const TICK_MS = 250;

interface World {
  readonly simulation: Simulation;
  readonly controller: Controller;
  readonly phone: Phone;
}

export class PageLink implements Link {
  #world: World;
  #show: Parameters<Link["watch"]>[0] = () => {};
  #drawn = true;

  readonly #data: PlaygroundData;
  readonly #frame: HTMLIFrameElement;

  constructor(data: PlaygroundData, frame: HTMLIFrameElement) {
    this.#data = data;
    this.#frame = frame;
    this.#world = this.#create(USUAL, true);
    setInterval(() => this.#draw(), TICK_MS);
  }

  readonly scenarios: Scenarios = this.#scenarios();

  /** Another world instead of this one. A live one goes by itself; the other only as a scenario moves it. */
  begin(settings: Settings = USUAL, isLive = true): Simulation {
    const { simulation, phone } = this.#world;
    simulation.powerOff();
    simulation.clock.close();
    phone.close();
    this.#world = this.#create(settings, isLive);
    this.openPhone("/device");
    this.#changed();
    return this.#world.simulation;
  }

  watch(show: Parameters<Link["watch"]>[0]): void {
    this.#show = show;
    this.#changed();
  }

  async send(command: string): Promise<string> {
    await this.#world.controller.run(command);
    return "";
  }

  exchange(id: number): ReturnType<Link["exchange"]> {
    return Promise.resolve(this.#world.simulation.exchanges.detailOf(id));
  }

  openPhone(target: string): void {
    void this.#world.phone.open(target);
  }

  hintFor(): string {
    return "What a device with a screen or a printer draws. The service is in this page alone: only the phone beside it finds it.";
  }

  #scenarios(): Scenarios {
    const stage = new Stage((settings) => this.begin(settings, false));
    return {
      all: async () => this.#data.scenarios,
      begin: async (text) => stage.begin(text),
      step: () => stage.step(),
      live: async () => {
        this.begin();
        return "A new world that goes by itself.";
      },
    };
  }

  #create(settings: Settings, isLive: boolean): World {
    const clock = new WorldClock({ paused: !isLive });
    const simulation = createVirtualWorld({
      ...settings,
      fixture: this.#data.fixture,
      clock,
      // A scenario goes the same way every time, at the address that it names; a world to play with does not.
      ...(isLive && {
        baseUrl: BASE_URL,
        seed: crypto.getRandomValues(new Uint32Array(1))[0]!,
        epochMs: Date.now(),
      }),
    });
    const controller = new Controller(simulation, new Viewer(simulation), true);
    const phone = new Phone(this.#frame, simulation.service!);
    phone.onPage = (address) => setText("phone-address", address.replace(/^https?:\/\//, ""));
    simulation.onChange(() => this.#changed());
    simulation.powerOn();
    return { simulation, controller, phone };
  }

  /** Many changes in a row are drawn once. */
  #changed(): void {
    if (!this.#drawn) return;
    this.#drawn = false;
    requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    this.#drawn = true;
    this.#show(this.#world.controller.viewer.view());
  }
}
