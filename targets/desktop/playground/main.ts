// The playground: the panel with its simulation in the same page.
import type { FixtureInput } from "../../service/fixture.ts";
import { setText } from "../panel/client/dom.ts";
import { type Link, Panel, takeTabs } from "../panel/client/panel.ts";
import { USUAL } from "../scenarios/scenario.ts";
import { Controller } from "../simulator/controls.ts";
import { SimulatedClock } from "../simulator/environment/simulated-clock.ts";
import { createVirtualEnvironment } from "../simulator/environment/virtual-environment.ts";
import { Viewer } from "../simulator/view.ts";
import { Phone } from "./phone.ts";

/** The build replaces this name by the fixture. */
declare const FIXTURE: FixtureInput;

const BASE_URL = "https://tv.example";
const TICK_MS = 250;

class PageLink implements Link {
  #show: Parameters<Link["watch"]>[0] = () => {};
  #drawn = true;

  readonly #simulation;
  readonly #controller;
  readonly #phone;

  constructor(fixture: FixtureInput, frame: HTMLIFrameElement) {
    this.#simulation = createVirtualEnvironment({
      ...USUAL,
      fixture,
      clock: new SimulatedClock(),
      baseUrl: BASE_URL,
      seed: crypto.getRandomValues(new Uint32Array(1))[0]!,
      epochMs: Date.now(),
    });
    this.#controller = new Controller(this.#simulation, new Viewer(this.#simulation), true);
    this.#phone = new Phone(frame, this.#simulation.service!);
    this.#phone.onPage = (address) => setText("phone-address", address.replace(/^https?:\/\//, ""));
    this.#simulation.onChange(() => this.#changed());
    this.#simulation.powerOn();
    setInterval(() => this.#draw(), TICK_MS);
  }

  watch(show: Parameters<Link["watch"]>[0]): void {
    this.#show = show;
    this.#changed();
  }

  async send(command: string): Promise<string> {
    await this.#controller.run(command);
    return "";
  }

  exchange(id: number): ReturnType<Link["exchange"]> {
    return Promise.resolve(this.#simulation.exchanges.detailOf(id));
  }

  openPhone(target: string): void {
    void this.#phone.open(target);
  }

  hintFor(): string {
    return "A device with a screen or a printer draws this. The service exists in this page only: only the phone beside it can reach it.";
  }

  /** Draws at most once per animation frame. */
  #changed(): void {
    if (!this.#drawn) return;
    this.#drawn = false;
    requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    this.#drawn = true;
    this.#show(this.#controller.viewer.view());
  }
}

takeTabs();
new Panel(new PageLink(FIXTURE, document.getElementById("phone") as HTMLIFrameElement));
