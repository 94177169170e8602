// platform/driver: which answers ask for a code challenge (RFC 7636), and what a server hears that may want JSON in the
// place of forms (RFC 9110 §15.5.16), each against what the rule says in one line.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Http, HttpRequest, HttpSink } from "../../platform/contracts.ts";
import { BodyForms, FORM_TYPE } from "../../platform/driver/body-forms.ts";
import { CodeChallenges } from "../../platform/driver/code-challenges.ts";
import { SeededEntropy } from "../../platform/fake/index.ts";
import { bytesOf } from "./sealing.ts";

describe("a refusal asks for a code challenge where it names code_challenge", () => {
  const made = (challenges: CodeChallenges): number => challenges.make(new Uint8Array(86), 0, 86);
  const text = fc
    .array(
      fc.constantFrom("code_challenge", "code_c", "code_", "c", "ode_challenge", "_method", "x"),
    )
    .map((parts) => parts.join(""));

  it("however it is cut, of whatever status, and not in another answer", () => {
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(200, 399, 400, 401, 499, 500),
        fc.boolean(),
        (said, size, status, isForCode) => {
          const challenges = new CodeChallenges(new SeededEntropy(1), undefined);
          // Before there is a status there is no refusal.
          challenges.hear(bytesOf("code_challenge"), 0, 14);
          expect(challenges.isDemanded()).toBe(false);
          challenges.begin(isForCode, status);
          const bytes = bytesOf(said);
          for (let at = 0; at < bytes.length; at += size) {
            challenges.hear(bytes, at, Math.min(at + size, bytes.length));
          }
          const isRefusal = isForCode && status >= 400 && status < 500;
          const isDemanded = isRefusal && said.includes("code_challenge");
          expect(challenges.isDemanded()).toBe(isDemanded);
          expect(challenges.isDemanded()).toBe(false);
          expect(made(challenges)).toBe(isDemanded ? 1 : 0);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("one that has a challenge already is refused for another reason", () => {
    const challenges = new CodeChallenges(new SeededEntropy(1), "S256");
    challenges.begin(true, 400);
    challenges.hear(bytesOf("code_challenge"), 0, 14);
    expect(challenges.isDemanded()).toBe(false);
  });
});

/** An adapter that writes down what it is given, and answers when it is told to. */
class Far implements Http {
  lastFailure?: string;
  readonly sent: { type: string; body: string; sink: HttpSink }[] = [];
  aborts = 0;
  send({ contentType, body, bodyFrom, bodyTo }: HttpRequest, sink: HttpSink): void {
    const text = Buffer.from(Uint8Array.from(body).slice(bodyFrom, bodyTo)).toString();
    this.sent.push({ type: contentType, body: text, sink });
  }
  abort(): void {
    this.aborts++;
  }
}

const requestOf = (contentType: string, text: string): HttpRequest => ({
  ...({ method: "POST", url: "https://a.test", authorization: "", headers: [] } as const),
  ...{ contentType, body: bytesOf(text), bodyFrom: 0, bodyTo: text.length },
});

const heard = () => {
  const told: string[] = [];
  const sink: HttpSink = {
    status: (status) => told.push(`status ${status}`),
    body: (_, from, to) => told.push(`body ${from} ${to}`),
    end: () => told.push("end"),
    failed: (failure) => told.push(`failed ${failure}`),
  };
  return { told, sink };
};

function refuse(sink: HttpSink): void {
  sink.status(415, -1);
  sink.body(bytesOf("no"), 0, 2);
  sink.end();
}

describe("RFC 9110 §15.5.16: a server that takes no forms", () => {
  const made = (bodies: "form" | "json" = "form") => {
    const far = new Far();
    const errors: unknown[] = [];
    return { far, errors, http: new BodyForms(far, bodies, (error) => errors.push(error)) };
  };

  it("its refusal is nobody's: the request goes out once more, and that answer counts", () => {
    const { far, http } = made();
    const { told, sink } = heard();
    http.send(requestOf(FORM_TYPE, "a=1&b=x+y"), sink);
    refuse(far.sent[0]!.sink);
    expect(told).toEqual([]);
    expect(far.sent[1]).toMatchObject({ type: "application/json", body: '{"a":"1","b":"x y"}' });
    far.sent[1]!.sink.status(200, -1);
    far.sent[1]!.sink.end();
    far.sent[1]!.sink.failed("timeout");
    far.sent[1]!.sink.end();
    expect(told).toEqual(["status 200", "end"]);
    // Neither is tried again.
    http.send(requestOf(FORM_TYPE, "c=2"), sink);
    expect(far.sent[2]).toMatchObject({ type: "application/json", body: '{"c":"2"}' });
    refuse(far.sent[2]!.sink);
    expect(far.sent).toHaveLength(3);
  });

  it.each([
    ["application/json", "{}"],
    ["application/json", ""],
    [FORM_TYPE, ""],
    ["", ""],
  ])("what is no form is sent as it is, and its 415 is told: %j %j", (type, text) => {
    for (const bodies of ["form", "json"] as const) {
      const { far, http } = made(bodies);
      const { told, sink } = heard();
      http.send(requestOf(type, text), sink);
      expect(far.sent).toMatchObject([{ type, body: text }]);
      refuse(far.sent[0]!.sink);
      expect(far.sent).toHaveLength(1);
      expect(told).toEqual(["status 415", "body 0 2", "end"]);
    }
  });

  it("an answer that has no status is none to send again: its end is told", () => {
    const { far, http } = made();
    const { told, sink } = heard();
    http.send(requestOf(FORM_TYPE, "a=1"), sink);
    far.sent[0]!.sink.body(bytesOf("no"), 0, 2);
    far.sent[0]!.sink.end();
    expect([far.sent.length, told]).toEqual([1, ["body 0 2", "end"]]);
  });

  it("what was aborted is not sent again, and an end that is told twice is one", () => {
    const { far, http } = made();
    const { told, sink } = heard();
    http.send(requestOf(FORM_TYPE, "a=1"), sink);
    http.abort();
    refuse(far.sent[0]!.sink);
    expect([far.sent.length, far.aborts]).toEqual([1, 1]);
    told.length = 0;
    http.send(requestOf(FORM_TYPE, "a=1"), sink);
    far.sent[1]!.sink.status(200, -1);
    far.sent[1]!.sink.failed("timeout");
    far.sent[1]!.sink.failed("timeout");
    far.sent[1]!.sink.end();
    expect(told).toEqual(["status 200", "failed timeout"]);
  });

  it("where the second try throws it has failed, and the error is kept", () => {
    const { far, errors, http } = made();
    const { told, sink } = heard();
    http.send(requestOf(FORM_TYPE, "a=1"), sink);
    far.send = () => {
      throw new Error("broken");
    };
    refuse(far.sent[0]!.sink);
    expect(told).toEqual(["failed unreachable"]);
    expect(errors).toHaveLength(1);
  });

  it("a server that takes neither is asked in the form that was meant", () => {
    for (const bodies of ["form", "json"] as const) {
      const { far, http } = made(bodies);
      const { told, sink } = heard();
      http.send(requestOf(FORM_TYPE, "a=1"), sink);
      refuse(far.sent[0]!.sink);
      refuse(far.sent[1]!.sink);
      expect(told).toEqual(["status 415", "body 0 2", "end"]);
      http.send(requestOf(FORM_TYPE, "a=1"), sink);
      const types = far.sent.map(({ type }) => (type === FORM_TYPE ? "form" : "json"));
      expect(types).toEqual([bodies, bodies === "form" ? "json" : "form", bodies]);
    }
  });

  it("says of the last failure what the adapter says", () => {
    const { far, http } = made();
    expect(http.lastFailure).toBe("");
    far.lastFailure = "ECONNRESET";
    expect(http.lastFailure).toBe("ECONNRESET");
  });
});
