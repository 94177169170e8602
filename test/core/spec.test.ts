// core/SPEC.md shows the table of transitions and the display texts as the code has them. `npm run spec` writes it anew.

import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { MESSAGES, Message } from "../../core/device/errors.ts";
import { Event, State, transitions } from "../../core/device/states.ts";

const file = new URL("../../core/SPEC.md", import.meta.url);
const begin = "<!-- transitions: begin -->";
const end = "<!-- transitions: end -->";
const beginMessages = "<!-- messages: begin -->";
const endMessages = "<!-- messages: end -->";

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

/** Display texts in their order; a file of a maker's texts has as many lines. */
function messagesListed(): string {
  const lines = MESSAGES.split("\n").map(
    (text, number) => `| ${number} | ${Message[number]} | \`${text.trimEnd()}\` |`,
  );
  const head = ["| line | name | default |", "|---|---|---|"];
  return [beginMessages, "", ...head, ...lines, "", endMessages].join("\n");
}

/** Compares what stands between two marks, or writes it anew. */
function checkPart(from: string, to: string, expected: string): void {
  const text = readFileSync(file, "utf8");
  const at = text.indexOf(from);
  const behind = text.indexOf(to) + to.length;
  expect(at).toBeGreaterThan(0);
  if (process.env.WRITE_SPEC)
    writeFileSync(file, text.slice(0, at) + expected + text.slice(behind));
  else expect(text.slice(at, behind)).toBe(expected);
}

it("the diagram and table of SPEC.md are those of states.ts", () => {
  checkPart(begin, end, drawn());
});

it("the display texts of SPEC.md are those of errors.ts", () => {
  expect(MESSAGES.split("\n")).toHaveLength(Message.COUNT);
  checkPart(beginMessages, endMessages, messagesListed());
});
