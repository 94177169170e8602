// Delivery of security events: poll (RFC 8936) and push (RFC 8935).
import { describe, expect, test } from "vitest";
import type { PushAnswer, PushDelivery } from "../../targets/service/index.ts";
import { Bench } from "./harness.ts";
import { Receiver, RISC, STREAM, verified } from "./receiver.ts";

describe("RFC 8936 poll delivery", () => {
  function withEvents(count: number, options = {}): Receiver {
    const receiver = new Receiver(new Bench(options)).usePolling();
    for (let i = 0; i < count; i++) receiver.send("POST", `${STREAM}:verify`, { state: `${i}` });
    return receiver;
  }

  test("RFC 8936 §2.4, §2.4.1: what is not acknowledged comes again, the same token", () => {
    const receiver = withEvents(2);
    expect(receiver.poll()).toEqual(receiver.poll());
    expect(Object.keys(receiver.poll().sets)).toHaveLength(2);
  });

  test("RFC 8936 §2.4, §2.4.3: acknowledged events come no more", () => {
    const receiver = withEvents(2);
    const [first, second] = Object.keys(receiver.poll().sets);
    expect(Object.keys(receiver.poll({ ack: [first] }).sets)).toEqual([second]);
    expect(receiver.poll({ ack: [second, "unknown"] }).sets).toEqual({});
  });

  test("RFC 8936 §2.4.4, §2.6: events reported with setErrs come no more", () => {
    const receiver = withEvents(1);
    const [jti] = Object.keys(receiver.poll().sets);
    const setErrs = { [jti!]: { err: "invalid_key", description: "unknown key" } };
    expect(receiver.poll({ setErrs }).sets).toEqual({});
  });

  test("RFC 8936 §2.2, §2.3 and §2.4.2: maxEvents limits, moreAvailable tells, 0 only acknowledges", () => {
    const receiver = withEvents(3);
    const two = receiver.poll({ maxEvents: 2, returnImmediately: true });
    expect(Object.keys(two.sets)).toHaveLength(2);
    expect(two.moreAvailable).toBe(true);
    const none = receiver.poll({ maxEvents: 0, ack: Object.keys(two.sets) });
    expect(none.sets).toEqual({});
    const last = receiver.poll({ maxEvents: 2 });
    expect(Object.keys(last.sets)).toHaveLength(1);
    expect(last.moreAvailable).toBeUndefined();
  });

  test.each([{ maxEvents: -1 }, { ack: "x" }, { setErrs: { a: "b" } }, []])(
    "RFC 8936 §2.2: the body %j is 400",
    (body) => {
      expect(withEvents(0).send("POST", "/events/v1/poll", body).status).toBe(400);
    },
  );

  test("a receiver that never fetches loses the oldest events, not the service's memory", () => {
    const receiver = withEvents(7, { waitingEventsMax: 5 });
    const states = receiver.events().map(([, event]) => event.state);
    expect(states).toEqual(["2", "3", "4", "5", "6"]);
  });
});

describe("RFC 8935 push delivery", () => {
  function pushing(answers: (number | "unreachable")[]) {
    const pushed: PushDelivery[] = [];
    const push = async (delivery: PushDelivery): Promise<PushAnswer> => {
      const status = answers[pushed.length] ?? 202;
      pushed.push(delivery);
      if (status === "unreachable") throw new Error("no route");
      return { status, body: "" };
    };
    const bench = new Bench({}, { push });
    const receiver = new Receiver(bench).usePush("https://receiver.test/events");
    return { bench, receiver, pushed };
  }

  test("an event has one chain of tries, however often the stream's status is set", async () => {
    const { bench, receiver, pushed } = pushing([500, 500, 500, 500, 500, 500]);
    receiver.send("POST", `${STREAM}:verify`, { state: "s" });
    for (let i = 0; i < 4; i++)
      receiver.send("POST", `${STREAM}/status:update`, { status: "enabled" });
    await bench.service.runDue();
    expect(pushed).toHaveLength(1);
    bench.wait(10);
    await bench.service.runDue();
    expect(pushed).toHaveLength(2);
  });

  test("a status set while an event is under way: not posted twice, and its tries begin anew", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let pushes = 0;
    const push = async (): Promise<PushAnswer> => {
      pushes++;
      if (pushes === 1) await held;
      return { status: pushes === 7 ? 202 : 500, body: "" };
    };
    const bench = new Bench({}, { push });
    const receiver = new Receiver(bench).usePush("https://receiver.test/events");
    receiver.send("POST", `${STREAM}:verify`, { state: "s" });
    const first = bench.service.runDue();
    receiver.send("POST", `${STREAM}/status:update`, { status: "enabled" });
    expect(pushes).toBe(1);
    release();
    await first;
    // The new chain's first try came at once; five more follow at their times.
    expect(pushes).toBe(2);
    for (let i = 0; i < 8; i++) {
      bench.wait(7200);
      await bench.service.runDue();
    }
    expect(pushes).toBe(7);
  });

  test("RFC 8935 §2: posted as application/secevent+jwt, once, when answered 202", async () => {
    const { bench, receiver, pushed } = pushing([202]);
    receiver.send("POST", `${STREAM}:verify`, { state: "s" });
    expect(await bench.service.runDue()).toBe(1);
    expect(pushed).toHaveLength(1);
    expect(pushed[0]).toMatchObject({
      url: "https://receiver.test/events",
      headers: { "content-type": "application/secevent+jwt", accept: "application/json" },
    });
    expect(verified(bench, pushed[0]!.body).events).toEqual({
      [`${RISC}verification`]: { state: "s" },
    });
    bench.wait(100_000);
    expect(await bench.service.runDue()).toBe(0);
  });

  test.each([500, 503, 429, 302, 401, "unreachable"] as const)(
    "RFC 8935 §2: after %s the same token is pushed again, later and later",
    async (failure) => {
      const { bench, receiver, pushed } = pushing([failure, failure, 202]);
      receiver.send("POST", `${STREAM}:verify`, {});
      await bench.service.runDue();
      bench.wait(9.999);
      expect(await bench.service.runDue()).toBe(0);
      bench.wait(0.001);
      expect(await bench.service.runDue()).toBe(1);
      bench.wait(60);
      expect(await bench.service.runDue()).toBe(1);
      expect(new Set(pushed.map((delivery) => delivery.body)).size).toBe(1);
      bench.wait(1_000_000);
      expect(await bench.service.runDue()).toBe(0);
    },
  );

  test("RFC 8935 §2.3: 400 is final", async () => {
    const { bench, receiver, pushed } = pushing([400]);
    receiver.send("POST", `${STREAM}:verify`, {});
    await bench.service.runDue();
    bench.wait(1_000_000);
    await bench.service.runDue();
    expect(pushed).toHaveLength(1);
  });

  test("a receiver that stays away gets six tries, then the event is given up", async () => {
    const { bench, receiver, pushed } = pushing(Array<number>(100).fill(500));
    receiver.send("POST", `${STREAM}:verify`, {});
    for (let i = 0; i < 20; i++) {
      await bench.service.runDue();
      bench.wait(7200);
    }
    expect(pushed).toHaveLength(6);
  });

  test("what waited for polling is pushed after a change to push, and the other way round", async () => {
    const { bench, receiver, pushed } = pushing([]);
    receiver.usePolling().send("POST", `${STREAM}:verify`, { state: "one" });
    expect(await bench.service.runDue()).toBe(0);
    receiver.usePush("https://receiver.test/events");
    receiver.send("POST", `${STREAM}:verify`, { state: "two" });
    await bench.service.runDue();
    expect(pushed).toHaveLength(2);
    receiver.send("POST", `${STREAM}:verify`, { state: "three" });
    receiver.usePolling();
    await bench.service.runDue();
    expect(pushed).toHaveLength(2);
    expect(receiver.events()).toEqual([[`${RISC}verification`, { state: "three" }]]);
  });

  test("a stream disabled before the push is due gets it when it is enabled again", async () => {
    const { bench, receiver, pushed } = pushing([]);
    receiver.send("POST", `${STREAM}:verify`, {});
    receiver.send("POST", `${STREAM}/status:update`, { status: "disabled" });
    await bench.service.runDue();
    expect(pushed).toHaveLength(0);
    receiver.send("POST", `${STREAM}/status:update`, { status: "enabled" });
    await bench.service.runDue();
    expect(pushed).toHaveLength(1);
  });

  test("a host's scheduler is used when there is one", async () => {
    const planned: number[] = [];
    const tasks: (() => void)[] = [];
    const bench = new Bench(
      {},
      {
        push: async () => ({ status: 503, body: "" }),
        schedule: (delayMs, task) => {
          planned.push(delayMs);
          tasks.push(task);
        },
      },
    );
    new Receiver(bench).usePush("http://127.0.0.1:9/").send("POST", `${STREAM}:verify`, {});
    tasks.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
    expect(planned).toEqual([0, 10_000]);
  });
});
