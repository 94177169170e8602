// The files beside the playground's page: the engine and the data. A server gives them; from a disk a browser lets no
// page read its neighbours, and they come as a script that has both in it.
import type { FixtureInput } from "../../service/fixture.ts";

/** What the build has put beside the script. */
export interface PlaygroundData {
  readonly bundle: string;
  readonly fixture: FixtureInput;
  readonly scenarios: readonly { readonly name: string; readonly text: string }[];
}

/** Under this name the script for pages from a disk leaves the files. */
export const FILES = "picograntFiles";

interface OnDisk {
  readonly "quickjs.wasm": string;
  readonly "data.json": PlaygroundData;
}

/** @throws Error of one line that names the file which is missing */
export async function readFiles(): Promise<{ wasm: ArrayBuffer; data: PlaygroundData }> {
  if (location.protocol === "file:") return await readFromScript();
  const [wasm, data] = await Promise.all([
    fetched("quickjs.wasm").then((answer) => answer.arrayBuffer()),
    fetched("data.json").then((answer) => answer.json() as Promise<PlaygroundData>),
  ]);
  return { wasm, data };
}

/** A file of this folder, wherever the folder is. */
async function fetched(name: string): Promise<Response> {
  const answer = await fetch(new URL(name, document.baseURI));
  if (!answer.ok) throw new Error(`${name} is missing (${answer.status})`);
  return answer;
}

async function readFromScript(): Promise<{ wasm: ArrayBuffer; data: PlaygroundData }> {
  const script = document.createElement("script");
  script.src = "without-server.js";
  await new Promise<void>((resolve, reject) => {
    script.addEventListener("load", () => resolve());
    script.addEventListener("error", () => reject(new Error(`${script.src} is missing`)));
    document.head.append(script);
  });
  const files = (globalThis as unknown as Record<string, OnDisk>)[FILES]!;
  const wasm = Uint8Array.from(atob(files["quickjs.wasm"]), (letter) => letter.charCodeAt(0));
  return { wasm: wasm.buffer, data: files["data.json"] };
}
