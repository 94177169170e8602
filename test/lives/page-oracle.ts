// The judge of a list's further pages: what is asked for is the page that the answer before has named.

import type { Exchange } from "./network.ts";
import { Violation } from "./violation.ts";

const NAME = "&pageToken=";

export class PageOracle {
  /** The query of the page behind the one that came last; undefined where there is none. */
  next: string | undefined;
  /** The last one that was asked for: it is sent again once the access token is another. */
  #asked: string | undefined;

  poweredOn(): void {
    this.next = this.#asked = undefined;
  }

  requested({ query }: Exchange): void {
    if (!query.includes(NAME)) return;
    if (query !== this.next && query !== this.#asked) {
      throw new Violation("next-page", "a page was asked for that no answer has named");
    }
    this.#asked = query;
  }

  /** The device hears a whole answer. */
  heard({ query, request, status }: Exchange, members: Record<string, unknown>): void {
    if (request.method !== "GET" || query === "") return;
    const { nextPageToken: token } = members;
    const [list] = query.split(NAME);
    const isNamed = status < 300 && typeof token === "string" && token !== "";
    this.next = isNamed ? `${list}&${new URLSearchParams({ pageToken: token })}` : undefined;
  }
}
