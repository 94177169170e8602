// An exchange that has been opened: request and answer whole, what each header and member is, and the request as a
// command line.
import type { ExchangeDetail } from "../../simulator/log/exchange-detail.ts";
import type { Explained } from "../../simulator/log/explanations.ts";
import { make } from "./dom.ts";

const OWN_DOCUMENTS = /device authorization service|subscription offers/;
const WHERE_THEY_ARE =
  "The two services: docs/two-services.md says section by section what they ask for.";

export function drawDetail({ request, asked, curl, answer, said, notes }: ExchangeDetail) {
  const both = make("div", "both");
  const left = make("div", "side");
  left.append(...block("Request", request), copyKey(curl), explained(asked));
  const right = make("div", "side");
  right.append(...block("Answer", answer), explained(said));
  both.append(left, right);
  if ([...asked, ...said].some(({ means }) => OWN_DOCUMENTS.test(means))) {
    right.append(make("p", "soft", WHERE_THEY_ARE));
  }
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
    row.append(make("dt", "", name), withLinks(means || "not in the documents"));
    list.append(row);
  }
  return list;
}

/** A section of an RFC leads there. */
function withLinks(means: string): HTMLElement {
  const text = make("dd", "soft");
  for (const part of means.split(/(RFC \d+ §[\d.]*\d)/)) {
    const [, rfc, section] = /^RFC (\d+) §(.*)$/.exec(part) ?? [];
    if (rfc === undefined) text.append(part);
    else {
      const link = make("a", "", part);
      link.href = `https://www.rfc-editor.org/rfc/rfc${rfc}#section-${section}`;
      link.target = "_blank";
      link.rel = "noreferrer";
      text.append(link);
    }
  }
  return text;
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
