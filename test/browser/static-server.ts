// A plain file server below a path, as a stranger would put a folder on the web, with the strictest policy with which
// WebAssembly can be used at all.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".json": "application/json",
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  ...["style-src 'self'", "img-src 'self'", "connect-src 'self'"],
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
