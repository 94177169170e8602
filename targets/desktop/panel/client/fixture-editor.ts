// Accounts and clients: edited as JSON in a dialog, applied to the world that goes by itself, or saved as a file that
// `npm start -- --fixture` takes.
import { download, element, setText } from "./dom.ts";
import type { Link } from "./link.ts";

export class FixtureEditor {
  readonly #dialog = element<HTMLDialogElement>("fixture-dialog");
  readonly #text = element<HTMLTextAreaElement>("fixture");

  readonly #link: Link;
  readonly #say: (line: string) => void;

  /** @param say tells in one line what has been done */
  constructor(link: Link, say: (line: string) => void) {
    this.#link = link;
    this.#say = say;
    const on = (id: string, act: () => void): void => element(id).addEventListener("click", act);
    on("fixture-open", () => void this.#open());
    on("fixture-apply", () => void this.#apply());
    on("fixture-save", () => void this.#save());
    on("fixture-close", () => this.#dialog.close());
  }

  async #open(): Promise<void> {
    this.#text.value = await this.#link.fixture();
    this.#tell("");
    this.#dialog.showModal();
    this.#text.setSelectionRange(0, 0);
    this.#text.scrollTop = 0;
  }

  /** @returns whether all is well */
  #tell(problem: string): boolean {
    setText("fixture-problem", problem);
    this.#text.setAttribute("aria-invalid", String(problem !== ""));
    return problem === "";
  }

  async #apply(): Promise<void> {
    if (!this.#tell(await this.#link.useFixture(this.#text.value, "apply"))) return;
    this.#dialog.close();
    this.#say("The service has begun anew with these accounts and clients.");
  }

  async #save(): Promise<void> {
    if (!this.#tell(await this.#link.useFixture(this.#text.value, "check"))) return;
    download("fixture.json", this.#text.value, "application/json");
  }
}
