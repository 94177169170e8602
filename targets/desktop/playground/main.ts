// The playground: the panel with its simulation in the same page. It loads the files of its own folder only.
import type { FixtureInput } from "../../service/fixture.ts";
import { Panel, takeTabs } from "../panel/client/panel.ts";
import { PageLink } from "./link.ts";

/** Set by the build. */
declare const FIXTURE: FixtureInput;

takeTabs();
new Panel(new PageLink(FIXTURE, document.getElementById("phone") as HTMLIFrameElement));
