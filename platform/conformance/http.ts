// The rules of the Http contract, what any answer must look like at the sink. The rules about the wire
// (headers, connections, TLS) are in http-wire.ts: only a real server can see those.

import {
  ascii,
  type ConformanceCase,
  eventually,
  must,
  mustEqualBytes,
  pattern,
  SILENCE_MS,
} from "./case.ts";
import {
  answer,
  Bench,
  Ear,
  type HttpLimits,
  type HttpRule,
  type HttpSubject,
  type HttpTestBench,
  type HttpTestServer,
  mustBeAnswer,
  mustFail,
} from "./http-bench.ts";
import { tlsRules, wireRules } from "./http-wire.ts";

/**
 * Cases for an HTTP adapter.
 * @param make makes the adapter under test with these limits, to talk to this server
 * @param bench where the servers come from; without a real wire the cases about the wire are left out
 */
export function httpConformance(
  make: (limits: HttpLimits, server: HttpTestServer) => HttpSubject | Promise<HttpSubject>,
  bench: HttpTestBench,
): ConformanceCase[] {
  const withBench: WithBench = async (limits, body) => {
    const server = await bench.start();
    try {
      const all = { timeLimitMs: 10_000, sizeLimitBytes: 65_536, ...limits };
      const subject = await make(all, server);
      try {
        return await body(new Bench(server, subject.http, bench.world));
      } finally {
        await subject.dispose?.();
      }
    } finally {
      await server.close();
    }
  };
  const rule: HttpRule = (name, body, limits = {}) => ({
    name: `http: ${name}`,
    run: () => withBench(limits, body),
  });
  const timeRule: TimeRule = (name, body) => ({
    name: `http: ${name}`,
    async run() {
      for (const timeLimitMs of TIME_LIMITS_MS) {
        const heldUp = await withBench({ timeLimitMs }, (one) => body(one, timeLimitMs));
        if (heldUp === "") return;
        must(timeLimitMs !== TIME_LIMITS_MS.at(-1), `${heldUp} took over ${timeLimitMs} ms`);
      }
    },
  });
  return [
    ...answerRules(rule),
    ...failureRules(rule),
    ...limitRules(rule, timeRule),
    ...abortRules(rule, timeRule),
    ...reentryRules(rule),
    ...(bench.wire ? wireRules(rule) : []),
    ...(bench.tls ? tlsRules(rule) : []),
  ];
}

/** Runs `body` with a server and an adapter of its own. */
type WithBench = <T>(limits: Partial<HttpLimits>, body: (bench: Bench) => Promise<T>) => Promise<T>;

/** Builds a case about the time limit. The body says which good exchange ran into it, "" if none. */
type TimeRule = (
  name: string,
  body: (bench: Bench, timeLimitMs: number) => Promise<string>,
) => ConformanceCase;

/** Limits to run into: where good exchanges do so too, the machine is slow, and the next is tried. */
const TIME_LIMITS_MS = [400, 2_000, 10_000] as const;

function answerRules(rule: HttpRule): ConformanceCase[] {
  const framings = ["length", "chunked", "close"] as const;
  return [
    ...framings.map((framing) =>
      rule(`status, body and end of answers framed by ${framing}`, async (bench) => {
        for (const length of [0, 1, 2, 255, 1000, 60_000]) {
          const body = pattern(length, length);
          bench.server.plan(answer(body, { framing }));
          mustBeAnswer(await bench.exchange(), 200, body, `${length} bytes`);
        }
      }),
    ),
    ...framings.map((framing) =>
      rule(`the same answer, framed by ${framing}, cut into single bytes`, async (bench) => {
        const body = pattern(300, 3);
        bench.server.plan(answer(body, { framing, pieceBytes: 1, pieceDelayMs: 0 }));
        mustBeAnswer(await bench.exchange(), 200, body);
      }),
    ),
    rule("every status is an answer, not a failure", async (bench) => {
      for (const status of [200, 201, 400, 401, 403, 404, 428, 429, 500, 502, 503]) {
        bench.server.plan(answer('{"error":"x"}', { status }));
        mustBeAnswer(await bench.exchange(), status, ascii('{"error":"x"}'));
      }
    }),
    rule("an answer without a body (204) ends", async (bench) => {
      bench.server.plan({ kind: "answer", status: 204 });
      mustBeAnswer(await bench.exchange(), 204, new Uint8Array(0));
    }),
    rule("redirects are reported, not followed", async (bench) => {
      for (const status of [301, 302, 303, 307, 308]) {
        const before = bench.server.requests().length;
        const headers = [["Location", `${bench.server.origin}/elsewhere`]] as const;
        bench.server.plan(answer("moved", { status, headers }), answer("followed"));
        mustBeAnswer(await bench.exchange(bench.form("a=1")), status, ascii("moved"));
        const count = bench.server.requests().length - before;
        must(count === 1, `${status}: ${count} requests were made`);
        // The plan that a follower would have used up.
        await bench.exchange();
      }
    }),
    rule("Retry-After in seconds; -1 where absent or not a number", async (bench) => {
      for (const [value, seconds] of [
        ["0", 0],
        ["7", 7],
        ["120", 120],
        [undefined, -1],
        ["soon", -1],
        ["-5", -1],
        ["", -1],
      ] as const) {
        const headers = value === undefined ? [] : ([["Retry-After", value]] as const);
        bench.server.plan(answer("", { status: 503, headers }));
        const ear = await bench.exchange();
        const got = ear.retryAfterSeconds;
        must(got === seconds, `Retry-After ${JSON.stringify(value)} is reported as ${got}`);
      }
    }),
    rule("the request's method, target and body arrive", async (bench) => {
      bench.server.plan(answer(""), answer(""));
      await bench.exchange(bench.form("a=1&b=%2F"));
      await bench.exchange({ url: `${bench.server.origin}/v3/x?part=id%2Csnippet&mine=true` });
      const [first, second] = bench.server.requests();
      must(first?.method === "POST", `POST arrived as ${first?.method}`);
      must(first.body.length === 9, `a body of 9 bytes arrived with ${first.body.length}`);
      mustEqualBytes(first.body, 0, ascii("a=1&b=%2F"), "the body that arrived");
      must(second?.method === "GET", `GET arrived as ${second?.method}`);
      must(second.target === "/v3/x?part=id%2Csnippet&mine=true", `target ${second.target}`);
    }),
    rule("bodies are bytes: every value, from plain arrays too", async (bench) => {
      const body = Array.from(pattern(256, 1));
      bench.server.plan(answer(""));
      await bench.exchange({ method: "POST", contentType: "application/octet-stream", body });
      const arrived = bench.server.requests()[0]!.body;
      must(arrived.length === 256, `256 bytes arrived as ${arrived.length}`);
      mustEqualBytes(arrived, 0, body, "the body that arrived");
    }),
  ];
}

function failureRules(rule: HttpRule): ConformanceCase[] {
  return [
    rule("nobody listens: unreachable", async (bench) => {
      mustFail(
        await bench.exchange({ url: `${bench.server.deadOrigin}/` }),
        "unreachable",
        "refused",
      );
    }),
    rule("a connection reset before the answer: unreachable", async (bench) => {
      bench.server.plan({ kind: "reset" });
      mustFail(await bench.exchange(bench.form("a=1")), "unreachable", "reset");
    }),
    rule("an answer that is not HTTP: unreachable", async (bench) => {
      bench.server.plan({ kind: "garbage" });
      mustFail(await bench.exchange(), "unreachable", "garbage");
    }),
    ...(["length", "chunked"] as const).map((framing) =>
      rule(`a body framed by ${framing} and cut off is no answer`, async (bench) => {
        for (const cutAtByte of [0, 1, 99]) {
          bench.server.plan(answer(pattern(100, 1), { framing, cutAtByte }));
          const ear = await bench.exchange();
          mustFail(ear, "unreachable", `cut at byte ${cutAtByte} of 100`);
          mustEqualBytes(pattern(100, 1), 0, ear.bytes, "what came before the cut");
        }
      }),
    ),
    rule("after a failure the next exchange works", async (bench) => {
      bench.server.plan({ kind: "reset" }, answer("good"));
      mustFail(await bench.exchange(), "unreachable", "reset");
      mustBeAnswer(await bench.exchange(), 200, ascii("good"));
    }),
  ];
}

function limitRules(rule: HttpRule, timeRule: TimeRule): ConformanceCase[] {
  return [
    timeRule("no answer within the time limit: timeout", async (bench) => {
      bench.server.plan({ kind: "hang" });
      mustFail(await bench.exchange(bench.form("a=1")), "timeout", "a server that hangs");
      bench.server.plan(answer("good"));
      const good = await bench.exchange();
      if (good.failure === "timeout") return "the exchange after a timeout";
      mustBeAnswer(good, 200, ascii("good"), "the exchange after a timeout");
      return "";
    }),
    rule(
      "the time limit is for the whole exchange: a trickling body ends in timeout",
      async (bench) => {
        const trickle = { pieceBytes: 1, pieceDelayMs: 50 };
        bench.server.plan(answer(pattern(200, 1), trickle));
        const ear = await bench.exchange();
        mustFail(ear, "timeout", "a server that sends a byte every 50 ms");
        must(ear.bytes.length < 200, "the whole body came through");
      },
      { timeLimitMs: TIME_LIMITS_MS[0] },
    ),
    ...(["length", "chunked", "close"] as const).map((framing) =>
      rule(
        `a body framed by ${framing} over the size limit: too-large, one at the limit: an answer`,
        async (bench) => {
          bench.server.plan(answer(pattern(1001, 1), { framing }));
          const ear = await bench.exchange();
          mustFail(ear, "too-large", "a body of 1001 bytes");
          must(ear.bytes.length <= 1000, `${ear.bytes.length} bytes came through`);
          bench.server.plan(answer(pattern(1000, 1), { framing }));
          mustBeAnswer(await bench.exchange(), 200, pattern(1000, 1), "a body at the limit");
        },
        { sizeLimitBytes: 1000 },
      ),
    ),
  ];
}

function abortRules(rule: HttpRule, timeRule: TimeRule): ConformanceCase[] {
  return [
    rule("abort without an exchange is harmless, before and after one", async (bench) => {
      bench.http.abort();
      bench.server.plan(answer("one"), answer("two"));
      mustBeAnswer(await bench.exchange(), 200, ascii("one"));
      bench.http.abort();
      bench.http.abort();
      mustBeAnswer(await bench.exchange(), 200, ascii("two"));
    }),
    timeRule(
      "after abort the sink hears nothing more, and the next exchange only its own",
      async (bench, timeLimitMs) => {
        bench.server.plan({ kind: "hang" }, answer("mine"));
        const silenced = bench.begin(bench.form("a=1"));
        // Not every plan is used up at once: the first request has to arrive before it is abandoned.
        await eventually(bench.world, () => bench.server.requests().length === 1, "the request");
        if (silenced.failure === "timeout") return "the arrival of a request";
        bench.http.abort();
        const mine = await bench.exchange();
        if (mine.failure === "timeout") return "the exchange after an abort";
        mustBeAnswer(mine, 200, ascii("mine"));
        await bench.world.wait(timeLimitMs + 100);
        must(silenced.events.length === 0, `it heard ${silenced.events.join(", ")}`);
        return "";
      },
    ),
    rule("abort at once after send", async (bench) => {
      const silenced = new Ear();
      bench.http.send(bench.request({ url: `${bench.server.deadOrigin}/` }), silenced);
      const heard = silenced.events.length;
      bench.http.abort();
      await bench.world.wait(4 * SILENCE_MS);
      must(silenced.events.length === heard, `it heard ${silenced.events.join(", ")}`);
    }),
    ...(["status", "body"] as const).map((event) =>
      rule(`abort from within ${event}() silences the rest`, async (bench) => {
        bench.server.plan(answer(pattern(500, 1), { pieceBytes: 50, pieceDelayMs: 5 }));
        bench.server.plan(answer("next"));
        const ear = new Ear();
        let heard = "";
        ear.during = (now) => {
          if (now !== event || heard !== "") return;
          heard = ear.events.join();
          bench.http.abort();
        };
        bench.begin({}, ear);
        await eventually(bench.world, () => heard !== "", event);
        mustBeAnswer(await bench.exchange(), 200, ascii("next"));
        await bench.world.wait(4 * SILENCE_MS);
        must(ear.events.join() === heard, `it heard ${ear.events.join(", ")}`);
      }),
    ),
  ];
}

function reentryRules(rule: HttpRule): ConformanceCase[] {
  return [
    rule("send from within end() starts the next exchange", async (bench) => {
      bench.server.plan(answer("one"), answer("two"));
      const second = new Ear();
      const first = new Ear();
      first.during = (event) => {
        if (event === "end") bench.begin({}, second);
      };
      bench.begin({}, first);
      await eventually(bench.world, () => second.over, "the second exchange");
      mustBeAnswer(first, 200, ascii("one"), "the first");
      mustBeAnswer(second, 200, ascii("two"), "the second");
    }),
    rule("send from within failed() starts the next exchange", async (bench) => {
      bench.server.plan({ kind: "reset" }, answer("two"));
      const second = new Ear();
      const first = new Ear();
      first.during = (event) => {
        if (event === "failed") bench.begin({}, second);
      };
      bench.begin({}, first);
      await eventually(bench.world, () => second.over, "the second exchange");
      mustFail(first, "unreachable", "the first");
      mustBeAnswer(second, 200, ascii("two"), "the second");
    }),
    rule("twenty exchanges one after the other", async (bench) => {
      for (let i = 0; i < 20; i++) {
        bench.server.plan(answer(`answer ${i}`, { keepAlive: i % 3 !== 0 }));
        const ear = bench.begin(bench.form(`n=${i}`));
        await eventually(bench.world, () => ear.over, `exchange ${i}`);
        mustBeAnswer(ear, 200, ascii(`answer ${i}`));
      }
      const bodies = bench.server.requests().map(({ body }) => String.fromCharCode(...body));
      for (let i = 0; i < 20; i++) must(bodies[i] === `n=${i}`, `request ${i} was ${bodies[i]}`);
      must(bodies.length === 20, `${bodies.length} requests arrived`);
    }),
  ];
}
