// A browser without a screen for tests of the pages: keeps cookies, reads forms out of the HTML and
// sends them, follows redirects. Scripts are not run; the pages have none.
import type { Service } from "../../targets/service/index.ts";
import { Bench, VIDEO_READONLY } from "./harness.ts";

export interface Page {
  status: number;
  html: string;
  headers: Headers;
}

export class Visitor {
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

  /** Posts fields as they are, without looking at any form. */
  async post(path: string, fields: Record<string, string> | [string, string][]): Promise<Page> {
    const body = new URLSearchParams(fields).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return this.#request(path, { method: "POST", body, headers });
  }

  /**
   * Sends the form of a page whose action is `action`, with its fields and those given; checked boxes
   * stay checked unless `uncheck` names their value.
   */
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

/** One person's way through the pages, from a device's code to the decision. */
export class Walk {
  readonly bench: Bench;
  readonly visitor: Visitor;
  readonly device: string;
  readonly code: string;

  constructor(how: { bench?: Bench; scope?: string; client?: string } = {}) {
    this.bench = how.bench ?? new Bench();
    this.visitor = new Visitor(this.bench.service);
    const { scope = `${VIDEO_READONLY} email`, client = "living-room-tv" } = how;
    const { device_code, user_code } = this.bench.requestCodes({ scope, client_id: client }).json;
    this.device = String(device_code);
    this.code = String(user_code);
  }

  async enter(code = this.code, fields: Record<string, string> = {}): Promise<Page> {
    const page = await this.visitor.get("/device");
    return this.visitor.submit(page, "/device", { user_code: code, ...fields });
  }

  async choose(account = "ada"): Promise<Page> {
    // A visitor who chose before is not asked again unless it says so.
    const chooser = await this.enter(this.code, { choose: "another" });
    return this.visitor.submit(chooser, "/device/account", { account });
  }

  async decide(decision: "allow" | "deny", account = "ada", uncheck: string[] = []): Promise<Page> {
    const page = await this.choose(account);
    return this.visitor.submit(page, "/device/decision", { decision, access: "" }, uncheck);
  }

  poll() {
    return this.bench.poll(this.device);
  }
}
