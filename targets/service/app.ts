// The HTTP app (hono): body limits, security headers and the HTML pages. It passes all other requests to `handle`.
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { html } from "hono/html";
import { secureHeaders } from "hono/secure-headers";
import { baseUrlOf, type ServiceContext } from "./context.ts";
import { familyOf } from "./endpoints.ts";
import { bodyTooLarge, type Family, methodNotAllowed, serviceFault } from "./errors.ts";
import { exchangeEvent } from "./observers.ts";
import { addAccountPages } from "./pages/account.ts";
import { addConsentPages } from "./pages/consent.ts";
import { type Html, messagePage, page, STYLESHEET } from "./pages/layout.ts";
import { ForeignForm, isOwnName } from "./pages/page-request.ts";
import { hasLength, mayHaveBody, type ProtocolRequest, type ProtocolResponse } from "./wire.ts";

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#1b5e52"/><path d="M4 11V5h4a2 2 0 0 1 0 4H6" fill="none" stroke="#fff" stroke-width="1.6"/></svg>`;

export function createApp(
  service: ServiceContext,
  handle: (request: ProtocolRequest) => ProtocolResponse,
): Hono {
  const app = new Hono();
  const refuse = (c: Context, refusal: (family: Family) => ProtocolResponse): Response =>
    toResponse(c.req.method, refusal(familyOf(c.req.path)));
  app.use(async (c, next) => {
    const maxSize = 262_144;
    const { headers } = c.req.raw;
    if (!mayHaveBody(c.req.method)) return next();
    // If there is a Content-Length, check it here. `bodyLimit` below is slow, because it needs a complete Request.
    if (hasLength(headers))
      return Number(headers.get("content-length")) > maxSize ? refuse(c, bodyTooLarge) : next();
    return bodyLimit({ maxSize, onError: () => refuse(c, bodyTooLarge) })(c, next);
  });
  for (const path of ["/", "/device", "/device/account", "/device/decision", "/account/*"])
    app.use(path, reportTo(service), pageHeaders(service), ownNameOnly(service));
  app.get("/", (c) => c.html(page(homePage(service)) as Html & string));
  app.get("/assets/pages.css", (c) => asset(c, "text/css; charset=utf-8", STYLESHEET));
  app.get("/assets/icon.svg", (c) => asset(c, "image/svg+xml", ICON));
  // Redirect to /device from /device/, and from the path of the verification URI (option `verificationPath`).
  app.use(async (c, next) => {
    const { path, method } = c.req;
    const { verificationPath } = service.options;
    const isShort = path === "/device/" || (path === verificationPath && path !== "/device");
    if (isShort && method === "GET") return c.redirect(`/device${new URL(c.req.url).search}`, 303);
    return next();
  });
  addConsentPages(app, service);
  addAccountPages(app, service);
  const methods = methodsByPath(app);
  app.all("*", async (c) => {
    const allowed = methods.get(c.req.path);
    if (allowed) return refuse(c, (family) => methodNotAllowed(family, allowed));
    return toResponse(c.req.method, handle(await toProtocolRequest(c)));
  });
  app.onError((error, c) => {
    if (error instanceof ForeignForm) return c.html(page(foreignForm()) as Html & string, 403);
    if (isGone(c)) {
      const { method, path } = c.req;
      service.observers.report({ type: "gone", atMs: service.env.now(), method, path });
      return refuse(c, serviceFault);
    }
    service.observers.report({ type: "failure", atMs: service.env.now(), message: error.message });
    return refuse(c, serviceFault);
  });
  return app;
}

function methodsByPath(app: Hono): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of app.routes)
    if (method !== "ALL") methods.set(path, [...(methods.get(path) ?? []), method]);
  return methods;
}

// The pages have no scripts, cannot be framed (except with the option framedBySelf), and send forms only to the service.
const contentSecurityPolicy = {
  defaultSrc: ["'none'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
  baseUri: ["'none'"],
};

const common = {
  // With "no-referrer", browsers would send the forms with `Origin: null`, which a proxy may reject.
  referrerPolicy: "same-origin",
  // The service must not set this header, because it also uses plain HTTP on a developer's machine.
  strictTransportSecurity: false,
} as const;

const securityHeaders = secureHeaders({
  ...common,
  contentSecurityPolicy,
  xFrameOptions: "DENY",
});

const framedHeaders = secureHeaders({
  ...common,
  contentSecurityPolicy: { ...contentSecurityPolicy, frameAncestors: ["'self'"] },
  xFrameOptions: "SAMEORIGIN",
});

function pageHeaders(service: ServiceContext) {
  return async (c: Context, next: () => Promise<void>) => {
    await (service.options.framedBySelf ? framedHeaders : securityHeaders)(c, next);
    // The steps of a decision are responses to form posts. With no-store, the browser could not go back to them.
    const isStep = c.req.path.startsWith("/device");
    c.res.headers.set("cache-control", isStep ? "private, no-cache" : "no-store");
  };
}

/** Whether the client closed the connection while its request was still arriving. */
function isGone(c: Context): boolean {
  const env = c.env as { incoming?: { complete?: boolean; destroyed?: boolean } } | undefined;
  return env?.incoming?.destroyed === true && env.incoming.complete === false;
}

/** Rejects foreign host names, so that a site whose name points to this service cannot read pages (DNS rebinding). */
function ownNameOnly(service: ServiceContext) {
  return async (c: Context, next: () => Promise<void>) => {
    if (!isOwnName(new URL(c.req.url).hostname, baseUrlOf(service))) {
      return c.html(page(foreignName(baseUrlOf(service))) as Html & string, 403);
    }
    await next();
    return undefined;
  };
}

/** Reports requests for pages to the observers. `handle` reports the requests that it receives. */
function reportTo({ observers, env }: ServiceContext) {
  return async (c: Context, next: () => Promise<void>) => {
    await next();
    if (!observers.any || isGone(c)) return;
    const { method, path, query, headers } = withoutBody(c);
    const body = new TextEncoder().encode(method === "POST" ? await c.req.text() : "");
    const type = c.res.headers.get("content-type") ?? "";
    observers.report(
      exchangeEvent(
        env.now(),
        { method, path, query, headers, body },
        { status: c.res.status, headers: { "content-type": type }, body: new Uint8Array(0) },
      ),
    );
  };
}

function asset(c: Context, contentType: string, text: string): Response {
  return c.body(text, 200, {
    "content-type": contentType,
    "cache-control": "max-age=300",
    "x-content-type-options": "nosniff",
  });
}

function foreignForm() {
  return messagePage(
    "warn",
    "Please start again",
    "This form was not sent from a page of this visit, or your browser keeps no cookies.",
    html`<p><a href="/device">Enter the code again</a></p>`,
  );
}

function foreignName(baseUrl: string) {
  return messagePage(
    "warn",
    "Open this page by its own address",
    "The name in your browser's address bar is not this service's.",
    html`<p><a href="${baseUrl}/device">${baseUrl}/device</a></p>`,
  );
}

function homePage(service: ServiceContext) {
  const clients = [...service.directory.clients.values()];
  const body = html`<h1>Simulated service</h1>
<p>It speaks the OAuth 2.0 device authorization grant, for development and tests.</p>
<ul class="list">
<li><a href="/device">Connect a device</a> <span class="soft">enter a code</span></li>
<li><a href="/account">Your account</a> <span class="soft">remove apps, sign out, disable</span></li>
<li><a href="/.well-known/oauth-authorization-server">Metadata</a> <span class="soft">addresses for clients</span></li>
</ul>
<h2>Clients to try</h2>
<ul class="list">${clients.map(
    (client) =>
      html`<li><strong>${client.id}</strong><br><span class="soft">${client.name}</span></li>`,
  )}</ul>`;
  return { title: "Simulated service", body };
}

function withoutBody(c: Context) {
  const { method, path, url } = c.req;
  return { method, path, query: new URL(url).search.slice(1), headers: c.req.header() };
}

async function toProtocolRequest(c: Context): Promise<ProtocolRequest> {
  const body = mayHaveBody(c.req.method) ? await c.req.arrayBuffer() : new ArrayBuffer(0);
  return { ...withoutBody(c), body: new Uint8Array(body) };
}

function toResponse(method: string, { status, headers, body }: ProtocolResponse): Response {
  // Responses to HEAD and with status 204 must not have a body.
  const bodyless = method === "HEAD" || status === 204;
  return new Response(bodyless ? null : (body as Uint8Array<ArrayBuffer>), { status, headers });
}
