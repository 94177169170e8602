// An exchange that has been opened: request and answer whole, what each header and member is, and the request as a
// command line.
import type { ExchangeDetail } from "../../simulator/log/exchange-detail.ts";
import type { Explained } from "../../simulator/log/explanations.ts";
import { make } from "./dom.ts";

export function drawDetail({ request, asked, curl, answer, said, notes }: ExchangeDetail) {
  const both = make("div", "both");
  const left = make("div", "side");
  left.append(...block("Request", request), copyKey(curl), explained(asked));
  const right = make("div", "side");
  right.append(...block("Answer", answer), explained(said));
  both.append(left, right);
  return [both, ...notes.flatMap(({ title, text }) => block(title, text))];
}

export function block(title: string, text: string): HTMLElement[] {
  const pre = make("pre", "", text);
  pre.tabIndex = 0;
  pre.setAttribute("role", "group");
  pre.setAttribute("aria-label", title);
  return [make("h3", "", title), pre];
}

function explained(names: readonly Explained[]): HTMLElement {
  const list = make("dl", "explained");
  for (const { name, means } of names) {
    const row = make("div", "");
    row.append(make("dt", "", name), make("dd", "", means || "not in the documents"));
    list.append(row);
  }
  return list;
}

function copyKey(curl: string): HTMLElement {
  const key = make("button", "copy", "copy as curl");
  key.type = "button";
  key.addEventListener("click", () => {
    navigator.clipboard.writeText(curl).then(
      () => {
        key.textContent = "copied";
      },
      // Where a page may not write there, it is shown to be copied by hand.
      () => key.replaceWith(...block("As curl", curl)),
    );
  });
  return key;
}
