// The playground: the panel with a world behind it that is in the page as well. What it needs is in its own
// folder, and it asks for nothing else.
import releaseVariant from "@jitl/quickjs-wasmfile-release-sync";
import { newQuickJSWASMModuleFromVariant, newVariant } from "quickjs-emscripten-core";
import { Panel } from "../panel/client/panel.ts";
import { FixtureEditor } from "./fixture-editor.ts";
import { PageLink, type PlaygroundData } from "./link.ts";
import { ScenarioPlayer } from "./scenarios.ts";

/** A file of this folder, wherever the folder is. */
async function file(name: string): Promise<Response> {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name} is missing (${answer.status})`);
  return answer;
}

async function begin(): Promise<void> {
  const [wasm, data] = await Promise.all([
    file("quickjs.wasm").then((answer) => answer.arrayBuffer()),
    file("data.json").then((answer) => answer.json() as Promise<PlaygroundData>),
  ]);
  const wasmModule = await WebAssembly.compile(wasm);
  const module = await newQuickJSWASMModuleFromVariant(newVariant(releaseVariant, { wasmModule }));
  const frame = document.getElementById("phone") as HTMLIFrameElement;
  const link = new PageLink(module, data, frame);
  const panel = new Panel(link);
  new ScenarioPlayer(link, data);
  new FixtureEditor(link, (line) => panel.say(line));
}

begin().catch((error: Error) => {
  document.getElementById("connection")!.textContent =
    `The playground cannot start: ${error.message}. It needs WebAssembly, and all files of its folder.`;
});
