// What tests and pictures of pages need: the browser, Debian's Chromium without its own windows, driven by
// playwright-core (the whole one draws its tabs and menus for nobody); and the playground's folder on a file server.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { writePlayground } from "../../targets/desktop/playground/folder.ts";

export const EXECUTABLE = process.env.PICOGRANT_CHROMIUM ?? "/usr/bin/chromium-headless-shell";
export const MISSING =
  `${EXECUTABLE} is missing: install the Debian package chromium-headless-shell ` +
  "(apt-get install chromium-headless-shell), or name another one in PICOGRANT_CHROMIUM";
const ARGUMENTS = [
  "--no-sandbox",
  "--headless",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts Chromium; the caller closes it. */
export async function launchChromium(): Promise<Browser> {
  // It takes a second to load, which nobody wants to wait for who asks a program for its options.
  const { chromium } = await import("playwright-core");
  return chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
}

/** The playground, below a path. */
export async function startPlayground(): Promise<{
  readonly url: string;
  readonly folder: string;
  close(): Promise<void>;
}> {
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  await writePlayground(folder);
  const server = await serveFolder(folder, "/some/where/");
  return {
    url: server.url,
    folder,
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the display shows this text, in one row or wrapped. Asked with each picture, the page would draw sixty. */
export async function shows(page: Page, text: string): Promise<void> {
  await page.waitForFunction(
    (wanted) =>
      document.getElementById("frame")?.textContent?.replace(/\s+/g, " ").includes(wanted),
    text,
    { polling: 50 },
  );
}

// A plain file server below a path, as a stranger would put a folder on the web, with the strictest policy.

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join("; ");

interface StaticServer {
  /** Where the folder is, with a slash at the end. */
  readonly url: string;
  close(): Promise<void>;
}

/** @param below the path under which the folder's files are, such as "/some/where/" */
export async function serveFolder(folder: string, below: string): Promise<StaticServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const name = pathname.startsWith(below) ? pathname.slice(below.length) || "index.html" : "";
    try {
      if (!/^[\w.-]+$/.test(name)) throw new Error("not in the folder");
      const content = readFileSync(path.join(folder, name));
      response.setHeader("content-security-policy", POLICY);
      response.setHeader("content-type", TYPES[path.extname(name)] ?? "application/octet-stream");
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${below}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
