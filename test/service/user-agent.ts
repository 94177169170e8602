// A browser for tests of the pages, without scripts. It stores cookies, sends forms and follows redirects.
import type { Service } from "../../targets/service/index.ts";

export interface Page {
  status: number;
  html: string;
  headers: Headers;
}

export class UserAgent {
  #cookie = "";
  readonly #service: Service;
  readonly #address: string;

  constructor(service: Service, address = "203.0.113.1") {
    this.#service = service;
    this.#address = address;
  }

  async get(path: string): Promise<Page> {
    return this.#request(path, { method: "GET" });
  }

  async post(path: string, fields: Record<string, string> | [string, string][]): Promise<Page> {
    const body = new URLSearchParams(fields).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return this.#request(path, { method: "POST", body, headers });
  }

  /** Sends the form with this `action`. Checked boxes stay checked unless `uncheck` contains their value. */
  async submit(
    page: Page,
    action: string,
    fields: Record<string, string> = {},
    uncheck: string[] = [],
  ): Promise<Page> {
    const forms = [...page.html.matchAll(/<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)];
    const form = forms.find((match) => match[1] === action);
    if (!form) throw new Error(`the page has no form for ${action}:\n${page.html}`);
    const inputs = [...form[2]!.matchAll(/<input\s([^>]*)>/gs)].map((match) => match[1]!);
    const sent: [string, string][] = [];
    for (const input of inputs) {
      const name = attribute(input, "name");
      const value = attribute(input, "value") ?? "";
      const box = attribute(input, "type") === "checkbox";
      if (
        !name ||
        name in fields ||
        (box && (!/\bchecked\b/.test(input) || uncheck.includes(value)))
      )
        continue;
      sent.push([name, value]);
    }
    return this.post(action, [...sent, ...Object.entries(fields)]);
  }

  async #request(path: string, init: RequestInit): Promise<Page> {
    const request = new Request(new URL(path, this.#service.baseUrl), init);
    if (this.#cookie) request.headers.set("cookie", this.#cookie);
    const env = { incoming: { socket: { remoteAddress: this.#address } } };
    const response = await this.#service.fetch(request, env);
    const set = response.headers.get("set-cookie");
    if (set) this.#cookie = set.split(";", 1)[0]!;
    const location = response.headers.get("location");
    if (response.status === 303 && location) return this.get(location);
    return { status: response.status, html: await response.text(), headers: response.headers };
  }
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];
  return value
    ?.replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}
