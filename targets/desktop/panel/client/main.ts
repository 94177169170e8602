// The panel of `npm start`: its world is the simulator's, which sends views as events and takes commands.
import type { ExchangeDetail } from "../../simulator/log/exchange-detail.ts";
import type { View } from "../../simulator/view.ts";
import { setText } from "./dom.ts";
import type { Link } from "./link.ts";
import { Panel } from "./panel.ts";

const phone = document.getElementById("phone") as HTMLIFrameElement | null;

phone?.addEventListener("load", () => {
  const { location } = phone.contentWindow!;
  if (location.protocol !== "about:") setText("phone-address", location.host + location.pathname);
});

const simulator: Link = {
  watch(show, lost) {
    const events = new EventSource("/panel/events");
    events.addEventListener("message", (event) => show(JSON.parse(String(event.data)) as View));
    events.addEventListener("error", () => lost("The simulator has ended."));
  },
  async send(command) {
    const answer = await fetch("/panel/command", {
      method: "POST",
      headers: { "content-type": "application/json", "x-picogrant-panel": "1" },
      body: JSON.stringify({ command }),
    }).catch(() => undefined);
    return answer?.ok ? "" : "The simulator did not take that.";
  },
  async exchange(id) {
    const answer = await fetch(`/panel/exchange/${id}`).catch(() => undefined);
    return answer?.ok ? ((await answer.json()) as ExchangeDetail) : undefined;
  },
  openPhone(target) {
    if (phone) phone.src = target;
  },
  hintFor(verificationUri) {
    return /^https?:\/\/(127\.|localhost|\[::1\])/.test(verificationUri)
      ? "For this computer only. To scan it with your phone, start with --host 0.0.0.0"
      : "Scan it with your phone";
  },
};

new Panel(simulator);
