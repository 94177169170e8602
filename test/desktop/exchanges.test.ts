import fc from "fast-check";
import { expect, test } from "vitest";
import type { Http, HttpRequest, HttpSink } from "../../platform/contracts.ts";
import { wayOf } from "../../targets/desktop/panel/client/diagram.ts";
import {
  outcomeOf,
  type Row,
  responseOf,
  rowsOf,
  type Stored,
  updateList,
} from "../../targets/desktop/panel/client/rows.ts";
import { ACTIONS } from "../../targets/desktop/simulator/actions.ts";
import { Network } from "../../targets/desktop/simulator/environment/network.ts";
import { SimulatedClock } from "../../targets/desktop/simulator/environment/simulated-clock.ts";
import { ExchangeLog } from "../../targets/desktop/simulator/log/exchanges.ts";
import { summarizeResponse } from "../../targets/desktop/simulator/log/mask.ts";
import { Moments } from "../../targets/desktop/simulator/log/timeline.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";
import type { View } from "../../targets/desktop/simulator/view.ts";
import { clean } from "../../targets/service/observers.ts";
import { isFullRun } from "../full-run.ts";
import { errorWordOf } from "../service/harness.ts";
import { bench } from "./bench.ts";

test("responses and forms are shown without secrets and control characters", () => {
  const response = { access_token: "s1", refresh_token: "s2", device_code: "s3", user_code: "s4" };
  expect(summarizeResponse(JSON.stringify({ ...response, expires_in: 5 }))).toBe(
    "access_token=*** refresh_token=*** device_code=*** user_code=*** expires_in=5",
  );
  expect(summarizeResponse("<html>")).toBe("(6 characters that are not JSON)");
  expect(summarizeResponse('{"error":"\\u001b[2J"}')).toBe("error=?[2J");
  expect(clean("a\x1b\n\x7fb")).toBe("a???b");
});

test("a power cut during a real exchange does not stop the clock", async () => {
  const clock = new SimulatedClock({ paused: true });
  const log = new ExchangeLog(new Moments(() => clock.nowMs()), () => {});
  const silent: Http = { send: () => {}, abort: () => {} };
  const network = new Network(silent, clock, log);
  const received: string[] = [];
  const sink: HttpSink = {
    status: () => received.push("status"),
    body: () => received.push("body"),
    end: () => received.push("end"),
    failed: () => received.push("failed"),
  };
  const nothing = new Uint8Array(0);
  const request = { method: "POST", url: "http://127.0.0.1/token", contentType: "" } as const;
  network.send({ ...request, authorization: "", body: nothing, bodyFrom: 0, bodyTo: 0 }, sink);
  const jump = clock.advance(1000);
  network.abort();
  await jump;
  expect(clock.nowMs()).toBe(1000);
  expect(received).toEqual([]);
  expect(log.entries[0]?.response).toBe("aborted");
});

const often = ["new-code", "allow", "deny", "power-cycle", "sign-out", "fix"];
const faults = ["slow", "corrupt", "unavailable", "captive-portal", "cut-poll", "quota"];
const waits = ["advance 3s", "advance 40s", "advance 10m", "advance 30m"];
/** The clock's actions are left out, because `waits` advances the clock. */
const ACTIONS_IN_TIME = ACTIONS.filter(({ group }) => group !== "clock").map(({ name }) => name);
const session = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...waits) },
    { weight: 2, arbitrary: fc.constantFrom(...often) },
    { weight: 1, arbitrary: fc.constantFrom(...faults) },
    { weight: 3, arbitrary: fc.constantFrom(...ACTIONS_IN_TIME) },
  ),
  { minLength: 1, maxLength: 25, size: "max" },
);
const RUNS = isFullRun ? 25 : 2;

interface Received {
  status: number;
  body: string;
}

function listen(simulation: Simulation): Map<number, Received> {
  const received = new Map<number, Received>();
  const { network, exchanges } = simulation;
  const send = network.send.bind(network);
  network.send = (request: HttpRequest, sink: HttpSink): void => {
    const response = { status: 0, body: "" };
    const id = exchanges.count + 1;
    send(request, {
      status(status, retryAfterS) {
        response.status = status;
        sink.status(status, retryAfterS);
      },
      body(bytes, from, to) {
        for (let at = from; at < to; at++) response.body += String.fromCharCode(bytes[at]!);
        sink.body(bytes, from, to);
      },
      end() {
        received.set(id, response);
        sink.end();
      },
      failed(failure) {
        received.set(id, { status: 0, body: "" });
        sink.failed(failure);
      },
    });
  };
  return received;
}

async function play(steps: readonly string[], look: (view: View) => void): Promise<Simulation> {
  const { simulation, controller } = bench();
  simulation.powerOn();
  for (const step of steps) {
    await controller.run(step);
    look(controller.viewer.view());
  }
  return simulation;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("an exchange is shown as OK or with the name of its error", async () => {
  await fc.assert(
    fc.asyncProperty(session, async (steps) => {
      const { simulation, controller } = bench();
      const received = listen(simulation);
      simulation.powerOn();
      for (const step of steps) await controller.run(step);
      for (const exchange of simulation.exchanges.entries) {
        const response = received.get(exchange.id);
        if (response === undefined || exchange.ended === undefined || response.status === 0)
          continue;
        const { status, body } = response;
        const words = responseOf(exchange);
        const isValid = status >= 200 && status < 300;
        expect(words.startsWith(`${status} `), words).toBe(true);
        const isReadable = body === "" || isJson(body);
        const error = isReadable && body !== "" ? errorWordOf(JSON.parse(body)) : undefined;
        expect(/\bOK\b/.test(words), `${words} for ${body}`).toBe(isValid && isReadable && !error);
        if (error) expect(words).toContain(` ${error}`);
        if (!isReadable) expect(words).toContain("not JSON");
        expect(outcomeOf(exchange) === "wait").toBe(error === "authorization_pending");
        expect(exchange.receivedBytes).toBe(body.length);
      }
    }),
    { numRuns: RUNS },
  );
});

test.each([
  ["fault corrupt on", "428 not JSON (garbled)"],
  ["fault unavailable on", "503 not JSON (service down)"],
  ["fault captive-portal on", "200 not JSON (from a hotspot)"],
  ["fault cut-poll", "400 invalid_request (cut short on the way)"],
  ["fault slow-down", "403 slow_down (by request)"],
  ["fault offline on", "unreachable (network unplugged)"],
])("after %s the next poll is shown as %s", async (step, words) => {
  const simulation = await play(["advance 9s", step, "advance 12s"], () => {});
  const poll = simulation.exchanges.entries.find(({ fault }) => fault !== "");
  expect(responseOf(poll!)).toBe(words);
});

test("RFC 9449 §7.2: the decoded proof is beside its request, and a thief of the bound token gets 401", async () => {
  const start = ["advance 9s", "allow", "advance 10s", "steal"];
  const { exchanges } = await play([...start, "require-keys", "advance 10s", "steal"], () => {});
  const thefts = exchanges.entries.filter(({ purpose }) => purpose === "a thief calls the API");
  expect(thefts.map(responseOf)).toEqual(["200 OK", "401 authError"]);
  const { id } = exchanges.entries.findLast(({ purpose }) => purpose === "call the API")!;
  const { request } = exchanges.detailOf(id)!;
  expect(request).toMatch(/^Authorization: DPoP \*\*\*$/m);
  expect(request).toMatch(
    /^DPoP: a signature over\n {2}\{.*"jwk".*\n {2}\{"htm":"GET","htu":"http/m,
  );
});

/** Replaces the page's list element. Its items are rows instead of elements. */
class FakeList {
  readonly items: Row[] = [];
  insertBefore(item: Row, before: Row | null): void {
    if (this.items.includes(item)) this.items.splice(this.items.indexOf(item), 1);
    this.items.splice(before ? this.items.indexOf(before) : this.items.length, 0, item);
  }
  remove(item: Row): void {
    this.items.splice(this.items.indexOf(item), 1);
  }
  at(place: number): Row | null {
    return this.items[place] ?? null;
  }
}

test("rows are in the order of the events; an updated list equals a new list of the last view", async () => {
  await fc.assert(
    fc.asyncProperty(session, async (steps) => {
      const list = new FakeList();
      const stored = new Map<string, Stored<Row>>();
      await play(steps, (view) => {
        const rows = rowsOf(view);
        const orders = rows.flatMap((row) => row.orders);
        const all = [
          ...view.exchanges
            .flatMap(({ order, ended }) => (ended ? [order, ended.order] : [order]))
            .filter((order) => order >= view.fromOrder),
          ...view.timeline.map(({ order }) => order),
          ...view.events.map(({ order }) => order),
        ];
        expect(orders).toEqual(all.sort((a, b) => a - b));
        const first = orders[0] ?? 0;
        expect(orders).toEqual(orders.map((_, at) => first + at));
        updateList(list, stored, rows, (row) => row);
        expect(list.items).toEqual(rows);
      });
    }),
    { numRuns: RUNS },
  );
});

test("a long wait is one row that stays in place, even if half a minute of it is discarded", async () => {
  const rows: string[][] = [];
  const steps = ["advance 5s", ...Array.from({ length: 40 }, () => "advance 40s"), "allow"];
  await play([...steps, "advance 8s"], (view) => {
    rows.push(
      rowsOf(view).map(
        ({ exchanges, part }) => `${part} ${exchanges[0]?.purpose ?? ""} ${exchanges.length}`,
      ),
    );
  });
  expect(rows.at(-3)?.filter((row) => row.startsWith("whole poll"))).toHaveLength(1);
  expect(rows.at(-1)!.join()).toMatch(/whole poll \d+,.*whole poll 1,.*whole call the API 1/);
});

test.each([
  ["service as-usual", "environment-strip"],
  ["client living-room-tv", "environment-strip"],
  ["policy pupil video", "environment-strip"],
  ["fault offline on", "environment-strip fault"],
  ["fault slow-down", "environment-strip fault"],
  ["press new-code", "user-device"],
  ["stream poll", "manufacturer-service"],
])("%s is drawn as %s, because a setting is not a fault", async (step, way) => {
  const { timeline } = await play(["advance 5s", step], () => {});
  const by = (required: string): boolean => timeline.entries.some((one) => wayOf(one) === required);
  expect(by(way)).toBe(true);
  expect(by("environment-strip fault")).toBe(way.endsWith("fault"));
});
