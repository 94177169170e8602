// Tests the C host's parser of HTTP responses (targets/host/portable/http-response.h) with sanitizers: each response as
// a whole, byte by byte, and in pieces of seven.

import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { programOf } from "../../targets/workbench/host/build.ts";
import { BODY_MAX, head, REFUSED, RETRY_AFTER } from "../refused-responses.ts";

const program = programOf("sanitize", "response");

interface Output {
  status: string;
  body: string;
  challenges?: string[];
  /** The output after the last byte, and after the end of the connection. */
  result: string;
}

function readOnce(response: string, piece: number, clock: number): Output {
  const args = [String(piece), String(BODY_MAX), String(clock)];
  const { stdout, stderr, status } = spawnSync(program, args, {
    input: Buffer.from(response, "latin1"),
    encoding: "latin1",
  });
  expect(status, stderr).toBe(0);
  const [, challenges = ""] = /^((?:challenge .*\n)*)/.exec(stdout)!;
  const rest = stdout.slice(challenges.length);
  const match = /^(?:(status .*)\n)?body ([\s\S]*)\n(\w+ closed \w+)\n$/.exec(rest)!;
  const output = { status: match[1] ?? "", body: match[2]!, result: match[3]! };
  return challenges === ""
    ? output
    : { ...output, challenges: challenges.split("\n").slice(0, -1) };
}

function read(response: string, clock = 0): Output {
  const output = readOnce(response, 0, clock);
  for (const piece of [1, 7]) expect(readOnce(response, piece, clock)).toEqual(output);
  return output;
}

const CHUNKED = "Transfer-Encoding: chunked";
const complete = (body: string, status = "status 200 -1"): Output => ({
  status,
  body,
  result: "end closed end",
});

describe("RFC 9110 §11.6.1 WWW-Authenticate", () => {
  const refused = (status: string, ...lines: string[]): string =>
    head("Content-Length: 0", ...lines).replace("200 OK", status);

  it("of a 401, of any length and number, is reported", () => {
    const long = `Bearer error="insufficient_user_authentication", acr_values="${"a".repeat(500)}"`;
    const response = refused(
      "401 No",
      `WWW-Authenticate:\t${long}`,
      "www-authenticate: Basic realm=x",
    );
    expect(read(response)).toEqual({
      ...complete("", "status 401 -1"),
      challenges: [`challenge ${long}`, "challenge Basic realm=x"],
    });
    const folded = refused("401 No", "WWW-Authenticate: Bearer", " max_age=5");
    expect(read(folded).challenges).toEqual(["challenge Bearer max_age=5"]);
  });

  it.each(["200 OK", "403 No", "407 No"])("of %s is not reported", (status) => {
    expect(read(refused(status, "WWW-Authenticate: Basic"))).not.toHaveProperty("challenges");
  });
});

describe("RFC 9112 §6 the body of a response", () => {
  it.each<[string, string, Output]>([
    ["a length", `${head("Content-Length: 2")}{}`, complete("{}")],
    ["a length, and more after it", `${head("Content-Length: 2")}{}HTTP/1.1`, complete("{}")],
    ["no length", `${head()}{}`, { ...complete("{}"), result: "more closed end" }],
    [
      "no content whatever it says (RFC 9110 §15.3.5)",
      "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
      complete("", "status 204 -1"),
    ],
    [
      "chunks, with an extension",
      `${head("Transfer-Encoding: Chunked")}3\r\nabc\r\n2;x="y"\r\nde\r\n0\r\n\r\n`,
      complete("abcde"),
    ],
    [
      "§7.1.2 chunks and a trailer",
      `${head("Transfer-Encoding: chunked")}2\r\n{}\r\n0\r\nServer-Timing: db;dur=3\r\nContent-Length: 9\r\n\r\n`,
      complete("{}"),
    ],
    [
      "§2.2 lines that end with LF alone",
      "HTTP/1.1 200 OK\nContent-Length: 2\n\n{}",
      complete("{}"),
    ],
    [
      "RFC 9110 §8.4 the coding identity",
      `${head("Content-Encoding: Identity", "Content-Length: 2")}{}`,
      complete("{}"),
    ],
    ["a coding of no body", head("Content-Encoding: gzip", "Content-Length: 0"), complete("")],
    ["the same length twice", `${head("Content-Length: 2", "content-length:2")}{}`, complete("{}")],
    [
      "RFC 9110 §15.2 interim responses ahead",
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nContent-Length: 7\r\nRetry-After: 9\r\n\r\n${head("Content-Length: 2")}{}`,
      complete("{}"),
    ],
    [
      "RFC 9110 §15 an unknown class counts as a server error",
      "HTTP/1.1 799 Odd\r\nContent-Length: 0\r\n\r\n",
      complete("", "status 599 -1"),
    ],
    [
      "§5.2 a line behind the status line that begins with a blank is passed over",
      `HTTP/1.1 400 Bad\r\n A: ${"B".repeat(3000)}\r\nContent-Length: 2\r\n\r\n{}`,
      complete("{}", "status 400 -1"),
    ],
    [
      "§5.2 a header goes on in the next line",
      `${head("Retry-After:", "\t 1", "X: y", " Content-Length: 9", "Content-Length: 2")}{}`,
      complete("{}", "status 200 1"),
    ],
  ])("%s", (_name, response, expected) => {
    expect(read(response)).toEqual(expected);
  });
});

describe("refused responses", () => {
  it.each(REFUSED)("%s", (_name, response, { name }) => {
    const { result, body } = read(response);
    const whole = name === "cutOff" ? "more" : name;
    expect([result, body.replace("a", "")]).toEqual([`${whole} closed ${name}`, ""]);
  });

  // Node's adapter treats these responses differently: its parser has other limits, and it decodes bodies.
  it.each<[string, string, string]>([
    ["chunked twice", head(CHUNKED, CHUNKED), "unknownCoding"],
    ["RFC 9110 §8.4 a coded body", `${head("Content-Encoding: gzip")}a`, "unknownCoding"],
    ["a chunk size beyond all integers", `${head(CHUNKED)}${"f".repeat(17)}\r\n`, "tooLong"],
    [
      "interim responses without an end",
      "HTTP/1.1 102 Processing\r\n\r\n".repeat(3000),
      "headTooLong",
    ],
  ])("%s", (_name, response, reason) => {
    expect(read(response).result).toBe(`${reason} closed ${reason}`);
  });

  it.each<[string, string]>([
    ["a body without a length", `${head()}${"x".repeat(BODY_MAX + 1)}`],
    [
      "chunks",
      `${head("Transfer-Encoding: chunked")}60\r\n${"x".repeat(96)}\r\n5\r\nxxxxx\r\n0\r\n\r\n`,
    ],
  ])("%s beyond the limit is reported up to it", (_name, response) => {
    const { result, body } = readOnce(response, 7, 0);
    expect(result).toBe("tooLong closed tooLong");
    expect(body.length).toBeLessThanOrEqual(BODY_MAX);
  });

  it("§8 every response that ends too early", () => {
    const whole = [
      `${head("Content-Length: 2")}{}`,
      `${head("Transfer-Encoding: chunked")}2\r\n{}\r\n0\r\nA: b\r\n\r\n`,
    ];
    for (const response of whole) {
      for (let length = 0; length < response.length; length++) {
        expect(readOnce(response.slice(0, length), 0, 0).result, `${length}`).toBe(
          "more closed cutOff",
        );
      }
    }
  });
});

describe("RFC 9110 §10.2.3 Retry-After", () => {
  it.each(RETRY_AFTER)("%s", (_name, value, date, clock, seconds) => {
    const lines = [`Retry-After: ${value}`, ...(date === "" ? [] : [`Date: ${date}`])];
    const { status } = read(head(...lines, "Content-Length: 0"), clock);
    expect(status).toBe(`status 200 ${seconds}`);
  });

  it.each<[string, string[], number]>([
    ["more than a line holds", [`Retry-After: 1${"0".repeat(70)}`], -1],
    ["the first of two", ["Retry-After: 5", "Retry-After: 6"], 5],
  ])("%s", (_name, lines, seconds) => {
    expect(read(head(...lines, "Content-Length: 0")).status).toBe(`status 200 ${seconds}`);
  });
});
