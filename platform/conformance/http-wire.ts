// The rules of the Http contract that need a real server: headers, framing, connections, TLS.

import type { HttpRequest } from "../contracts.ts";
import { eventually, must, SILENCE_MS } from "./case.ts";
import {
  type Bench,
  form,
  type HttpRules,
  type HttpTestServer,
  mustHave,
  Recorder,
  response,
  rulesOf,
  waitRules,
} from "./http-bench.ts";

const FORM = "application/x-www-form-urlencoded";
const ODD = { "X-Api-Version": "2", "X-Odd": 'a "quoted" \\ value; and: more', "X-Empty": "" };

/** Requests, and the headers that must arrive; undefined: the header must be absent. */
const ARRIVING: Readonly<
  Record<string, (readonly [Partial<HttpRequest>, Record<string, string | undefined>])[]>
> = {
  "Accept: application/json and Host on every request": [
    [{}, { accept: "application/json" }],
    [form("a=1"), { accept: "application/json" }],
  ],
  "Content-Type and Content-Length of a body, no chunked request": [
    [form("a=1&b=2"), { "content-type": FORM, "content-length": "7" }],
  ],
  "a POST with an empty range has Content-Length: 0": [
    [{ method: "POST" }, { "content-length": "0", "content-type": undefined }],
    [form(""), { "content-length": "0", "content-type": FORM }],
  ],
  "a GET has neither body nor Content-Type": [[{}, { "content-type": undefined }]],
  "Authorization is sent as given, and not at all if empty": [
    [{ authorization: "Bearer a.b-c_~+/=" }, { authorization: "Bearer a.b-c_~+/=" }],
    [{}, { authorization: undefined }],
  ],
  "further headers are sent as given, an empty value too": [
    [{ headers: Object.entries(ODD) }, ODD],
  ],
};

const requestRules: HttpRules = {
  ...rulesOf("request: ", ARRIVING, async (bench, requests) => {
    const host = bench.server.origin.replace(/^https?:\/\//, "");
    for (const [request, headers] of requests) {
      bench.server.plan(response(""));
      await bench.exchange(request);
      const arrived = bench.server.requests().at(-1);
      const all = { ...headers, host, "transfer-encoding": undefined };
      for (const [name, value] of Object.entries(all)) mustHave(arrived, name.toLowerCase(), value);
      must(arrived?.method === "POST" || arrived?.body.length === 0, "the GET had a body");
    }
  }),

  "request: an invalid address is reported as failed, not thrown": async (bench) => {
    const wrong = ["", "no address", "ftp://127.0.0.1/", "http://", "http://127.0.0.1:99999/"];
    for (const url of wrong) (await bench.exchange({ url })).mustFail("unreachable", `"${url}"`);
    must(bench.server.requests().length === 0, "a request arrived");
  },

  "request: a header value that could split it is reported as failed, nothing is sent": async (
    bench,
  ) => {
    const splitting: Partial<HttpRequest>[] = [
      { authorization: "Bearer a\r\nX-Evil: 1" },
      { headers: [["X-Good", "a\r\nX-Evil: 1"]] },
      { ...form("a=1"), contentType: "text/plain\nX-Evil: 1" },
    ];
    for (const one of splitting)
      (await bench.exchange(one)).mustFail("unreachable", "a line break in a header");
    for (const { headers } of bench.server.requests()) {
      must(!headers.some(([name]) => name === "x-evil"), "a header was smuggled in");
    }
  },
};

const chunked = (chunks: string) =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`;
const EARLY = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\n";

const WHOLE: Readonly<Record<string, string>> = {
  "interim responses (1xx) are not the response":
    EARLY + chunked("d\r\nabc0123456789\r\n0\r\n\r\n"),
  "a chunked response on a connection that stays open ends with its chunks": chunked(
    "3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n",
  ),
  "trailers after a chunked body are not part of it": chunked(
    "d\r\nabc0123456789\r\n0\r\nServer-Timing: db;dur=3\r\nRetry-After: 9\r\n\r\n",
  ),
  "chunks may have extensions, and sizes with leading zeros in both cases": chunked(
    '3;name="a;b"\r\nabc\r\n00A\r\n0123456789\r\n00\r\n\r\n',
  ),
};

const chunk = (bytes: string) => [chunked("3\r\nabc\r\n"), bytes];
const lengths = (headers: string) => [`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n`, "abcde"];

/** Invalid responses in pieces. Two different lengths may be an attempt at response splitting (RFC 9112 §6.3). */
const BROKEN: Readonly<Record<string, readonly string[]>> = {
  "what is not HTTP": ["\x00\x01 this is not HTTP\r\n\r\n"],
  "a chunked body with a size that is no number": chunk("zz\r\nabc\r\n0\r\n\r\n"),
  "a chunked body with no size": chunk("\r\nabc\r\n0\r\n\r\n"),
  "a chunked body with a negative size": chunk("-3\r\nabc\r\n0\r\n\r\n"),
  "a chunked body with a size beyond 64 bits": chunk("fffffffffffffffff\r\nabc\r\n0\r\n\r\n"),
  "a chunked body with more bytes than its size": chunk("1\r\nabc\r\n0\r\n\r\n"),
  "a chunked body with fewer bytes than its size": chunk("ff\r\nabc\r\n0\r\n\r\n"),
  "a chunked body with no last chunk": chunk(""),
  "a chunked body with half a last chunk": chunk("0\r\n"),
  "a chunked body with another response in its place": chunk(
    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
  ),
  "a response with two different Content-Lengths": lengths(
    "Content-Length: 3\r\nContent-Length: 5",
  ),
  "a response with a list of different Content-Lengths": lengths("Content-Length: 3, 5"),
  "a response with a Content-Length that is no number": lengths("Content-Length: 3x"),
  "a response with a negative Content-Length": lengths("Content-Length: -3"),
};

const framingRules: HttpRules = {
  ...rulesOf("framing: ", WHOLE, async (bench, whole) => {
    for (const pieces of [[whole], [...whole]]) {
      bench.server.plan({ kind: "raw", pieces, keepAlive: true }, response("next"));
      const recorder = await bench.exchange(form("a=1"));
      recorder.mustBe("abc0123456789", `in ${pieces.length} pieces`);
      must(recorder.retryAfterSeconds === -1, "something else was reported as its Retry-After");
      (await bench.exchange()).mustBe("next", "the exchange after it");
    }
  }),

  ...rulesOf("framing: invalid: ", BROKEN, async (bench, pieces) => {
    bench.server.plan({ kind: "raw", pieces }, response("good"));
    (await bench.exchange(form("a=1"))).mustFail("unreachable", "an invalid response");
    (await bench.exchange()).mustBe("good", "the exchange after it");
  }),
};

/** Responses that an adapter may reject: head, body, and the text that it must report if it accepts the response. */
type Doubtful = readonly (readonly [head: string, body: string, text: string])[];

const FOLDS = [" A: bcd", ` A: ${"b".repeat(3000)}`, "\tb", " "];
const DOUBTFUL: Readonly<Record<string, Doubtful>> = {
  "a Content-Length and chunks": [
    ["Content-Length: 4\r\nTransfer-Encoding: chunked", "3\r\nabc\r\n0\r\n\r\n", "abc"],
  ],
  "a folded header line (§5.2)": FOLDS.map((fold) => [`${fold}\r\nContent-Length: 2`, "{}", "{}"]),
};
const GZIP = "\x1f\x8b\b\0\0\0\0\0\0\0K\xceOIM\x01\0\x8aD~f\x05\0\0\0";
const CODED: Readonly<Record<string, Doubtful>> = {
  "a body in gzip": [["Content-Encoding: gzip\r\nContent-Length: 25", GZIP, "coded"]],
  "a body in an unknown coding": [["Content-Encoding: x\r\nContent-Length: 1", "?", "coded"]],
};
const NOON: [string, string] = ["Date", "Tue, 15 Nov 1994 12:00:00 GMT"];

const responseRules: HttpRules = {
  ...waitRules({
    "a date counts from the response's own Date; a past one is 0": [
      ["Tue, 15 Nov 1994 12:00:45 GMT", 45, NOON],
      ["Tue, 15 Nov 1994 13:00:00 GMT", 3600, NOON],
      ["Tue, 15 Nov 1994 11:00:00 GMT", 0, NOON],
    ],
    "an enormous value is clamped to a small integer": [
      ["99999999999999999999", 134_217_727],
      ["Fri, 31 Dec 9999 23:59:59 GMT", 134_217_727],
    ],
  }),

  "report: a status of 600 to 999 is a server error": async (bench) => {
    for (const status of [600, 999]) {
      bench.server.plan(response("odd", { status }));
      const { statusCode } = await bench.exchange();
      must(statusCode >= 500, `status ${status} is reported as ${statusCode}`);
    }
  },

  "challenge: WWW-Authenticate, DPoP-Nonce and Date are reported as they are or not at all": async (
    bench,
  ) => {
    const value = 'Bearer error="insufficient_user_authentication", max_age="5"';
    const headers = [["WWW-Authenticate", value], ["DPoP-Nonce", "n.1~"], NOON] as const;
    bench.server.plan(response("", { status: 401, headers }));
    const { authenticate, nonce, dateMs } = await bench.exchange();
    must(authenticate === value || authenticate === "", `it is reported as ${authenticate}`);
    must(nonce === "n.1~" || nonce === "", `DPoP-Nonce is reported as ${nonce}`);
    must(dateMs === 784_900_800_000 || dateMs === 0, `Date is reported as ${dateMs}`);
  },

  "size: a head of 200 KiB is too-large": async (bench) => {
    const header = `X: ${"a".repeat(1019)}\r\n`;
    const pieces = ["HTTP/1.1 200 OK\r\n", ...Array<string>(200).fill(header), "\r\n"];
    bench.server.plan({ kind: "raw", pieces });
    (await bench.exchange()).mustFail("too-large", "a head of 200 KiB");
  },

  ...rulesOf("coding: ", CODED, isResponseOrFailure, " is decoded or a failure"),
  ...rulesOf("framing: ", DOUBTFUL, isResponseOrFailure, " is parsed or a failure"),
};

async function isResponseOrFailure({ server, exchange }: Bench, bodies: Doubtful): Promise<void> {
  for (const [head, body, text] of bodies) {
    // A valid response comes first, because the fault may be in what the adapter stores between responses.
    server.plan(response("before", { keepAlive: true }));
    const pieces = [`HTTP/1.1 400 Bad\r\n${head}\r\n\r\n`, body];
    server.plan({ kind: "raw", pieces }, response("after"));
    (await exchange()).mustBe("before");
    (await exchange(form("a=1"))).mustBeOrFail(text, "the response", 400);
    (await exchange()).mustBe("after", "the exchange after it");
  }
}

const connectionRules: HttpRules = {
  "connection: unrequested bytes are not the next response": async (bench) => {
    const own = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nown";
    const other = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nother";
    for (const pieces of [[own + other], [own, other]]) {
      bench.server.plan({ kind: "raw", pieces, pieceDelayMs: 10, keepAlive: true });
      bench.server.plan(response("mine"), response("mine"));
      (await bench.exchange()).mustBe("own");
      await bench.environment.wait(2 * SILENCE_MS);
      (await bench.exchange()).mustBeOrFail("mine", "on a connection with unrequested bytes");
      // A failed request may not have reached the server. Further requests use up the plans of this round.
      while (bench.server.requests().length % 3 !== 0) await bench.exchange();
    }
  },

  "once: a POST is never sent twice, also after a reset of an open connection": async (bench) => {
    bench.server.plan(response("one", { keepAlive: true }), { kind: "reset" }, response("again"));
    (await bench.exchange()).mustBe("one");
    (await bench.exchange(form("code=1"))).mustFail("unreachable", "reset");
    const posts = bench.server.requests().filter(({ method }) => method === "POST");
    must(posts.length === 1, `the POST arrived ${posts.length} times`);
  },

  "once: a connection closed while idle causes at most one failure": async (bench) => {
    // Enough plans for the requests of all rounds, and one more.
    for (let i = 0; i < 16; i++) bench.server.plan(response("ok", { keepAlive: true }));
    for (let round = 0; round < 5; round++) {
      (await bench.exchange()).mustBe("ok", "on a fresh connection");
      await bench.server.closeIdle();
      // This request follows at once: the adapter may or may not have noticed that the connection is closed.
      const own = `round=${round}`;
      const { failure } = (await bench.exchange(form(own))).mustBeOrFail(
        "ok",
        "on a stale connection",
      );
      if (failure !== undefined) (await bench.exchange()).mustBe("ok", "after the failure");
      const posts = bench.server
        .requests()
        .filter(({ body }) => String.fromCharCode(...body) === own);
      must(posts.length <= 1, `the POST arrived ${posts.length} times`);
      must(failure !== undefined || posts.length === 1, "a response without a request");
    }
  },

  "once: a connection that was closed earlier causes no failure": async (bench) => {
    for (let round = 0; round < 3; round++) {
      bench.server.plan(response("ok", { keepAlive: true }), response("ok", { keepAlive: true }));
      (await bench.exchange()).mustBe("ok", "before");
      await bench.server.closeIdle();
      await bench.environment.wait(4 * SILENCE_MS);
      (await bench.exchange(form("a=1"))).mustBe("ok", "after");
    }
  },

  "connection: one with unread bytes is not reused": async (bench) => {
    // Both responses arrive slowly, so that bytes of the first still arrive during the second.
    const slowly = { keepAlive: true, pieceDelayMs: 2 };
    const mine = "mine, and only mine, from its first byte to its last";
    bench.server.plan(response(new Uint8Array(50_000), { ...slowly, pieceBytes: 100 }));
    bench.server.plan(response(mine, { ...slowly, pieceBytes: 1 }));
    const recorder = new Recorder();
    recorder.during = (event) => {
      if (event === "body") bench.http.abort();
    };
    bench.begin({}, recorder);
    await eventually(bench.environment, () => recorder.events.includes("body"), "the first piece");
    (await bench.exchange()).mustBe(mine);
  },
};

export const wireRules = { ...requestRules, ...framingRules, ...responseRules, ...connectionRules };

export const wireTimeRules: HttpRules = {
  "time: the limit applies to the head too, a slow one ends in timeout": async (bench) => {
    const pieces = [..."HTTP/1.1 200 OK\r\nX: slowly\r\nContent-Length: 0\r\n\r\n"];
    bench.server.plan({ kind: "raw", pieces, pieceDelayMs: 50 });
    (await bench.exchange()).mustFail("timeout", "a head of a byte every 50 ms");
  },
};

/** Servers that must receive no request, by their names in the bench. */
const REFUSED = {
  "trust: a certificate of an unknown authority": "untrusted",
  "trust: a certificate for another host name": "otherName",
  "trust: an expired certificate": "expired",
  "handshake: a server that speaks no TLS above 1.1": "outdated",
  "handshake: a server that requires a client certificate": "demanding",
} as const;

export const tlsRules: HttpRules = {
  ...rulesOf("", REFUSED, isRefused, " is refused before anything is sent"),

  "closure: over TLS a body without a length ends with its connection": async (bench) => {
    bench.server.plan(response("closed", { framing: "close" }));
    const url = `${bench.server.tls!.trusted}/token`;
    (await bench.exchange({ ...form("a=1"), url })).mustBe("closed");
  },
};

async function isRefused(
  { server, exchange }: Bench,
  which: keyof NonNullable<HttpTestServer["tls"]>,
): Promise<void> {
  const recorder = await exchange({ ...form("secret=1"), url: `${server.tls![which]}/token` });
  recorder.mustFail("unreachable", "an untrusted server");
  must(server.requests().length === 0, "the request arrived anyway");
}
