// The playground's folder on a file server, and what is waited for on its page and the panel's: for tests and pictures.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { writePlayground } from "../../targets/desktop/playground/folder.ts";
import { mallocExport, quickjsPackage } from "../../targets/workbench/budgets/engine.ts";
import { countBytes } from "../../targets/workbench/budgets/wasm-counter.ts";
import { serveFolder } from "./static-server.ts";

/** The playground, below a path. */
export async function startPlayground(): Promise<{
  readonly url: string;
  readonly folder: string;
  close(): Promise<void>;
}> {
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  const wasm = readFileSync(createRequire(import.meta.url).resolve(`${quickjsPackage}/wasm`));
  await writePlayground(folder, countBytes(wasm, mallocExport()));
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
