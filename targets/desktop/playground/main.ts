// The playground: the panel with a world behind it that is in the page as well. It asks for nothing but the files of
// its own folder.
import type { FixtureInput } from "../../service/fixture.ts";
import { Panel, takeTabs } from "../panel/client/panel.ts";
import { PageLink } from "./link.ts";

/** The build writes it into the script. */
declare const FIXTURE: FixtureInput;

takeTabs();
new Panel(new PageLink(FIXTURE, document.getElementById("phone") as HTMLIFrameElement));
