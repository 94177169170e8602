// core/SPEC.md shows the table of transitions as the code has it. `npm run spec` writes it anew.

import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { Event, State, transitions } from "../../core/device/states.ts";

const file = new URL("../../core/SPEC.md", import.meta.url);
const begin = "<!-- transitions: begin -->";
const end = "<!-- transitions: end -->";

function drawn(): string {
  const moves = transitions();
  const lines = moves.map(
    ({ from, event, to }) => `| ${State[from]} | ${Event[event]} | ${State[to]} |`,
  );
  const arrows = moves.map(
    ({ from, event, to }) => `  ${State[from]} --> ${State[to]}: ${Event[event]}`,
  );
  return [
    begin,
    "",
    "```mermaid",
    "stateDiagram-v2",
    ...arrows,
    "```",
    "",
    "| from | event | to |",
    "|---|---|---|",
    ...lines,
    "",
    end,
  ].join("\n");
}

it("the diagram and table of SPEC.md are those of states.ts", () => {
  const text = readFileSync(file, "utf8");
  const at = text.indexOf(begin);
  const behind = text.indexOf(end) + end.length;
  expect(at).toBeGreaterThan(0);
  if (process.env.WRITE_SPEC) writeFileSync(file, text.slice(0, at) + drawn() + text.slice(behind));
  else expect(text.slice(at, behind)).toBe(drawn());
});
