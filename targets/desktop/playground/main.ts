// The playground: the panel with a world behind it that is in the page as well. What it needs is in its own
// folder, and it asks for nothing else.
import releaseVariant from "@jitl/quickjs-wasmfile-release-sync";
import { newQuickJSWASMModuleFromVariant, newVariant } from "quickjs-emscripten-core";
import { Panel, takeTabs } from "../panel/client/panel.ts";
import { readFiles } from "./files.ts";
import { PageLink } from "./link.ts";

async function begin(): Promise<void> {
  takeTabs();
  const { wasm, data } = await readFiles();
  const wasmModule = await WebAssembly.compile(wasm);
  const module = await newQuickJSWASMModuleFromVariant(newVariant(releaseVariant, { wasmModule }));
  const frame = document.getElementById("phone") as HTMLIFrameElement;
  const link = new PageLink(module, data, frame);
  new Panel(link);
}

begin().catch((error: Error) => {
  document.getElementById("connection")!.textContent =
    `The playground cannot start: ${error.message}. It needs WebAssembly, and all files of its folder.`;
});
