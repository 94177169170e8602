import { describe, expect, test } from "vitest";
import { sentenceOf } from "../../core/tables/remedies.ts";
import { panelPage } from "../../targets/desktop/panel/page.ts";
import { virtualWorld } from "../../targets/desktop/scenarios/play.ts";
import { deedOf } from "../../targets/desktop/simulator/deeds.ts";
import { shows } from "../../targets/desktop/simulator/device/display.ts";
import {
  ANSWERS,
  ANSWERS_SECTION,
  type Answer,
  displayOf,
  exchangeOf,
  loggedAs,
  mendOf,
  playAnswer,
  rowOf,
  titleOf,
} from "../../targets/desktop/simulator/error-gallery.ts";
import { reasonOfDevice } from "../../targets/desktop/simulator/log/reasons.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";
import { perform } from "../../targets/desktop/simulator/steps.ts";
import { documentRows } from "../coverage/rows.ts";

const byTitle = ANSWERS.map((answer): [string, Answer] => [titleOf(answer), answer]);

/** A world whose device has just been switched on. */
function switchedOn(): Simulation {
  const simulation = virtualWorld();
  simulation.powerOn();
  return simulation;
}

/** Plays the answer and checks what is on the wire and what the device says. */
async function provoke(simulation: Simulation, answer: Answer): Promise<void> {
  const from = simulation.exchanges.count;
  const said = await perform(simulation, `answer-${answer.name}`);
  // Once: where screen and panel say it beside the error, the message does not.
  const isSaid = !["authorization_pending", "invalid_grant"].includes(answer.code);
  const mend = isSaid ? "" : `; who can mend it: ${mendOf(answer)}`;
  expect(said).toBe(`${titleOf(answer)}${mend}`);
  const exchange = exchangeOf(answer, simulation, from);
  const detail = simulation.exchanges.detailOf(exchange!.id)!.answer;
  const [head = "", body = ""] = detail.split("\n\n");
  expect(head.split("\n")[0]).toBe(`HTTP status ${answer.status}`);
  expect(JSON.parse(body)).toMatchObject({ [answer.member ?? "error"]: answer.code });
  const { lines } = simulation.display;
  expect(shows(lines, displayOf(answer)), lines.join("|")).toBe(true);
  expect(`${exchange!.status} ${exchange!.said}`).toBe(loggedAs(answer));
  // With the new code that the device has asked for by itself nothing is wrong any more.
  const reason = { name: answer.code, from: "the authorization server", mend: mendOf(answer) };
  const isOver = answer.code === "invalid_grant";
  expect(reasonOfDevice(simulation.driver!)).toEqual(isOver ? undefined : reason);
}

describe("device doc section 7 in the simulator", () => {
  test("there is an answer for each row of the section, and no other", () => {
    const rows = documentRows
      .filter(({ document, section }) => document === "device doc" && section === ANSWERS_SECTION)
      .map(({ row }) => row);
    expect(ANSWERS.map(rowOf).sort()).toEqual(rows.sort());
  });

  test.each(byTitle)("%s is provoked by deeds of the table", async (_title, answer) => {
    expect(answer.deeds).not.toEqual([]);
    for (const deed of answer.deeds) expect(deedOf(deed), deed).toBeDefined();
    await provoke(switchedOn(), answer);
  });

  test("each can be provoked after any other, and after faults", async () => {
    const simulation = switchedOn();
    for (const [, answer] of [...byTitle, ...byTitle.toReversed()]) {
      await perform(simulation, "fault offline on");
      await provoke(simulation, answer);
    }
  });

  test("the gallery has a row for each: server, display, who can mend it, and a button", async () => {
    const page = String(await panelPage({ hasService: true, folder: "/panel/" }));
    for (const [title, answer] of byTitle) {
      const row = new RegExp(`<tr>(?:(?!</tr>).)*"answer ${answer.name}".*?</tr>`, "s")
        .exec(page)?.[0]
        .replaceAll("&#39;", "'")
        .replaceAll("&quot;", '"');
      expect(row, title).toContain(`"${answer.member ?? "error"}": "${answer.code}"`);
      expect(row).toContain(`<code>${loggedAs(answer)}</code>`);
      expect(row).toContain(displayOf(answer));
      expect(row).toContain(sentenceOf(mendOf(answer)));
    }
  });

  test("an unknown one is refused with the names of all", async () => {
    await expect(perform(switchedOn(), "answer nobody")).rejects.toThrow(
      /^no answer "nobody", but rate-limit-exceeded, .*missing-parameter$/,
    );
  });

  test("where it does not come, it says so, and nothing hangs", async () => {
    const simulation = switchedOn();
    const answer = { ...ANSWERS[1]!, deeds: ["deny"] };
    const said = await playAnswer(simulation, answer, async (step) => {
      await perform(simulation, step);
    });
    expect(said).toMatch(/^Poll: 428 authorization_pending did not come: /);
  });
});
