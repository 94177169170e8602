// What a session keeps of the grant's answers (platform/session/answer-ear.ts): the words for a person, and what came with
// tokens, but never the tokens.

import { describe, expect, it, vi } from "vitest";
import { Endpoint } from "../../core/index.ts";
import type { Http, HttpRequest, HttpSink } from "../../platform/contracts.ts";
import { AnswerEar, answerInWords } from "../../platform/session/answer-ear.ts";
import { bytesOf } from "../../platform/text.ts";

const URL_ASKED = "https://login.example.com/token?tenant=a";
const ADDRESS = "https://login.example.com/token";

/** An ear, the adapter that it stands in front of, and what the driver hears. */
function listening(endpoint = Endpoint.TOKEN, lastFailure?: string) {
  const ear = new AnswerEar();
  const heard: string[] = [];
  let inner: HttpSink | undefined;
  const http: Http = {
    send: (_request, sink) => {
      inner = sink;
    },
    abort: () => void heard.push("abort"),
    ...(lastFailure !== undefined && { lastFailure }),
  };
  const outer = ear.around(undefined, () => endpoint)(http, {
    clientId: "",
    clientSecret: "",
  } as never);
  outer.send({ url: URL_ASKED } as HttpRequest, {
    status: (...head) => void heard.push(`status ${head.join(" ")}`),
    body: (bytes, from, to) => void heard.push(`body ${bytes.length} ${from} ${to}`),
    end: () => void heard.push("end"),
    failed: (failure) => void heard.push(`failed ${failure}`),
  });
  const answer = (status: number, body: string | Uint8Array): void => {
    const bytes = typeof body === "string" ? bytesOf(body) : body;
    inner!.status(status, -1, "");
    inner!.body(bytes, 0, bytes.length);
    inner!.end();
  };
  return { ear, heard, outer, answer, sink: inner! };
}

const json = (value: unknown): string => JSON.stringify(value);

describe("the newest answer", () => {
  it("is nothing before the first", () => {
    const { ear } = listening();
    expect([ear.newest, ear.heard, ear.tokenResponse, ear.scope, ear.idToken]).toEqual([
      undefined,
      0,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("has the address without its query, the status, and what the server called the error", () => {
    const { ear, heard, answer } = listening();
    answer(400, json({ error: "invalid_client", error_description: "not\u001b[2J known" }));
    expect(ear.newest).toEqual({
      ...{ url: ADDRESS, status: 400, failure: "" },
      ...{ error: "invalid_client", errorDescription: "not?[2J known" },
    });
    expect(ear.heard).toBe(1);
    expect(heard).toEqual(["status 400 -1 ", "body 67 0 67", "end"]);
  });

  it.each<[what: string, body: string | Uint8Array, error: string]>([
    ["no JSON", "<html>", ""],
    ["a list", "[]", ""],
    ["an error that is no text", json({ error: 7 }), ""],
    ["no UTF-8", Uint8Array.of(255), ""],
    ["200 characters", json({ error: "e".repeat(200) }), "e".repeat(200)],
    ["more of them", json({ error: "e".repeat(201) }), "e".repeat(200)],
  ])("%s", (_, body, error) => {
    const { ear, answer } = listening();
    answer(400, body);
    expect(ear.newest).toMatchObject({ status: 400, error, errorDescription: "", failure: "" });
  });

  it.each([
    ["unreachable", "not reachable"],
    ["timeout", "no answer in time"],
    ["too-large", "the answer is too large"],
  ] as const)("where none came: %s", (failure, words) => {
    for (const [lastFailure, why] of [
      [undefined, ""],
      ["", ""],
      ["getaddrinfo ENOTFOUND", " (getaddrinfo ENOTFOUND)"],
    ] as const) {
      const { ear, heard, sink } = listening(Endpoint.TOKEN, lastFailure);
      sink.status(200, 5, "Bearer");
      sink.failed(failure);
      expect(ear.newest).toEqual({
        ...{ url: ADDRESS, status: 0, error: "", errorDescription: "" },
        failure: `${words}${why}`,
      });
      expect(heard).toEqual(["status 200 5 Bearer", `failed ${failure}`]);
    }
  });

  it("where the driver has given up it was none in time, once", () => {
    const { ear, heard, outer } = listening();
    outer.abort();
    expect(ear.newest).toMatchObject({ status: 0, failure: "no answer in time" });
    outer.abort();
    expect([ear.heard, heard]).toEqual([1, ["abort", "abort"]]);
  });

  it("an answer that has come to its end is not given up behind it", () => {
    const { ear, outer, answer } = listening();
    answer(200, "{}");
    outer.abort();
    expect([ear.heard, ear.newest?.status]).toEqual([1, 200]);
  });

  it("goes through what the server's answers are translated by", () => {
    const ear = new AnswerEar();
    const calls: string[] = [];
    const translated: Http = {
      send: () => void calls.push("translated"),
      abort: () => void calls.push("given up"),
    };
    const http = {} as Http;
    const around = ear.around(
      (...given) => {
        expect(given).toEqual([http, "client"]);
        return translated;
      },
      () => Endpoint.TOKEN,
    )(http, "client" as never);
    around.send({ url: URL_ASKED } as HttpRequest, {} as HttpSink);
    around.abort();
    expect(calls).toEqual(["translated", "given up"]);
  });
});

describe("what came with tokens", () => {
  const tokens = { access_token: "at", refresh_token: "rt", token_type: "Bearer" };

  it("is kept without the two, and the bytes are overwritten", () => {
    const { ear, answer } = listening();
    const filled = vi.spyOn(Array.prototype, "fill");
    try {
      answer(200, json({ ...tokens, scope: "a b", x: 1 }));
      const emptied = filled.mock.contexts.find((context) => (context as []).length > 20);
      expect(new Set(emptied as number[])).toEqual(new Set([0]));
    } finally {
      filled.mockRestore();
    }
    expect(ear.tokenResponse).toEqual({ token_type: "Bearer", scope: "a b", x: 1 });
    expect(ear.scope).toBe("a b");
  });

  it("counts from the token endpoint alone, and with an access token in it", () => {
    for (const [endpoint, body] of [
      [Endpoint.DEVICE_AUTHORIZATION, tokens],
      [Endpoint.TOKEN, { ...tokens, access_token: 7 }],
      [Endpoint.TOKEN, { error: "authorization_pending" }],
    ] as const) {
      const { ear, answer } = listening(endpoint);
      answer(200, json({ ...body, scope: "a", id_token: "a.b.c" }));
      expect([ear.tokenResponse, ear.scope, ear.idToken]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    }
  });

  it("an answer without scope or ID token leaves those before (RFC 6749 §6)", () => {
    const { ear, outer } = listening();
    const send = (body: object): void => {
      const http: Http = {
        send: (_request, sink) => {
          const bytes = bytesOf(json(body));
          sink.body(bytes, 0, bytes.length);
          sink.end();
        },
        abort: () => {},
      };
      const sink = { status: () => {}, body: () => {}, end: () => {}, failed: () => {} };
      ear
        .around(
          () => http,
          () => Endpoint.TOKEN,
        )(http, {} as never)
        .send({ url: URL_ASKED } as HttpRequest, sink);
    };
    outer.abort();
    send(tokens);
    expect([ear.scope, ear.idToken]).toEqual(["", undefined]);
    const beforeMs = Date.now();
    send({ ...tokens, scope: "a", id_token: "a.b.c" });
    const { idToken } = ear;
    expect([ear.scope, idToken?.token]).toEqual(["a", "a.b.c"]);
    expect(idToken!.atMs).toBeGreaterThanOrEqual(beforeMs);
    send({ ...tokens, scope: 7, id_token: 7 });
    expect(ear.scope).toBe("a");
    expect(ear.idToken).toBe(idToken);
  });

  it.each([
    [Endpoint.TOKEN, 65_536],
    [Endpoint.DEVICE_AUTHORIZATION, 8192],
    [Endpoint.REVOCATION, 8192],
  ])("endpoint %i: answers of so many bytes are read, and no longer ones", (endpoint, most) => {
    const document = (length: number): string => {
      const start = json({ error: "e", padding: "" }).slice(0, -2);
      return `${start}${"x".repeat(length - start.length - 2)}"}`;
    };
    for (const [length, error] of [
      [most, "e"],
      [most + 1, ""],
    ] as const) {
      const { ear, answer } = listening(endpoint);
      answer(400, document(length));
      expect([length, ear.newest?.error]).toEqual([length, error]);
    }
  });

  it("comes in pieces, each a part of what the adapter holds", () => {
    const { ear, sink } = listening();
    const whole = bytesOf(`##${json({ ...tokens, scope: "a" })}##`);
    sink.status(200, -1);
    sink.body(whole, 2, 10);
    sink.body(whole, 10, whole.length - 2);
    sink.end();
    expect(ear.scope).toBe("a");
  });
});

describe("an answer in one line", () => {
  const answer = { url: ADDRESS, status: 400, error: "", errorDescription: "", failure: "" };
  it.each([
    [{ failure: "not reachable", error: "x" }, `${ADDRESS}: not reachable`],
    [{ status: 503 }, `${ADDRESS}: HTTP 503`],
    [{ error: "invalid_client" }, `${ADDRESS}: HTTP 400 invalid_client`],
    [{ errorDescription: "why" }, `${ADDRESS}: HTTP 400 (why)`],
    [{ error: "a", errorDescription: "b" }, `${ADDRESS}: HTTP 400 a (b)`],
  ])("%j", (given, line) => {
    expect(answerInWords({ ...answer, ...given })).toBe(line);
  });
});
