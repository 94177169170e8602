// Scenarios in the playground: chosen from a list, edited, and played line by line on a world of their own. Each
// line tells whether it has been done, is next, or was not as expected.
import { element, setText } from "../panel/client/dom.ts";
import { playLine, sideBySide } from "../scenarios/player.ts";
import { type Line, readScenario, type Scenario } from "../scenarios/scenario.ts";
import type { Simulation } from "../simulator/simulation.ts";
import type { PlaygroundData } from "./files.ts";
import type { PageLink } from "./link.ts";

/** Between two lines that are played by themselves: slow enough to be looked at. */
const PAUSE_MS = 700;

/** The section's markup, put into the page by the build. */
export const SCENARIO_IDS = ["scenario", "scenario-text", "scenario-lines", "scenario-said"];

export class ScenarioPlayer {
  #scenario: Scenario | undefined;
  #simulation: Simulation | undefined;
  #next = 0;
  #isPlaying = false;
  #busy: Promise<void> = Promise.resolve();

  constructor(
    private readonly link: PageLink,
    private readonly data: PlaygroundData,
  ) {
    const choice = element<HTMLSelectElement>("scenario");
    choice.append(...data.scenarios.map(({ name }) => new Option(name.replaceAll("-", " "), name)));
    choice.value = "sign-in";
    choice.addEventListener("change", () => this.#choose(choice.value));
    this.#choose(choice.value);
    const on = (id: string, act: () => void): void => element(id).addEventListener("click", act);
    on("scenario-step", () => this.#queue(() => this.#step()));
    on("scenario-play", () => this.#play(PAUSE_MS));
    on("scenario-all", () => this.#play(0));
    on("scenario-edit", () => this.#edit());
    on("scenario-live", () => this.#live());
  }

  #choose(name: string): void {
    this.#isPlaying = false;
    this.#scenario = undefined;
    const found = this.data.scenarios.find((one) => one.name === name);
    element<HTMLTextAreaElement>("scenario-text").value = found?.text ?? "";
    this.#edit();
  }

  #edit(): void {
    this.#isPlaying = false;
    this.#scenario = undefined;
    element("scenario-text").hidden = false;
    element("scenario-lines").hidden = true;
    element("scenario-edit").hidden = true;
    setText("scenario-said", "");
  }

  #live(): void {
    this.#edit();
    this.link.begin();
    setText("scenario-said", "A new world that goes by itself.");
  }

  #queue(act: () => Promise<void>): void {
    this.#busy = this.#busy.then(act);
  }

  /** Line by line by itself, to the end or until it is pressed again. */
  #play(pauseMs: number): void {
    if (this.#isPlaying) {
      this.#isPlaying = false;
      setText("scenario-play", "play");
      return;
    }
    this.#isPlaying = true;
    setText("scenario-play", "stop");
    this.#queue(async () => {
      while (this.#isPlaying) {
        await this.#step();
        await new Promise((resolve) => {
          setTimeout(resolve, pauseMs);
        });
      }
      setText("scenario-play", "play");
    });
  }

  /** Reads what is in the editor and makes its world; returns false where it makes no sense. */
  #begin(): boolean {
    const name = element<HTMLSelectElement>("scenario").value;
    try {
      const text = element<HTMLTextAreaElement>("scenario-text").value;
      this.#scenario = readScenario(name, text);
    } catch (error) {
      setText("scenario-said", (error as Error).message);
      return false;
    }
    this.#next = 0;
    this.#simulation = this.link.begin(this.#scenario.settings, false);
    this.#list(this.#scenario.lines);
    return true;
  }

  #list(lines: readonly Line[]): void {
    const list = element<HTMLOListElement>("scenario-lines");
    list.replaceChildren(
      ...lines.map(({ text }) => {
        const item = document.createElement("li");
        item.textContent = text;
        return item;
      }),
    );
    list.hidden = false;
    element("scenario-text").hidden = true;
    element("scenario-edit").hidden = false;
    this.#mark();
  }

  #mark(): void {
    const items = [...element("scenario-lines").children];
    items.forEach((item, at) => {
      if (at === this.#next) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
      if (at < this.#next) item.className = "done";
    });
    items[this.#next]?.scrollIntoView({ block: "nearest" });
  }

  async #step(): Promise<void> {
    if (this.#scenario === undefined && !this.#begin()) {
      this.#isPlaying = false;
      return;
    }
    const { lines } = this.#scenario!;
    const line = lines[this.#next];
    if (line === undefined) {
      this.#end("");
      return;
    }
    setText("scenario-said", line.text);
    try {
      const unmet = await playLine(this.#simulation!, line);
      if (unmet) return this.#fail(`not as expected\n${sideBySide(unmet)}`);
    } catch (error) {
      return this.#fail((error as Error).message);
    }
    this.#next++;
    this.#mark();
    if (this.#next === lines.length) {
      const count = lines.filter(({ kind }) => kind !== "step").length;
      this.#end(
        `All ${count} expectations held. Play it again, edit it, or go back to a live world.`,
      );
    }
  }

  #fail(text: string): void {
    element("scenario-lines").children[this.#next]?.classList.add("unmet");
    this.#end(text);
  }

  #end(text: string): void {
    this.#isPlaying = false;
    this.#scenario = undefined;
    if (text) setText("scenario-said", text);
  }
}
