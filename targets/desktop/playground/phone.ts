// The phone of the playground: shows the service's pages in a frame. Links and forms become requests to the service in
// this page, and the response becomes the next page.
import { STYLESHEET } from "../../service/pages/layout.ts";
import type { Service } from "../../service/service.ts";
import { COOKIE_HEADER } from "./node-replacements.ts";

const REDIRECTS_MAX = 5;

export class Phone {
  onPage: (address: string) => void = () => {};
  readonly #cookies = new Map<string, string>();
  #address = "";

  readonly #frame: HTMLIFrameElement;
  readonly #service: Service;

  constructor(frame: HTMLIFrameElement, service: Service) {
    this.#frame = frame;
    this.#service = service;
    frame.addEventListener("load", this.#attach);
  }

  open(target: string): Promise<void> {
    return this.#visit(new URL(target, this.#service.baseUrl));
  }

  async #visit(url: URL, form?: URLSearchParams): Promise<void> {
    let response = await this.#request(url, form);
    let address = url;
    for (let count = 0; count < REDIRECTS_MAX && response.status === 303; count++) {
      address = new URL(response.headers.get("location") ?? "/", address);
      response = await this.#request(address);
    }
    this.#address = address.href;
    const isPage = (response.headers.get("content-type") ?? "").startsWith("text/html");
    const text = await response.text();
    // Hide the page until its stylesheet is there.
    this.#frame.style.visibility = "hidden";
    this.#frame.srcdoc = isPage ? withoutLinks(text) : pageOfText(text);
  }

  async #request(url: URL, form?: URLSearchParams): Promise<Response> {
    const request =
      form === undefined ? new Request(url) : new Request(url, { method: "POST", body: form });
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = new Headers(request.headers);
    // A script cannot set `cookie` on a Request, so the headers are replaced below.
    if (cookie !== "") headers.set("cookie", cookie);
    if (form) headers.set("content-length", String(form.toString().length));
    Object.defineProperty(request, "headers", { value: headers });
    const response = await this.#service.fetch(request);
    const given = response.headers.get(COOKIE_HEADER);
    const [, name, value] = /^([^=]+)=(.*)$/.exec(given ?? "") ?? [];
    if (name !== undefined) this.#cookies.set(name, value!);
    return response;
  }

  readonly #attach = (): void => {
    const page = this.#frame.contentDocument;
    if (page === null || this.#address === "") return;
    giveStyle(page);
    this.#frame.style.visibility = "";
    page.addEventListener("click", (event) => {
      const link = (event.target as Element).closest("a[href]");
      if (link === null) return;
      event.preventDefault();
      void this.#visit(new URL(link.getAttribute("href")!, this.#address));
    });
    page.addEventListener("submit", (event) => {
      event.preventDefault();
      const form = event.target as HTMLFormElement;
      const data = new FormData(form, event.submitter);
      const fields = new URLSearchParams([...data].map(([name, value]) => [name, String(value)]));
      const action = new URL(form.getAttribute("action") ?? "", this.#address);
      if (form.method === "post") void this.#visit(action, fields);
      else {
        action.search = fields.toString();
        void this.#visit(action);
      }
    });
    this.onPage(this.#address);
  };
}

const STYLE = `${STYLESHEET}
pre { white-space: pre-wrap; overflow-wrap: anywhere; }`;

/** Removes the links to stylesheet and icon, because no server provides these files here. */
function withoutLinks(text: string): string {
  return text.replace(/<link rel="(?:stylesheet|icon)"[^>]*>/g, "");
}

/** A text response, such as the metadata, as a page. */
function pageOfText(text: string): string {
  const escaped = text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  return `<!doctype html><html lang="en"><title>Response</title><main><pre>${escaped}</pre></main>`;
}

/** Uses an adopted stylesheet, because the page's Content-Security-Policy forbids inline styles. */
function giveStyle(page: Document): void {
  const { CSSStyleSheet: Sheet } = page.defaultView!;
  const sheet = new Sheet();
  sheet.replaceSync(STYLE);
  page.adoptedStyleSheets = [sheet];
}
