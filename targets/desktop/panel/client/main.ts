// The panel of `npm start`. The simulator sends views as server-sent events and receives steps.
import type { ExchangeDetail } from "../../simulator/log/mask.ts";
import type { View } from "../../simulator/view.ts";
import { setText } from "./dom.ts";
import { type Link, Panel, takeTabs } from "./panel.ts";

const phone = document.getElementById("phone") as HTMLIFrameElement | null;

phone?.addEventListener("load", () => {
  const { location } = phone.contentWindow!;
  if (location.protocol !== "about:") setText("phone-address", location.host + location.pathname);
});

/** Pages of other origins cannot send the header `x-picogrant-panel`. */
function post(address: string, body: object): Promise<Response | undefined> {
  return fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json", "x-picogrant-panel": "1" },
    body: JSON.stringify(body),
  }).catch(() => undefined);
}

const NO_RESPONSE = "The simulator rejected the command.";

const simulator: Link = {
  watch(show, lost) {
    const events = new EventSource("/panel/events");
    events.addEventListener("message", (event) => show(JSON.parse(String(event.data)) as View));
    events.addEventListener("error", () => lost("The simulator has ended."));
  },
  async send(command) {
    const response = await post("/panel/command", { command });
    return response?.ok ? "" : NO_RESPONSE;
  },
  async exchange(id) {
    const response = await fetch(`/panel/exchange/${id}`).catch(() => undefined);
    return response?.ok ? ((await response.json()) as ExchangeDetail) : undefined;
  },
  openPhone(target) {
    if (phone) phone.src = target;
  },
  hintFor(verificationUri) {
    return /^https?:\/\/(127\.|localhost|\[::1\])/.test(verificationUri)
      ? "It works on this computer only. For your own phone, start with --host 0.0.0.0"
      : "Scan it with your phone";
  },
};

takeTabs();
new Panel(simulator);
