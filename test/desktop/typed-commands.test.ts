// Typing in the terminal: what is a key, what is a letter, what is listed and completed.
import { expect, test } from "vitest";
import { DEEDS } from "../../targets/desktop/simulator/deeds.ts";
import { TypedCommands } from "../../targets/desktop/terminal/typed-commands.ts";

function type(line: TypedCommands, text: string): (string | undefined)[] {
  return [...text].map((key) => line.press(key));
}

test("without a colon keys are keys; with one they are letters until Enter", () => {
  const line = new TypedCommands();
  expect(line.press("a")).toBeUndefined();
  expect(type(line, ":allow ben")).toEqual(Array.from(":allow ben", () => ""));
  expect(line.prompt).toBe(":allow ben_");
  expect(line.press("\r")).toBe("allow ben");
  expect(line.prompt).toBe("");
  expect(line.press("a")).toBeUndefined();
});

test("backspace takes a letter, escape everything; a line has an end; control characters are none of it", () => {
  const line = new TypedCommands();
  type(line, ":alx\x7f\x01");
  expect(line.prompt).toBe(":al_");
  expect(line.press("\x1b")).toBe("");
  expect(line.prompt).toBe("");
  type(line, `:${"x".repeat(1000)}`);
  expect(line.prompt.length).toBeLessThan(210);
  expect(line.press("\x03")).toBe("");
  expect(line.prompt).toBe("");
});

test("tab completes as far as all deeds agree", () => {
  const line = new TypedCommands();
  type(line, ":crea\t");
  expect(line.prompt).toBe(":create-offer_");
  line.press("\x1b");
  type(line, ":stream\t");
  expect(line.prompt).toBe(":stream-_");
  line.press("\x1b");
  type(line, ":nothing\t");
  expect(line.prompt).toBe(":nothing_");
});

test("a question mark lists every deed with its key, another one leads on, escape takes the list away", () => {
  const line = new TypedCommands();
  expect(line.press("?")).toBe("");
  const list = line.lines(120).join("\n");
  for (const { name, key } of DEEDS) expect(list).toContain(key === "" ? name : `${name} (${key})`);
  for (const row of line.lines(120)) expect(row.length).toBeLessThanOrEqual(120);
  expect(line.page).toBe(0);
  line.press("?");
  expect(line.page).toBe(1);
  expect(line.press("\x1b")).toBe("");
  expect(line.lines(120)).toEqual([]);
});

test("what is typed narrows the list", () => {
  const line = new TypedCommands();
  type(line, ":offer");
  const list = line.lines(80).join("\n");
  expect(list).toContain("activate-offer");
  expect(list).not.toContain("stream-poll");
});
