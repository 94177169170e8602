// Whether the recording of a session ends as the session did: the same requests with the same answers at the same
// moments, the same states, the same frame.
import { play } from "../../targets/desktop/scenarios/play.ts";
import { sideBySide } from "../../targets/desktop/scenarios/player.ts";
import { readScenario } from "../../targets/desktop/scenarios/scenario.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";

/** Plays a recording anew. What was not as in the session, with the recording; "" where nothing was. */
export async function differenceOf(session: Simulation, recording: string): Promise<string> {
  const scenario = readScenario("recording", recording);
  const end = scenario.lines.at(-1)!;
  let replayed: Simulation | undefined;
  let story: string[] = [];
  const { unmet } = await play(scenario, {
    created(simulation) {
      replayed = simulation;
    },
    before(line) {
      if (line === end) story = storyOf(replayed!);
    },
  });
  if (unmet) return `${unmet.line.text}\n${sideBySide(unmet)}\n${recording}`;
  const told = storyOf(session);
  const at = told.findIndex((line, place) => line !== story[place]);
  if (at < 0 && told.length === story.length) return "";
  const place = at < 0 ? told.length : at;
  const [expected, actual] = [told, story].map((lines) =>
    lines.slice(Math.max(0, place - 5), place + 2),
  );
  return `the session:\n${expected!.join("\n")}\nits replay:\n${actual!.join("\n")}\n${recording}`;
}

/** The last requests and states, each with its moment. */
function storyOf({ exchanges, timeline }: Simulation): string[] {
  const requests = exchanges.entries.map(({ atMs, order, purpose, target, status, fault }) => ({
    order,
    line: `${atMs} ${purpose} ${target} ${status} ${fault}`,
  }));
  const states = timeline.entries
    .filter(({ by }) => by === "device" || by === "button")
    .map(({ atMs, order, state, what }) => ({ order, line: `${atMs} ${state} ${what}` }));
  return [...requests, ...states].sort((a, b) => a.order - b.order).map(({ line }) => line);
}
