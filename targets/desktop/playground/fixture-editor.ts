// Accounts and clients in the playground: edited as JSON in a dialog, applied to the live world, or saved as a file
// that `npm start -- --fixture` takes.
import { element, setText } from "../panel/client/dom.ts";
import { fixtureText, readFixtureText } from "../simulator/world/fixture-text.ts";
import type { PageLink } from "./link.ts";

export class FixtureEditor {
  readonly #dialog = element<HTMLDialogElement>("fixture-dialog");
  readonly #text = element<HTMLTextAreaElement>("fixture");

  readonly #link: PageLink;
  readonly #say: (line: string) => void;

  constructor(
    link: PageLink,
    /** Told in one line what has been done. */
    say: (line: string) => void,
  ) {
    this.#link = link;
    this.#say = say;
    const on = (id: string, act: () => void): void => element(id).addEventListener("click", act);
    on("fixture-open", () => this.#open());
    on("fixture-apply", () => void this.#apply());
    on("fixture-save", () => this.#save());
    on("fixture-close", () => this.#dialog.close());
  }

  #open(): void {
    const { fixtureNow } = this.#link.simulation;
    this.#text.value = fixtureNow ? fixtureText(fixtureNow) : "";
    this.#tell("");
    this.#dialog.showModal();
    this.#text.setSelectionRange(0, 0);
    this.#text.scrollTop = 0;
  }

  #tell(problem: string): void {
    setText("fixture-problem", problem);
    this.#text.setAttribute("aria-invalid", String(problem !== ""));
  }

  /** What has been typed as a fixture; undefined, and a line about it, where it is none. */
  #read(): ReturnType<typeof readFixtureText> | undefined {
    try {
      return readFixtureText(this.#text.value);
    } catch (error) {
      this.#tell((error as Error).message);
      return undefined;
    }
  }

  async #apply(): Promise<void> {
    const fixture = this.#read();
    if (fixture === undefined) return;
    const problem = await this.#link.useFixture(fixture);
    this.#tell(problem);
    if (problem !== "") return;
    this.#dialog.close();
    this.#say("The service has begun anew with these accounts and clients.");
  }

  #save(): void {
    const fixture = this.#read();
    if (fixture === undefined) return;
    this.#tell("");
    const url = URL.createObjectURL(new Blob([fixtureText(fixture)], { type: "application/json" }));
    const anchor = document.createElement("a");
    anchor.href = url;
    anchor.download = "fixture.json";
    anchor.click();
    URL.revokeObjectURL(url);
  }
}
