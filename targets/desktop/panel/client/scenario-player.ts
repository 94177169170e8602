// Scenarios on the page: chosen, or written there; played line by line. Each line tells whether it has been done, is next,
// or was not as expected.
import type { Begun } from "../../scenarios/player.ts";
import { element, setText } from "./dom.ts";
import type { Scenarios } from "./panel.ts";

/** Between two lines that are played by themselves: slow enough to be looked at. */
const PAUSE_MS = 700;
/** The choice of none of those that there are. */
const OWN = "";

export class ScenarioPlayer {
  #begun: Begun | undefined;
  #next = 0;
  #isPlaying = false;
  #busy: Promise<void> = Promise.resolve();
  readonly #scenarios: Scenarios;
  readonly #text = element<HTMLTextAreaElement>("scenario-text");
  readonly #choice = element<HTMLSelectElement>("scenario");

  constructor(scenarios: Scenarios) {
    this.#scenarios = scenarios;
    const on = (id: string, act: () => void): void => element(id).addEventListener("click", act);
    on("scenario-step", () => this.#queue(() => this.#step()));
    on("scenario-play", () => this.#play(PAUSE_MS));
    on("scenario-all", () => this.#play(0));
    on("scenario-edit", () => this.#edit());
    on("scenario-live", () => this.#queue(() => this.#live()));
    void this.#list();
  }

  async #list(): Promise<void> {
    const all = await this.#scenarios.all();
    const choice = this.#choice;
    choice.append(new Option("one of your own", OWN));
    choice.append(...all.map(({ name }) => new Option(name.replaceAll("-", " "), name)));
    const choose = (): void => {
      const found = all.find(({ name }) => name === choice.value);
      if (found) this.#put(found.text);
    };
    choice.addEventListener("change", choose);
    choice.value = "sign-in";
    choose();
  }

  #put(text: string): void {
    this.#text.value = text;
    this.#edit();
  }

  #edit(): void {
    this.#isPlaying = false;
    this.#begun = undefined;
    this.#text.hidden = false;
    element("scenario-lines").hidden = true;
    element("scenario-edit").hidden = true;
    setText("scenario-said", "");
  }

  async #live(): Promise<void> {
    this.#edit();
    setText("scenario-said", await this.#scenarios.live());
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

  /** Has what is in the editor begun; false where it makes no sense. */
  async #begin(): Promise<boolean> {
    const begun = await this.#scenarios.begin(this.#text.value);
    if (begun.problem) {
      setText("scenario-said", begun.problem);
      return false;
    }
    this.#begun = begun;
    this.#next = 0;
    this.#draw(begun.lines);
    return true;
  }

  #draw(lines: readonly string[]): void {
    const list = element<HTMLOListElement>("scenario-lines");
    list.replaceChildren(
      ...lines.map((text) => {
        const item = document.createElement("li");
        item.textContent = text;
        return item;
      }),
    );
    list.hidden = false;
    this.#text.hidden = true;
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
    if (this.#begun === undefined && !(await this.#begin())) {
      this.#isPlaying = false;
      return;
    }
    const { lines, expectations } = this.#begun!;
    const line = lines[this.#next];
    if (line === undefined) {
      this.#end("");
      return;
    }
    setText("scenario-said", line);
    const problem = await this.#scenarios.step();
    if (problem) {
      element("scenario-lines").children[this.#next]?.classList.add("unmet");
      this.#end(problem);
      return;
    }
    this.#next++;
    this.#mark();
    if (this.#next === lines.length) {
      const all = `All ${expectations} expectations held.`;
      this.#end(`${all} Play it again, edit it, or go back to the live world.`);
    }
  }

  #end(text: string): void {
    this.#isPlaying = false;
    this.#begun = undefined;
    if (text) setText("scenario-said", text);
  }
}
