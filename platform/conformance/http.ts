// The suite of the Http contract, with the rules that need no real connections. http-wire.ts has the others.

import { type ConformanceCase, eventually, must, mustBegin, pattern, SILENCE_MS } from "./case.ts";
import {
  type Bench,
  benchOf,
  form,
  HeldUp,
  type HttpDutyName,
  type HttpLimits,
  type HttpRules,
  type HttpSubject,
  type HttpTestBench,
  type HttpTestServer,
  httpDuties,
  Recorder,
  response,
  rulesOf,
  waitRules,
} from "./http-bench.ts";
import { tlsRules, wireRules, wireTimeRules } from "./http-wire.ts";

/**
 * Cases for an HTTP adapter.
 * @param make creates the adapter under test with these limits, for this server
 * @param bench provides the servers. Without real connections, the cases that need them are left out
 */
export function httpConformance(
  make: (limits: HttpLimits, server: HttpTestServer) => HttpSubject | Promise<HttpSubject>,
  bench: HttpTestBench,
): ConformanceCase[] {
  const run = async (timeLimitMs: number, body: (bench: Bench) => unknown): Promise<void> => {
    const server = await bench.start();
    try {
      const subject = await make({ timeLimitMs, sizeLimitBytes: SIZE_LIMIT }, server);
      try {
        await body(benchOf(server, subject.http, bench.environment, timeLimitMs));
      } finally {
        await subject.dispose?.();
      }
    } finally {
      await server.close();
    }
  };
  const cases = (rules: HttpRules, ...limitsMs: number[]): ConformanceCase[] =>
    Object.entries(rules).map(([name, body]) => ({
      name: `http: ${name} (${httpDuties[name.split(":")[0] as HttpDutyName].section})`,
      async run() {
        for (const timeLimitMs of limitsMs) {
          try {
            await run(timeLimitMs, body);
            return;
          } catch (error) {
            // A valid exchange exceeded the limit, because the machine is slow: repeat the case with the next limit.
            if (!(error instanceof HeldUp) || timeLimitMs === limitsMs.at(-1)) throw error;
          }
        }
      },
    }));
  const framed = (["length", "chunked", "close"] as const).map(framedBy);
  return [
    ...[responseRules, ...framed, failureRules].flatMap((rules) => cases(rules, 10_000)),
    ...cases({ ...(bench.wire && wireRules), ...(bench.tls && tlsRules) }, 10_000),
    ...cases({ ...timeRules, ...(bench.wire && wireTimeRules) }, 400, 2_000, 10_000),
  ];
}

/** The longest body that the adapters under test accept. */
const SIZE_LIMIT = 60_000;

const responseRules: HttpRules = {
  "report: every status is a response, not a failure": async (bench) => {
    for (const status of [200, 201, 204, 400, 401, 403, 404, 428, 429, 500, 502, 503]) {
      const body = status === 204 ? "" : '{"error":"x"}';
      bench.server.plan(response(body, { status }));
      const recorder = (await bench.exchange()).mustBe(body, `status ${status}`, status);
      must(recorder.retryAfterSeconds === -1, "Retry-After is reported where there is none");
      must(recorder.authenticate === "", "WWW-Authenticate is reported where there is none");
    }
  },

  "redirects: reported, not followed": async (bench) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const before = bench.server.requests().length;
      const headers = [["Location", `${bench.server.origin}/elsewhere`]] as const;
      bench.server.plan(response("moved", { status, headers }), response("followed"));
      (await bench.exchange(form("a=1"))).mustBe("moved", "the redirect", status);
      const count = bench.server.requests().length - before;
      must(count === 1, `${status}: ${count} requests were made`);
      // An adapter that has followed the redirect has used the plan `followed`. Otherwise, this request uses it.
      await bench.exchange();
    }
  },

  ...waitRules({
    "seconds; -1 where absent or not a number": [
      ["0", 0],
      ["7", 7],
      ["120", 120],
      ["soon", -1],
      ["-5", -1],
      ["", -1],
    ],
  }),

  "request: method, target and body arrive, with bytes of every value": async (bench) => {
    const bytes = Array.from(pattern(256, 1));
    const range = { body: [35, ...bytes, 35], bodyFrom: 1, bodyTo: 257 };
    bench.server.plan(response(""), response(""));
    await bench.exchange({ method: "POST", contentType: "application/octet-stream", ...range });
    await bench.exchange({ url: `${bench.server.origin}/v3/x?part=id%2Csnippet&mine=true` });
    const [first, second] = bench.server.requests();
    must(first?.method === "POST", `POST arrived as ${first?.method}`);
    must(first.body.length === 256, `256 bytes arrived as ${first.body.length}`);
    mustBegin(first.body, bytes, "the body that arrived");
    must(second?.method === "GET", `GET arrived as ${second?.method}`);
    must(second.target === "/v3/x?part=id%2Csnippet&mine=true", `target ${second.target}`);
  },

  "connection: abort without an exchange is harmless, before and after one": async (bench) => {
    bench.http.abort();
    bench.server.plan(response("one"), response("two"));
    (await bench.exchange()).mustBe("one");
    bench.http.abort();
    bench.http.abort();
    (await bench.exchange()).mustBe("two");
  },
};

const framedBy = (framing: "length" | "chunked" | "close"): HttpRules => ({
  [`framing: responses framed by ${framing}, in one piece and in single bytes`]: async (
    bench: Bench,
  ) => {
    for (const length of [0, 1, 2, 255, 1000]) {
      for (const pieceBytes of length < 1000 ? [length, 1] : [length]) {
        const body = pattern(length, length);
        bench.server.plan(response(body, { framing, pieceBytes, pieceDelayMs: 0 }));
        (await bench.exchange()).mustBe(body, `${length} bytes`);
      }
    }
  },

  [`size: a body framed by ${framing} over the limit is too-large, one at the limit is a response`]:
    async (bench: Bench) => {
      bench.server.plan(response(pattern(SIZE_LIMIT + 1, 1), { framing }));
      const recorder = (await bench.exchange()).mustFail("too-large", "a body of a byte too much");
      must(recorder.bytes.length <= SIZE_LIMIT, `${recorder.bytes.length} bytes came through`);
      bench.server.plan(response(pattern(SIZE_LIMIT, 1), { framing }));
      (await bench.exchange()).mustBe(pattern(SIZE_LIMIT, 1), "a body at the limit");
    },

  // If the close of the connection ends the body, the adapter cannot detect a truncated body.
  ...(framing !== "close" && {
    [`framing: a body framed by ${framing} and cut off is no response`]: async (bench: Bench) => {
      for (const cutAtByte of [0, 1, 99]) {
        bench.server.plan(response(pattern(100, 1), { framing, cutAtByte }));
        const recorder = (await bench.exchange()).mustFail(
          "unreachable",
          `cut at byte ${cutAtByte} of 100`,
        );
        mustBegin(pattern(100, 1), recorder.bytes, "what came before the cut");
      }
    },
  }),
});

const failureRules: HttpRules = {
  "report: a closed port is unreachable": async (bench) => {
    const recorder = await bench.exchange({ url: `${bench.server.deadOrigin}/` });
    recorder.mustFail("unreachable", "refused");
  },

  "connection: abort at once after send": async (bench) => {
    const silenced = bench.begin({ url: `${bench.server.deadOrigin}/` });
    const received = silenced.events.length;
    bench.http.abort();
    await bench.environment.wait(4 * SILENCE_MS);
    must(silenced.events.length === received, `it received ${silenced.events.join(", ")}`);
  },

  ...rulesOf("connection: abort in ", { "status()": "status", "body()": "body" }, abortsWithin),
  ...rulesOf("connection: send in ", { "end()": true, "failed()": false }, sendsWithin),
};

async function abortsWithin(bench: Bench, event: string): Promise<void> {
  bench.server.plan(
    response(pattern(500, 1), { pieceBytes: 50, pieceDelayMs: 5 }),
    response("next"),
  );
  const recorder = new Recorder();
  let received = "";
  recorder.during = (now) => {
    if (now !== event || received !== "") return;
    received = recorder.events.join();
    bench.http.abort();
  };
  bench.begin({}, recorder);
  await eventually(bench.environment, () => received !== "", event);
  (await bench.exchange()).mustBe("next");
  await bench.environment.wait(4 * SILENCE_MS);
  must(recorder.events.join() === received, `it received ${recorder.events.join(", ")}`);
}

async function sendsWithin(bench: Bench, isValid: boolean): Promise<void> {
  bench.server.plan(isValid ? response("one") : { kind: "reset" }, response("two"));
  const first = new Recorder();
  const second = new Recorder();
  first.during = (event) => {
    if (event === "end" || event === "failed") bench.begin({}, second);
  };
  bench.begin({}, first);
  await eventually(bench.environment, () => second.over, "the second exchange");
  if (isValid) first.mustBe("one", "the first");
  else first.mustFail("unreachable", "the first");
  second.mustBe("two", "the second");
}

/** Rules with a short time limit. On a slow machine, valid exchanges may exceed it: then a longer limit is tried. */
const timeRules: HttpRules = {
  "time: no response within the limit is timeout": async (bench) => {
    bench.server.plan({ kind: "hang" });
    (await bench.exchange(form("a=1"))).mustFail("timeout", "a server that hangs");
    bench.server.plan(response("good"));
    (await bench.exchange()).mustBe("good", "the exchange after a timeout");
  },

  "time: the limit applies to the whole exchange, a slow body ends in timeout": async (bench) => {
    bench.server.plan(response(pattern(200, 1), { pieceBytes: 1, pieceDelayMs: 50 }));
    const recorder = await bench.exchange();
    recorder.mustFail("timeout", "a server that sends a byte every 50 ms");
    must(recorder.bytes.length < 200, "the whole body came through");
  },

  "connection: after abort the sink gets no call": async (bench) => {
    bench.server.plan({ kind: "hang" }, response("mine"));
    const silenced = bench.begin(form("a=1"));
    // The first request has to arrive before it is aborted.
    await eventually(bench.environment, () => bench.server.requests().length === 1, "the request");
    if (silenced.failure === "timeout") throw new HeldUp("no request arrived in time");
    bench.http.abort();
    (await bench.exchange()).mustBe("mine", "the exchange after an abort");
    await bench.environment.wait(bench.timeLimitMs + 100);
    must(silenced.events.length === 0, `it received ${silenced.events.join(", ")}`);
  },
};
