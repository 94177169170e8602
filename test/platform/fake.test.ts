// The fakes themselves: a fake that misbehaves would make every test on it worthless.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HttpRequest, HttpSink } from "../../platform/contracts.ts";
import {
  type FakeFault,
  FakeHttp,
  type FakeHttpOptions,
  fakePlatform,
  ManualClock,
  MemoryStorage,
  NoEntropy,
  RecordedDisplay,
  SeededEntropy,
} from "../../platform/fake/index.ts";

/** A sink that writes down what it hears; body bytes are copied at once. */
function listen(): { log: string[]; text: () => string; sink: HttpSink } {
  const log: string[] = [];
  const bytes: number[] = [];
  const sink: HttpSink = {
    status: (status, retry) => log.push(`status ${status} ${retry}`),
    body: (chunk, from, to) => {
      log.push(`body ${to - from}`);
      for (let i = from; i < to; i++) bytes.push(chunk[i]!);
    },
    end: () => log.push("end"),
    failed: (failure) => log.push(failure),
  };
  return { log, text: () => new TextDecoder().decode(Uint8Array.from(bytes)), sink };
}

function post(text = "a=1&b=%2F"): HttpRequest {
  const body = new TextEncoder().encode(`..${text}.`);
  return {
    method: "POST",
    url: "https://as.example/token",
    contentType: "application/x-www-form-urlencoded",
    authorization: "",
    body,
    bodyFrom: 2,
    bodyTo: body.length - 1,
  };
}

/** One exchange under one fault; with `acted` telling how often the far side saw it. */
function exchange(fault: FakeFault | undefined, options: FakeHttpOptions = {}) {
  const clock = new ManualClock();
  let acted = 0;
  const http = new FakeHttp({
    clock,
    faultFor: () => fault,
    handler: () => {
      acted++;
      return { body: "0123456789" };
    },
    ...options,
  });
  const heard = listen();
  http.send(post(), heard.sink);
  return { clock, http, heard, acted: () => acted };
}

describe("manual clock", () => {
  it("runs what is due in order of time, then of arrangement, each at its own moment", () => {
    const clock = new ManualClock();
    const seen: string[] = [];
    const note = (name: string) => () => seen.push(`${name}@${clock.elapsedMs}`);
    clock.after(20, note("c"));
    clock.after(10, note("a"));
    clock.after(10, note("b"));
    clock.after(5, () => clock.after(5, note("nested")));
    clock.advance(19);
    expect(seen).toEqual(["a@10", "b@10", "nested@10"]);
    clock.advance(1);
    expect(seen).toEqual(["a@10", "b@10", "nested@10", "c@20"]);
    expect(clock.nextInMs()).toBe(-1);
    expect(clock.advanceToNext()).toBe(false);
  });

  it("wraps now() at 2^32 and rings alarms across the wrap", () => {
    const clock = new ManualClock(2 ** 32 - 5);
    const timers = clock.timers();
    let rang = -1;
    timers.alarm(10, () => {
      rang = timers.now();
    });
    clock.advance(4);
    expect(timers.now()).toBe(2 ** 32 - 1);
    clock.advance(1);
    expect(timers.now()).toBe(0);
    clock.advance(5);
    expect(rang).toBe(5);
  });

  it("after a sleep everything overdue happens once, at the time of waking", () => {
    const clock = new ManualClock();
    const timers = clock.timers();
    const rang: number[] = [];
    timers.alarm(10, () => rang.push(clock.elapsedMs));
    clock.sleep(1000);
    expect(rang).toEqual([1000]);
  });

  it("keeps one alarm: a second replaces the first, cancel takes it back", () => {
    const clock = new ManualClock();
    const timers = clock.timers();
    const rang: string[] = [];
    timers.alarm(1, () => rang.push("first"));
    timers.alarm(2, () => rang.push("second"));
    clock.advance(5);
    timers.alarm(1, () => rang.push("third"));
    timers.cancel();
    clock.advance(5);
    expect(rang).toEqual(["second"]);
    expect(() => timers.alarm(-1, () => {})).toThrow(RangeError);
    expect(() => timers.alarm(2 ** 27, () => {})).toThrow(RangeError);
  });

  it("stops a loop of immediate alarms instead of hanging", () => {
    const clock = new ManualClock();
    const again = (): void => {
      clock.after(0, again);
    };
    again();
    expect(() => clock.advance(0)).toThrow("without end");
  });
});

describe("fake HTTP", () => {
  const cases: [string, FakeFault | undefined, string[], number][] = [
    ["no fault", undefined, ["status 200 -1", "body 10", "end"], 1],
    ["refuse", { kind: "refuse" }, ["unreachable"], 0],
    ["reset before", { kind: "reset-before" }, ["unreachable"], 0],
    ["reset after", { kind: "reset-after" }, ["unreachable"], 1],
    ["hang", { kind: "hang" }, ["timeout"], 0],
    ["hang after acting", { kind: "hang", acted: true }, ["timeout"], 1],
    ["cut at 0", { kind: "truncate", atByte: 0 }, ["status 200 -1", "unreachable"], 1],
    ["cut at 4", { kind: "truncate", atByte: 4 }, ["status 200 -1", "body 4", "unreachable"], 1],
    [
      "cut at 4, hanging",
      { kind: "truncate", atByte: 4, hang: true },
      ["status 200 -1", "body 4", "timeout"],
      1,
    ],
    [
      "duplicated",
      { kind: "duplicate" },
      ["status 200 -1", "body 10", "end", "status 200 -1", "body 10", "end"],
      1,
    ],
  ];
  it.each(cases)("%s: what is heard and how often the far side acted", (_, fault, log, acted) => {
    const run = exchange(fault);
    run.clock.advance(30_000);
    expect(run.heard.log).toEqual(log);
    expect(run.acted()).toBe(acted);
    expect(run.http.busy).toBe(false);
    expect(run.http.violations).toEqual([]);
  });

  it("delivers the same bytes however they are cut", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.oneof(fc.integer({ min: 1, max: 40 }), fc.array(fc.integer({ min: 1, max: 40 }))),
        fc.boolean(),
        fc.option(fc.nat(50), { nil: undefined }),
        (body, chunkBytes, plainArrays, chunkDelayMs) => {
          const clock = new ManualClock();
          const answer = chunkDelayMs === undefined ? { body } : { body, chunkDelayMs };
          const http = new FakeHttp({ clock, script: [answer], chunkBytes, plainArrays });
          const bytes: number[] = [];
          let ended = 0;
          http.send(post(), {
            status: () => {},
            body: (chunk, from, to) => {
              for (let i = from; i < to; i++) bytes.push(chunk[i]!);
            },
            end: () => ended++,
            failed: (failure) => expect(failure).toBe("none"),
          });
          clock.advance(29_999);
          expect(ended).toBe(1);
          expect(bytes).toEqual(Array.from(body));
        },
      ),
    );
  });

  it("reports too-large after exactly the limit's bytes", () => {
    const run = exchange(undefined, { sizeLimitBytes: 9, chunkBytes: 4 });
    expect(run.heard.log).toEqual(["status 200 -1", "body 4", "body 4", "body 1", "too-large"]);
    expect(exchange(undefined, { sizeLimitBytes: 10 }).heard.log.at(-1)).toBe("end");
  });

  it("abort silences the exchange, unless the adapter is made deaf to it", () => {
    const quiet = exchange(undefined, { latencyMs: 10 });
    quiet.http.abort();
    quiet.clock.advance(60_000);
    expect(quiet.heard.log).toEqual([]);
    const deaf = exchange({ kind: "deaf-to-abort" }, { latencyMs: 10 });
    deaf.http.abort();
    deaf.clock.advance(60_000);
    expect(deaf.heard.log).toEqual(["status 200 -1", "body 10", "end"]);
  });

  it("allows the next send from within end() and failed()", () => {
    const http = new FakeHttp({ script: [{ fault: { kind: "refuse" } }, { status: 204 }, {}] });
    const last = listen();
    const second: HttpSink = { ...listen().sink, end: () => http.send(post(), last.sink) };
    const first: HttpSink = { ...listen().sink, failed: () => http.send(post(), second) };
    http.send(post(), first);
    expect(last.log).toEqual(["status 200 -1", "end"]);
    expect(http.stepsLeft).toBe(0);
  });

  it("throws and remembers a second send and a request changed under way", () => {
    const run = exchange(undefined, { latencyMs: 10 });
    expect(() => run.http.send(post(), listen().sink)).toThrow("under way");
    const request = post();
    const http = new FakeHttp({ clock: run.clock, latencyMs: 1, script: [{}] });
    http.send(request, listen().sink);
    request.body[3] = 0;
    expect(() => run.clock.advance(1)).toThrow("changed");
    expect(http.violations).toHaveLength(1);
  });

  it("waits for a handler's promise", async () => {
    const http = new FakeHttp({ handler: async ({ form }) => ({ body: { b: form.get("b") } }) });
    const heard = listen();
    http.send(post(), heard.sink);
    expect(heard.log).toEqual([]);
    await http.settled();
    expect(heard.text()).toBe('{"b":"/"}');
    expect(http.requests[0]).toMatchObject({ text: "a=1&b=%2F", index: 0, method: "POST" });
  });
});

describe("memory storage", () => {
  const record = (text: string) => new TextEncoder().encode(text);

  it("counts, fails on demand and clones", () => {
    const storage = new MemoryStorage();
    const heard: (number | boolean)[] = [];
    storage.write(1, record("..abc."), 2, 5, (ok) => heard.push(ok));
    const into = [9, 9, 9, 9, 9];
    storage.read(1, into, 1, 4, (length) => heard.push(length));
    expect(into).toEqual([9, 97, 98, 99, 9]);
    storage.read(1, into, 1, 3, (length) => heard.push(length));
    const twin = storage.clone();
    storage.failWhen = (operation) => operation !== "read";
    storage.erase(1, (ok) => heard.push(ok));
    storage.failWhen = () => false;
    storage.erase(1, (ok) => heard.push(ok));
    storage.read(1, into, 0, 5, (length) => heard.push(length));
    expect(heard).toEqual([true, 3, -1, false, true, 0]);
    expect(storage.counts).toEqual({ reads: 3, writes: 1, erases: 2 });
    expect(twin.peek(1)).toEqual(record("abc"));
    expect(twin.counts).toEqual({ reads: 0, writes: 0, erases: 0 });
  });

  it("a power cut leaves new bytes before old ones, touches no other slot and calls nobody back", () => {
    for (const [cut, after] of [
      [0, "OLDER"],
      [2, "neDER"],
      [3, "newER"],
      [4, "new"],
    ] as const) {
      const storage = new MemoryStorage();
      storage.poke(0, record("other"));
      storage.poke(1, record("OLDER"));
      let called = 0;
      storage.cutNextWriteAt(cut);
      storage.write(1, record("new"), 0, 3, () => called++);
      expect(storage.dead).toBe(true);
      expect(new TextDecoder().decode(storage.clone().peek(1)), `cut at ${cut}`).toBe(after);
      expect(storage.clone().peek(0)).toEqual(record("other"));
      expect(called).toBe(0);
    }
  });

  it("a power cut while erasing leaves 0xff before old bytes", () => {
    const storage = new MemoryStorage();
    storage.poke(0, record("ab"));
    storage.cutNextWriteAt(1);
    storage.erase(0, () => expect.unreachable());
    expect(storage.clone().peek(0)).toEqual(Uint8Array.of(0xff, 98));
    const whole = new MemoryStorage();
    whole.poke(0, record("ab"));
    whole.cutNextWriteAt(3);
    whole.erase(0, () => expect.unreachable());
    expect(whole.peek(0)).toEqual(new Uint8Array(0));
  });

  it("delays callbacks on the clock and tells of overlapping operations and changed bytes", () => {
    const clock = new ManualClock();
    const storage = new MemoryStorage({ clock, delayMs: 5 });
    const bytes = record("abc");
    let done = 0;
    storage.write(0, bytes, 0, 3, () => done++);
    expect(() => storage.erase(1, () => {})).toThrow("under way");
    clock.advance(4);
    expect(done).toBe(0);
    clock.advance(1);
    expect(done).toBe(1);
    storage.write(0, bytes, 0, 3, () => done++);
    bytes[0] = 0;
    expect(() => clock.advance(5)).toThrow("changed");
    expect(() => storage.read(2, [], 0, 0, () => {})).toThrow("no slot 2");
    expect(storage.violations).toHaveLength(3);
  });
});

describe("recorded display and entropy", () => {
  it("keeps every frame as text and refuses what no display has", () => {
    const display = new RecordedDisplay(16, 2);
    const cells = Array.from({ length: 34 }, () => 32);
    cells[1] = 65;
    display.show(cells, 1);
    display.show(cells, 1);
    expect(display.lines).toEqual(["A", ""]);
    expect(display.unchangedFrames).toBe(1);
    expect(display.everShowed("A  ")).toBe(true);
    cells[32] = 10;
    expect(() => display.show(cells, 1)).toThrow("row 1, column 15");
    // Of the display's own character set.
    cells[32] = 200;
    display.show(cells, 1);
    expect(display.text.charCodeAt(display.text.length - 1)).toBe(200);
    expect(() => display.show([], 0)).toThrow("code undefined");
    expect(() => new RecordedDisplay(15, 2)).toThrow(RangeError);
  });

  it("entropy repeats with its seed, differs between seeds, fills its range only", () => {
    const draw = (seed: number): number[] => {
      const into = [-1, -1, -1, -1, -1, -1, -1, -1];
      expect(new SeededEntropy(seed).fill(into, 1, 7)).toBe(true);
      return into;
    };
    expect(draw(0)).toEqual(draw(0));
    expect(draw(0)).not.toEqual(draw(1));
    expect([draw(5)[0], draw(5)[7]]).toEqual([-1, -1]);
    expect(
      draw(5)
        .slice(1, 7)
        .every((byte) => byte >= 0 && byte <= 255),
    ).toBe(true);
    expect(new NoEntropy().fill([], 0, 4)).toBe(false);
  });

  it("a fake platform shares one clock among its parts", () => {
    const device = fakePlatform({ startMs: 7, http: { latencyMs: 3 }, storageDelayMs: 2 });
    expect(device.timers.now()).toBe(7);
    const heard = listen();
    device.http.send(post(), heard.sink);
    let read = -2;
    device.storage.read(0, [], 0, 0, (length) => {
      read = length;
    });
    device.clock.advance(3);
    expect(heard.log).toEqual(["unreachable"]);
    expect(read).toBe(0);
  });
});
