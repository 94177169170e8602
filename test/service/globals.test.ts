// A program that is tested with the simulated service, or the simulator, in its own process keeps what Node gave it.

import { expect, it } from "vitest";
import { createService, nodeEnvironment, serve } from "../../targets/service/index.ts";
import { startSimulator } from "../desktop/running-simulator.ts";
import { FIXTURE } from "./harness.ts";

const before = [Request, Response];
const startService = () => serve(createService({ ...nodeEnvironment(), fixture: FIXTURE }));

it.each([
  ["service", startService],
  ["simulator", () => startSimulator()],
])("Request and Response are Node's beside a running %s", async (_, start) => {
  const running = await start();
  try {
    expect((await fetch(running.url)).constructor).toBe(Response);
    // Fetch standard: a status has 200 to 599.
    expect(() => new Response("", { status: 999 })).toThrow(RangeError);
    expect([Request, Response]).toEqual(before);
  } finally {
    await running.close();
  }
});
