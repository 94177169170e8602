// An exchange that is opened says of each header, field and member what it is, and nothing secret is in it; through
// all scenarios, so that whatever the device ever sends or hears has been met.
import { expect, test } from "vitest";
import { findScenario, scenarioNames } from "../../targets/desktop/scenarios/library.ts";
import { play } from "../../targets/desktop/scenarios/play.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";

const SECRET = /pg[adr]\.[\w-]{10}|tv-secret/;

test("every name in an opened exchange is explained, with its section", async () => {
  const unexplained = new Set<string>();
  let opened = 0;
  for (const name of scenarioNames()) {
    let world: Simulation | undefined;
    await play(findScenario(name), {
      created(simulation) {
        world = simulation;
      },
    });
    for (const { id, purpose } of world!.exchanges.entries) {
      const { asked, said, curl, request, answer } = world!.exchanges.detailOf(id)!;
      opened++;
      for (const { name: one, means } of [...asked, ...said]) {
        if (!/§|appendix|OpenID/.test(means)) unexplained.add(`${one} (${purpose})`);
      }
      expect(`${request}${answer}${curl}`).not.toMatch(SECRET);
      expect(curl).toMatch(/^curl -X (GET|POST) '/);
      if (purpose === "poll") expect(curl).toContain('"device_code=$DEVICE_CODE"');
    }
  }
  expect(opened).toBeGreaterThan(300);
  expect([...unexplained]).toEqual([]);
});
