// contracts.ts HttpSink and Storage: what the core is told of what adapters report, in whatever order they do, against a
// model of a few lines.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Endpoint, State } from "../../core/index.ts";
import type { HttpSink } from "../../platform/contracts.ts";
import { AnswerSink, type SinkOwner, unaddressed } from "../../platform/driver/answer-sink.ts";
import { StorageAnswer } from "../../platform/driver/storage-answer.ts";
import type { StepUp } from "../../platform/step-up.ts";

/** RFC 9470 section 3. */
const DEMAND = 'Bearer error="insufficient_user_authentication", max_age="5"';
const STEP_UP = { max_age: "5" };
const BYTES = Uint8Array.of(1, 2, 3);

/** What the driver has around a sink, written down. */
class Owner {
  readonly told: unknown[] = [];
  readonly memory = new Uint8Array(1);
  stepUp: StepUp | undefined;
  /** What the core says next: that a body is handed on; that a refusal demands a challenge, and ends the attempt. */
  streams = 0;
  isDemanded = false;
  isEnding = false;
  readonly device = { endpoint: 0, requestId: 0, moves: 0, state: State.REQUESTING as State };
  readonly core = {
    responseStart: (_: unknown, ...told: unknown[]) => {
      this.told.push(["start", ...told]);
      return this.streams;
    },
    responseBody: (_: unknown, id: number) => this.told.push(["body", id]),
    responseEnd: (_: unknown, id: number) => {
      this.told.push(["end", id]);
      if (this.isEnding) this.device.moves++;
    },
    responseFailed: (_: unknown, id: number) => this.told.push(["failed", id]),
    signIn: () => this.told.push(["sign in"]),
    storageDone: (_: unknown, result: number) => this.told.push(["stored", result]),
  };
  readonly challenges = {
    begin: (isForCode: boolean, status: number) =>
      this.told.push(["challenges", isForCode, status]),
    hear: (_: unknown, from: number, to: number) => this.told.push(["hear", from, to]),
    isDemanded: () => this.isDemanded,
  };
  report(event: () => void): void {
    this.told.push(["report"]);
    event();
  }
}

const ownerOf = (owner: Owner): SinkOwner => owner as unknown as SinkOwner;

/** What is to be told: the sink once more, without its reuse and its callbacks. */
class Model {
  readonly told: unknown[] = [];
  readonly #owner: Owner;
  #id = -1;
  #isOpen = false;
  #streams = false;
  stepUp: StepUp | undefined;

  constructor(owner: Owner) {
    this.#owner = owner;
  }

  begin(id: number): void {
    this.#id = id;
    this.#isOpen = true;
    this.#streams = false;
    if (this.#owner.device.endpoint >= Endpoint.RESOURCE) this.stepUp = undefined;
  }

  status(status: number, retry: number, isDemand: boolean): void {
    if (!this.#isOpen) return;
    const { endpoint } = this.#owner.device;
    this.told.push(["challenges", endpoint === Endpoint.DEVICE_AUTHORIZATION, status]);
    const isStepUp = isDemand && status === 401 && endpoint >= Endpoint.RESOURCE;
    if (isStepUp) this.stepUp = STEP_UP;
    this.told.push(["start", this.#id, isStepUp ? 403 : status, retry]);
    this.#streams = this.#owner.streams === 1;
  }

  body(from: number, to: number): void {
    if (!this.#isOpen) return;
    this.told.push(["hear", from, to], ["body", this.#id]);
    const isItsOwn = this.#owner.device.requestId === this.#id;
    if (this.#streams && isItsOwn) this.told.push(["API body", from, to]);
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.told.push(["report"], ["end", this.#id]);
    const { isDemanded, isEnding, device } = this.#owner;
    if (isDemanded && isEnding && device.state === State.FAILED) this.told.push(["sign in"]);
  }

  failed(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.told.push(["report"], ["failed", this.#id]);
  }

  giveUpOn(id: number): void {
    if (this.#id === id) this.failed();
  }
}

const endpoint = fc.constantFrom(
  Endpoint.DEVICE_AUTHORIZATION,
  Endpoint.TOKEN,
  Endpoint.REVOCATION,
  Endpoint.METADATA,
  Endpoint.EVENTS,
  Endpoint.RESOURCE,
  Endpoint.RESOURCE + 1,
);
const id = fc.integer({ min: 1, max: 3 });
const deed = fc.oneof(
  fc.record({ do: fc.constant("begin"), id, endpoint }),
  fc.record({
    do: fc.constant("status"),
    status: fc.constantFrom(200, 400, 401, 403),
    isDemand: fc.boolean(),
    streams: fc.constantFrom(0, 1),
  }),
  fc.record({ do: fc.constant("body"), from: fc.nat(1), to: fc.nat(3) }),
  fc.record({
    do: fc.constant("end"),
    isDemanded: fc.boolean(),
    isEnding: fc.boolean(),
    state: fc.constantFrom(State.FAILED, State.PENDING),
  }),
  fc.record({ do: fc.constantFrom("failed", "give up") }),
  fc.record({ do: fc.constantFrom("give up on", "another request"), id }),
);

interface Deed {
  readonly do: string;
  readonly id?: number;
  readonly endpoint?: number;
  readonly status?: number;
  readonly isDemand?: boolean;
  readonly streams?: number;
  readonly from?: number;
  readonly to?: number;
  readonly isDemanded?: boolean;
  readonly isEnding?: boolean;
  readonly state?: State;
}

function perform(one: Deed, owner: Owner, sink: AnswerSink, model: Model): void {
  const { device } = owner;
  const { from = 0, to = 0, isDemand = false } = one;
  switch (one.do) {
    case "begin":
      device.endpoint = one.endpoint!;
      device.requestId = one.id!;
      sink.begin(one.id!);
      model.begin(one.id!);
      break;
    case "status":
      owner.streams = one.streams!;
      sink.status(one.status!, 7, isDemand ? DEMAND : "Bearer");
      model.status(one.status!, 7, isDemand);
      break;
    case "body":
      sink.body(BYTES, from, to);
      model.body(from, to);
      break;
    case "end":
      Object.assign(owner, { isDemanded: one.isDemanded, isEnding: one.isEnding });
      device.state = one.state!;
      sink.end();
      model.end();
      break;
    case "failed":
      sink.failed("timeout");
      model.failed();
      break;
    case "give up":
      sink.giveUp();
      model.failed();
      break;
    case "give up on":
      sink.giveUpOn(one.id!);
      model.giveUpOn(one.id!);
      break;
    default:
      device.requestId = one.id!;
  }
}

describe("contracts.ts HttpSink", () => {
  it("the core is told of each exchange once, in order, and of nothing before it or behind its end", () => {
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 14 }), (deeds) => {
        const owner = new Owner();
        const model = new Model(owner);
        const hand = (_: unknown, from: number, to: number): void =>
          void owner.told.push(["API body", from, to]);
        const sink = new AnswerSink(ownerOf(owner), hand, (call) => void call());
        for (const one of deeds) perform(one, owner, sink, model);
        expect(owner.told).toEqual(model.told);
        expect(owner.stepUp).toEqual(model.stepUp);
      }),
      { numRuns: 1000 },
    );
  });

  it("RFC 9470: what an API wants of a sign-in stays until an API is called again", () => {
    const owner = new Owner();
    const sink = new AnswerSink(ownerOf(owner), undefined, (call) => void call());
    const exchange = (endpoint: number, status: number, demand: string): void => {
      owner.device.endpoint = endpoint;
      sink.begin(1);
      sink.status(status, -1, demand);
      sink.end();
    };
    exchange(Endpoint.RESOURCE, 401, DEMAND);
    exchange(Endpoint.TOKEN, 200, "");
    expect(owner.stepUp).toEqual(STEP_UP);
    exchange(Endpoint.RESOURCE + 1, 200, "");
    expect(owner.stepUp).toBeUndefined();
  });

  it("an answer whose body nobody wants is heard all the same", () => {
    const owner = new Owner();
    owner.streams = 1;
    const sink = new AnswerSink(ownerOf(owner), undefined, (call) => void call());
    sink.begin(0);
    sink.status(200, -1);
    sink.body(BYTES, 0, 3);
    expect(owner.told.at(-1)).toEqual(["body", 0]);
  });

  it.each([
    [Endpoint.DEVICE_AUTHORIZATION, ["failed unreachable"]],
    [Endpoint.TOKEN, ["failed unreachable"]],
    // RFC 7009 has no revocation without an endpoint: what it would have ended lives its minutes out.
    [Endpoint.REVOCATION, ["status 200 -1", "end"]],
    [Endpoint.METADATA, ["failed unreachable"]],
    [Endpoint.RESOURCE, ["failed unreachable"]],
  ])("endpoint %i without an address: %j", (of, expected) => {
    const told: string[] = [];
    const sink: HttpSink = {
      status: (...values) => told.push(`status ${values.join(" ")}`),
      body: () => told.push("body"),
      end: () => told.push("end"),
      failed: (failure) => told.push(`failed ${failure}`),
    };
    unaddressed(of, sink);
    expect(told).toEqual(expected);
  });
});

describe("contracts.ts Storage", () => {
  it("an operation ends once, and none before it has begun", () => {
    const owner = new Owner();
    const answer = new StorageAnswer({ ...ownerOf(owner), report: (event) => event() });
    const { done, written, giveUp } = answer;
    const stored = (): unknown[] => owner.told.splice(0).map((one) => (one as unknown[])[1]);
    for (const call of [() => done(5), () => written(true), giveUp]) call();
    expect(stored()).toEqual([]);
    for (const end of [() => done(5), () => written(true), () => written(false), giveUp]) {
      answer.begin(-1);
      end();
      done(7);
      giveUp();
    }
    expect(stored()).toEqual([5, 1, 0, -1]);
    answer.begin(0).giveUp();
    expect(stored()).toEqual([0]);
  });
});
