// The playground: the panel with a world behind it that is in the page as well. It asks for nothing but the files of
// its own folder.
import type { FixtureInput } from "../../service/fixture.ts";
import { Panel, takeTabs } from "../panel/client/panel.ts";
import { PageLink } from "./link.ts";

/** What the build writes into the script. */
export interface PlaygroundData {
  readonly fixture: FixtureInput;
  readonly scenarios: readonly { readonly name: string; readonly text: string }[];
}

declare const PLAYGROUND: PlaygroundData;

takeTabs();
new Panel(new PageLink(PLAYGROUND, document.getElementById("phone") as HTMLIFrameElement));
