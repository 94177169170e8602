// The HTTP suite against adapters broken in one way each: what any server could tell with broken wrappers
// of the fake, what only a wire shows with a sloppy client on real sockets.

import { describe, it } from "vitest";
import { type HttpLimits, httpConformance } from "../../platform/conformance.ts";
import type { Http, HttpRequest, HttpSink } from "../../platform/contracts.ts";
import type { FakeHttpOptions, ManualClock } from "../../platform/fake/index.ts";
import { startConformanceServer } from "../../platform/node/conformance-server.ts";
import { type Breakage, describeBreakages } from "./breakage.ts";
import { makeTlsIdentities } from "./certificates.ts";
import { FakeBench } from "./fake-subjects.ts";
import { NaiveHttp, type NaiveMistake } from "./naive-http.ts";
import { type Mistake, SloppyHttp } from "./sloppy-http.ts";
import { realWorld, rows } from "./worlds.ts";

type Wrap = (http: Http, clock: ManualClock, limits: HttpLimits) => Http;

function fakeSuite(options: FakeHttpOptions = {}, wrap?: Wrap) {
  const fake = new FakeBench(options, wrap);
  return httpConformance(fake.make, fake.bench);
}

/** An adapter whose sink is changed on the way. */
function sinking(change: (sink: HttpSink, http: Http) => Partial<HttpSink>) {
  return fakeSuite({}, (http) => ({
    abort: () => http.abort(),
    send(request, sink) {
      const whole: HttpSink = {
        status: (status, retryAfter) => sink.status(status, retryAfter),
        body: (bytes, from, to) => sink.body(bytes, from, to),
        end: () => sink.end(),
        failed: (failure) => sink.failed(failure),
        ...change(sink, http),
      };
      http.send(request, whole);
    },
  }));
}

/** An adapter whose requests are changed on the way. */
function requesting(change: (request: HttpRequest) => HttpRequest) {
  return fakeSuite({}, (http) => ({
    abort: () => http.abort(),
    send(request, sink) {
      http.send(change(request), sink);
    },
  }));
}

/** An adapter that keeps a note of the sink, so that its `abort` can misbehave towards it. */
function aborting(abort: (http: Http, sink: HttpSink | undefined) => void) {
  return fakeSuite({ latencyMs: 20 }, (http) => {
    let current: HttpSink | undefined;
    return {
      abort: () => abort(http, current),
      send(request, sink) {
        current = sink;
        http.send(request, sink);
      },
    };
  });
}

/** An adapter that counts itself busy until after its last call to the sink. */
function busyDuring(event: "end" | "failed") {
  let busy = false;
  return fakeSuite({}, (http) => ({
    abort: () => http.abort(),
    send(request, sink) {
      if (busy) throw new Error("busy");
      const during = (call: () => void): void => {
        busy = true;
        try {
          call();
        } finally {
          busy = false;
        }
      };
      http.send(request, {
        status: (status, retryAfter) => sink.status(status, retryAfter),
        body: (bytes, from, to) => sink.body(bytes, from, to),
        end: () => (event === "end" ? during(() => sink.end()) : sink.end()),
        failed: (failure) =>
          event === "failed" ? during(() => sink.failed(failure)) : sink.failed(failure),
      });
    },
  }));
}

function stuckAfter(count: number, counts: "sends" | "failures") {
  return fakeSuite({}, (http) => {
    let seen = 0;
    return {
      abort: () => http.abort(),
      send(request, sink) {
        if (seen >= count) return;
        if (counts === "sends") seen++;
        http.send(request, {
          status: (status, retryAfter) => sink.status(status, retryAfter),
          body: (bytes, from, to) => sink.body(bytes, from, to),
          end: () => sink.end(),
          failed(failure) {
            if (counts === "failures") seen++;
            sink.failed(failure);
          },
        });
      },
    };
  });
}

const onAnyServer: Breakage[] = [
  {
    name: "loses the last byte of every piece",
    caughtBy: ["status, body and end", "the same answer"],
    cases: sinking((sink) => ({
      body: (bytes, from, to) => sink.body(bytes, from, Math.max(from, to - 1)),
    })),
  },
  {
    name: "takes statuses from 400 on for failures",
    caughtBy: ["every status is an answer"],
    cases: sinking((sink, http) => ({
      status(status, retryAfter) {
        if (status < 400) return sink.status(status, retryAfter);
        http.abort();
        sink.failed("unreachable");
      },
    })),
  },
  {
    name: "never ends an answer without a body",
    caughtBy: ["an answer without a body (204)"],
    cases: sinking((sink) => {
      let came = false;
      return {
        body(bytes, from, to) {
          came = true;
          sink.body(bytes, from, to);
        },
        end() {
          if (came) sink.end();
        },
      };
    }),
  },
  {
    name: "follows redirects",
    caughtBy: ["redirects are reported"],
    cases: fakeSuite({}, (http) => {
      const follow = (request: HttpRequest, sink: HttpSink): void =>
        http.send(request, {
          status(status, retryAfter) {
            if (status < 300 || status > 399) return sink.status(status, retryAfter);
            http.abort();
            follow({ ...request, url: "http://server.example/elsewhere" }, sink);
          },
          body: (bytes, from, to) => sink.body(bytes, from, to),
          end: () => sink.end(),
          failed: (failure) => sink.failed(failure),
        });
      return { abort: () => http.abort(), send: follow };
    }),
  },
  {
    name: "knows no Retry-After",
    caughtBy: ["Retry-After in seconds"],
    cases: sinking((sink) => ({ status: (status) => sink.status(status, -1) })),
  },
  {
    name: "sends every request as GET",
    caughtBy: ["the request's method"],
    cases: requesting((request) => ({ ...request, method: "GET" })),
  },
  {
    name: "sends the body from the start of the array",
    caughtBy: ["the request's method"],
    cases: requesting((request) => ({ ...request, bodyFrom: 0 })),
  },
  {
    name: "decodes the target",
    caughtBy: ["the request's method"],
    cases: requesting((request) => ({ ...request, url: decodeURIComponent(request.url) })),
  },
  {
    name: "takes bodies for 7-bit text",
    caughtBy: ["bodies are bytes"],
    cases: requesting((request) => {
      const body = Array.from({ length: request.bodyTo }, (_, i) => request.body[i]! & 0x7f);
      return { ...request, body };
    }),
  },
  {
    name: "says nothing about failures",
    caughtBy: ["nobody listens", "a connection reset before", "after a failure"],
    cases: sinking(() => ({ failed: () => {} })),
  },
  {
    name: "makes empty answers of failures",
    caughtBy: ["nobody listens", "a connection reset before", "an answer that is not HTTP"],
    cases: sinking((sink) => ({
      failed() {
        sink.status(200, -1);
        sink.end();
      },
    })),
  },
  {
    name: "takes the end of the connection for the end of the answer",
    caughtBy: ["a body framed by length and cut", "a body framed by chunked and cut"],
    cases: sinking((sink) => {
      let begun = false;
      return {
        status(status, retryAfter) {
          begun = true;
          sink.status(status, retryAfter);
        },
        failed(failure) {
          if (begun) sink.end();
          else sink.failed(failure);
        },
      };
    }),
  },
  {
    name: "is of no use after a failure",
    caughtBy: ["after a failure", "send from within failed()"],
    cases: stuckAfter(1, "failures"),
  },
  {
    name: "has no time limit",
    caughtBy: ["no answer within the time limit", "the time limit is for the whole"],
    cases: fakeSuite({ timeLimitMs: Number.POSITIVE_INFINITY }),
  },
  {
    name: "has no size limit",
    caughtBy: [
      "a body framed by length over",
      "a body framed by chunked over",
      "a body framed by close over",
    ],
    cases: fakeSuite({ sizeLimitBytes: Number.POSITIVE_INFINITY }),
  },
  {
    name: "refuses a body at its size limit",
    caughtBy: ["a body framed by length over"],
    cases: fakeSuite({ sizeLimitBytes: 999 }),
  },
  {
    name: "throws when there is nothing to abort",
    caughtBy: ["abort without an exchange"],
    cases: fakeSuite({}, (http) => {
      let busy = false;
      return {
        abort() {
          if (!busy) throw new Error("nothing to abort");
          http.abort();
        },
        send(request, sink) {
          busy = true;
          http.send(request, { ...bound(sink), end: () => sink.end() });
          busy = false;
        },
      };
    }),
  },
  {
    name: "reports an aborted exchange as failed",
    caughtBy: [
      "after abort the sink",
      "abort at once",
      "abort from within status",
      "abort from within body",
    ],
    cases: aborting((http, sink) => {
      http.abort();
      sink?.failed("unreachable");
    }),
  },
  {
    name: "does not abort at all",
    caughtBy: ["after abort the sink", "abort from within status", "abort from within body"],
    cases: aborting(() => {}),
  },
  {
    name: "is still busy while it reports the end",
    caughtBy: ["send from within end()"],
    cases: busyDuring("end"),
  },
  {
    name: "is still busy while it reports a failure",
    caughtBy: ["send from within failed()"],
    cases: busyDuring("failed"),
  },
  {
    name: "runs out of something after fifteen exchanges",
    caughtBy: ["twenty exchanges"],
    cases: stuckAfter(15, "sends"),
  },
  {
    name: "says status twice",
    caughtBy: ["status, body and end"],
    cases: sinking((sink) => ({
      status(status, retryAfter) {
        sink.status(status, retryAfter);
        sink.status(status, retryAfter);
      },
    })),
  },
  {
    name: "says end twice",
    caughtBy: ["status, body and end"],
    cases: sinking((sink) => ({
      end() {
        sink.end();
        sink.end();
      },
    })),
  },
];

function bound(sink: HttpSink): HttpSink {
  return {
    status: (status, retryAfter) => sink.status(status, retryAfter),
    body: (bytes, from, to) => sink.body(bytes, from, to),
    end: () => sink.end(),
    failed: (failure) => sink.failed(failure),
  };
}

const { ca, identities } = makeTlsIdentities();

function sloppySuite(mistake?: Mistake) {
  return httpConformance(
    ({ timeLimitMs }) => {
      const http = new SloppyHttp(ca, timeLimitMs, mistake);
      return { http, dispose: () => http.dispose() };
    },
    { wire: true, tls: true, world: realWorld, start: () => startConformanceServer(identities) },
  );
}

const mistakes: [Mistake, string[]][] = [
  ["no Accept", ["Accept: application/json"]],
  ["body without Content-Type", ["Content-Type and Content-Length"]],
  ["body chunked", ["Content-Type and Content-Length"]],
  ["empty POST without length", ["a POST with an empty range"]],
  ["Content-Type on GET", ["a GET has neither"]],
  ["Authorization always", ["Authorization is sent"]],
  ["no further headers", ["further headers are sent"]],
  ["no Authorization", ["Authorization is sent"]],
  ["interim answer taken for the answer", ["interim answers"]],
  ["Retry-After by the device's clock", ["Retry-After as a date"]],
  ["Retry-After without bound", ["an enormous Retry-After"]],
  ["throws for bad addresses", ["addresses that cannot be asked"]],
  ["strips line breaks from headers", ["header values that could split"]],
  ["a broken body taken for a whole one", ["a chunked body with"]],
  ["time limit from the head on", ["the time limit is for the head"]],
  ["a head of any length", ["a head of 200 KiB"]],
  ["unasked bytes taken for the next answer", ["what a server says unasked"]],
  ["sends again after a reset", ["a POST is never sent twice"]],
  ["one sink for all exchanges", ["a connection with an unread rest"]],
  ["one connection for ever", ["a connection that the server closed"]],
  ["no certificate check", ["TLS: a certificate of an unknown", "TLS: an expired"]],
  ["no host name check", ["TLS: a certificate for another host"]],
  ["no trusted authorities", ["TLS: a certificate of a trusted"]],
];

const onTheWire = mistakes.map(([mistake, caughtBy]): Breakage => {
  return { name: `on the wire: ${mistake}`, caughtBy, cases: sloppySuite(mistake) };
});

function naiveSuite(mistake?: NaiveMistake) {
  return httpConformance(
    ({ timeLimitMs }) => {
      const http = new NaiveHttp(ca, timeLimitMs, mistake);
      return { http, dispose: () => http.abort() };
    },
    { wire: true, tls: true, world: realWorld, start: () => startConformanceServer(identities) },
  );
}

const naiveMistakes: [NaiveMistake, string[]][] = [
  ["trailers are part of the body", ["trailers behind"]],
  ["a chunk's size is the whole line", ["chunks may have extensions"]],
  ["the body ends with the connection", ["a chunked answer on a connection that stays open"]],
  [
    "the first Content-Length counts",
    [
      "an answer with two different",
      "an answer with a list",
      "an answer with a Content-Length that is no number",
      "an answer with a negative",
    ],
  ],
  ["a Content-Length counts beside chunks", ["a Content-Length beside chunks"]],
  ["a folded line ends the head", ["a folded header line"]],
  ["any version of TLS", ["TLS: a server that speaks no TLS above 1.1"]],
];

const onASocket = naiveMistakes.map(([mistake, caughtBy]): Breakage => {
  return { name: `on a socket: ${mistake}`, caughtBy, cases: naiveSuite(mistake) };
});

describeBreakages("http", sloppySuite(), [...onAnyServer, ...onTheWire, ...onASocket]);

describe("the naive client without a mistake", () => {
  const needed = naiveMistakes.flatMap(([, names]) => names);
  const cases = naiveSuite().filter(({ name }) =>
    needed.some((n) => name.startsWith(`http: ${n}`)),
  );
  it.each(rows(cases))("passes %s", (_, one) => one.run());
});

describe("the sloppy client without a mistake", () => {
  // Otherwise the cases above might reject it for another reason than its mistake.
  const needed = mistakes.flatMap(([, names]) => names);
  const cases = sloppySuite().filter(({ name }) =>
    needed.some((n) => name.startsWith(`http: ${n}`)),
  );
  it.each(rows(cases))("passes %s", (_, one) => one.run());
});
