// The HTTP routes of the panel: its page and files, a stream of views, and the commands that the page sends.
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { secureHeaders } from "hono/secure-headers";
import { streamSSE } from "hono/streaming";
import * as z from "zod";
import { isOwnName } from "../../service/pages/page-request.ts";
import { ACTIONS } from "../simulator/actions.ts";
import type { Controller } from "../simulator/controls.ts";
import type { Front } from "../simulator/environment/environment.ts";
import type { Simulation } from "../simulator/simulation.ts";
import { panelPage, stylesheet } from "./page.ts";

/** The shortest time between two views for a page. */
const PUSH_MS = 50;
/** The longest time between two views, because the displayed times change even if nothing happens. */
const TICK_MS = 250;
const COMMANDS = new Set(ACTIONS.flatMap(({ name, step }) => [name, step]));
const BODY_BYTES_MAX = 10_000;
const commandSchema = z.strictObject({ command: z.string().max(80) });

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#22301a"/><rect x="2" y="4" width="12" height="8" rx="1" fill="#a9cf3f"/><path d="M4 7h5M4 9.5h8" stroke="#22301a" stroke-width="1.3"/></svg>`;

const headers = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    frameSrc: ["'self'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
    formAction: ["'self'"],
  },
  strictTransportSecurity: false,
});

/** These routes take precedence over the service's. */
export function createPanel(simulation: Simulation, controller: Controller): Front {
  const app = new Hono();
  // Built when a browser first requests it.
  let script: string | undefined;
  const guard = ownNameOnly(simulation);
  app.use("/panel/*", guard, headers, bodyLimit({ maxSize: BODY_BYTES_MAX }));
  app.use("/panel", guard, headers);
  app.get("/panel", async (c) =>
    c.html(
      await panelPage({
        hasService: simulation.service !== undefined,
        folder: "/panel/",
      }),
    ),
  );
  app.get("/panel/panel.js", (c) => {
    script ??= clientScript();
    return asset(c, "text/javascript; charset=utf-8", script);
  });
  app.get("/panel/panel.css", (c) => asset(c, "text/css; charset=utf-8", stylesheet()));
  app.get("/panel/icon.svg", (c) => asset(c, "image/svg+xml", ICON));
  app.get("/panel/exchange/:id{[0-9]{1,9}}", (c) => {
    const detail = simulation.exchanges.detailOf(Number(c.req.param("id")));
    return detail ? c.json(detail) : c.text("No such exchange.", 404);
  });
  app.get("/panel/events", (c) => events(c, simulation, controller));
  app.post("/panel/command", fromPanelOnly, (c) => takeCommand(c, controller));
  return async (request, env) => {
    const { pathname } = new URL(request.url);
    if (pathname !== "/panel" && !pathname.startsWith("/panel/")) return undefined;
    return await app.fetch(request, env as object);
  };
}

/** Rejects other host names, because another site could point its own name to this address (DNS rebinding). */
function ownNameOnly({ service }: Simulation) {
  return async (c: Context, next: () => Promise<void>) => {
    const { hostname } = new URL(c.req.url);
    if (!isOwnName(hostname, service?.baseUrl ?? "http://localhost"))
      return c.text("Open the panel by its address.", 403);
    await next();
    return undefined;
  };
}

function asset(c: Context, type: string, text: string): Response {
  return c.body(text, 200, { "content-type": type, "cache-control": "no-store" });
}

function clientScript(): string {
  const entry = fileURLToPath(new URL("client/main.ts", import.meta.url));
  const options = { bundle: true, write: false, format: "esm", target: "es2022" } as const;
  const { outputFiles } = buildSync({ entryPoints: [entry], ...options });
  return outputFiles[0]!.text;
}

function events(c: Context, simulation: Simulation, controller: Controller): Response {
  return streamSSE(c, async (stream) => {
    let wake = (): void => {};
    const stop = simulation.onChange(() => wake());
    stream.onAbort(() => {
      stop();
      wake();
    });
    while (!stream.aborted) {
      await stream.writeSSE({ data: JSON.stringify(controller.viewer.view()) });
      await stream.sleep(PUSH_MS);
      await new Promise<void>((resolve) => {
        const tick = setTimeout(resolve, TICK_MS - PUSH_MS);
        wake = () => {
          clearTimeout(tick);
          resolve();
        };
        if (stream.aborted) wake();
      });
    }
  });
}

/** A page of another origin could send this header only after a preflight request, which fails. */
async function fromPanelOnly(c: Context, next: () => Promise<void>) {
  if (c.req.header("x-picogrant-panel") !== "1") return c.text("Not from the panel.", 403);
  await next();
  return undefined;
}

async function takeCommand(c: Context, controller: Controller): Promise<Response> {
  const parsed = commandSchema.safeParse(await c.req.json().catch(() => null));
  if (!parsed.success || !COMMANDS.has(parsed.data.command)) return c.text("No such command.", 400);
  await controller.run(parsed.data.command);
  return c.body(null, 204);
}
