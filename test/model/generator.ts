// Chooses the next step from the state of the device. Purely random steps would rarely get past the first states.

import { Endpoint, State } from "../../core/complete.ts";
import type { Host } from "./host.ts";
import { Kind } from "./ideal/calls.ts";
import { Requests } from "./ideal/requests.ts";
import { bindingOf, encode, type StoredRecord } from "./ideal/storage.ts";
import { CONFIG_MEMBERS } from "./oracles/api.ts";
import type { Random } from "./random.ts";
import { Responses } from "./responses.ts";
import { MEMORY_SIZES, type Settings } from "./settings.ts";
import { type CallPart, type Step, StorageMode } from "./steps.ts";

const ISSUER = "https://accounts.b.example";
const EVERY_ENDPOINT = 2 ** 27 - 1;
const DAY_S = 86_401;
const BODY_ALL = 1_000_000;
/** Characters at the edges of the ranges that forms, paths and offer names treat differently, and their neighbours. */
const EDGES = "!-./09:@AZ[_`az{~*%\u007f";
/** Valid names of an offer, and the maximum length of each. */
const OFFER_NAMES = ["com.example.app", "gold", "monthly", "spring-1", "2022/02"];
const OFFER_LENGTHS = [255, 40, 63, 63, 63];

export class Generator {
  readonly #responses: Responses;

  /** The probability that another action follows an action immediately, in percent. */
  readonly #burst: number;
  /** Whether the application mostly polls for events, and most events are genuine. */
  readonly #isRunOfEvents: boolean;
  /** Whether slots often cannot be read or erased. */
  readonly #isWorn: boolean;
  readonly #lost: number;
  /** Whether the host mostly has no random bytes for a code verifier. */
  readonly #lacksEntropy: boolean;
  #hasActed = false;

  constructor(readonly random: Random) {
    this.#isRunOfEvents = random.chance(8);
    this.#isWorn = random.chance(10);
    this.#lost = random.chance(10) ? 60 : 8;
    this.#lacksEntropy = random.chance(15);
    this.#burst = this.#isRunOfEvents ? 0 : random.pick([0, 20, 60]);
    this.#responses = new Responses(random, this.#isRunOfEvents);
  }

  next(host: Host): Step {
    const random = this.random;
    const isBurst = this.#hasActed && random.chance(this.#burst);
    this.#hasActed = isBurst;
    if (isBurst) return this.#act(host);
    if (this.#isRunOfEvents && host.ideal.hasSession) return this.#eventStep(host);
    if (host.operation && random.chance(75)) return { do: "stored", isDone: random.chance(85) };
    if (host.verifying >= 0 && random.chance(75)) return this.#verification();
    if (host.ideal.state === State.REVOKING && random.chance(10)) return this.#endpoints();
    const { clock, state } = host.ideal;
    // When the pause after a refresh ends, the display starts to report a missing token. Send a request around then.
    if (state === State.SIGNED_IN && clock.restS > 0 && clock.restS < 130 && random.chance(40)) {
      return host.exchange ? this.#time(host) : { do: "discover", issuer: ISSUER };
    }
    if (host.exchange && random.chance(80)) return this.#exchange(host);
    if (random.chance(host.exchange ? 50 : 60)) return this.#time(host);
    this.#hasActed = true;
    if (host.ideal.calls.hasNextPage && random.chance(25)) return { do: "nextPage" };
    if (host.ideal.calls.mayBegin(Kind.OFFER) && random.chance(15)) return this.#offer();
    return this.#act(host);
  }

  #verification(): Step {
    const random = this.random;
    if (random.chance(85)) return { do: "verified", isGenuine: random.chance(85) };
    return random.chance(50) ? { do: "signOut" } : this.#late();
  }

  #eventStep(host: Host): Step {
    const random = this.random;
    if (host.operation) return { do: "stored", isDone: true };
    if (host.verifying >= 0) return { do: "verified", isGenuine: random.chance(90) };
    const { exchange } = host;
    if (exchange && !exchange.hasHead) return { do: "head", ...this.#responses.to(host) };
    if (exchange?.rest) return { do: "more", bytes: BODY_ALL };
    if (exchange) return { do: "end" };
    if (!host.ideal.calls.isBusy && random.chance(50)) return { do: "pollEvents" };
    return { do: "run", ms: random.chance(97) ? 0 : 1000 };
  }

  #exchange(host: Host): Step {
    const random = this.random;
    const { exchange } = host;
    if (!exchange!.hasHead) {
      if (random.chance(2)) return { do: "more", bytes: 1 + random.below(50) };
      if (!random.chance(this.#lost)) return { do: "head", ...this.#responses.to(host) };
      return random.chance(75) ? { do: "fail" } : { do: "end" };
    }
    if (exchange!.rest === "") return random.chance(96) ? { do: "end" } : { do: "fail" };
    const draw = random.below(100);
    if (draw < 88) return { do: "more", bytes: BODY_ALL };
    if (draw < 95) return { do: "more", bytes: 1 + random.below(exchange!.rest.length) };
    return draw < 98 ? { do: "end" } : { do: "fail" };
  }

  #storage(host: Host): { storage?: StorageMode } {
    const random = this.random;
    const { ideal } = host;
    const isChallenge = ideal.state === State.REQUESTING && ideal.isChallengeDue;
    if (this.#lacksEntropy && isChallenge && random.chance(90))
      return { storage: StorageMode.FAILS };
    if (this.#isWorn && random.chance(30)) return { storage: StorageMode.KEEPS };
    if (random.chance(92)) return {};
    if (random.chance(60)) return { storage: StorageMode.HOLDS };
    return { storage: random.pick([StorageMode.FAILS, StorageMode.KEEPS]) };
  }

  #time(host: Host): Step {
    const random = this.random;
    // Let time pass until rejections of refreshes end the session, or until about the end of the pause after a refresh.
    const { timeoutS, restS } = host.ideal.clock;
    if (timeoutS < DAY_S && random.chance(8)) return { do: "run", ms: timeoutS * 1000 };
    if (restS > 0 && host.ideal.state === State.SIGNED_IN && random.chance(15)) {
      return { do: "run", ms: Math.max(0, restS * 1000 - random.below(130_000)) };
    }
    const draw = random.below(100);
    if (draw < 70)
      return { do: "sleep", most: random.chance(90) ? 1e8 : 500, ...this.#storage(host) };
    if (draw < 86) return { do: "run", ms: 0, ...this.#storage(host) };
    if (draw < 92) return { do: "run", ms: random.below(8000), ...this.#storage(host) };
    if (draw < 96) return { do: "tick", ms: random.pick([0, 0, 1, 999, 1000, 5000]) };
    const isPending = host.ideal.state === State.PENDING;
    const long = [60_000, 120_000, 1_800_000, 3_400_000, 90_000_000, 200_000_000, Number.NaN, -5];
    return { do: "run", ms: isPending ? random.pick([30_000, 1_800_000]) : random.pick(long) };
  }

  #act(host: Host): Step {
    const random = this.random;
    const draw = random.below(100);
    if (draw < 12) return { do: "signIn" };
    if (draw < 14) return { do: "cancel" };
    if (draw < 17) return { do: "signOut" };
    if (draw < 18) return { do: "refused" };
    if (draw < 19 && random.chance(50)) return this.#endpoints();
    if (draw < 19 && random.chance(30))
      return { do: "configure", member: random.pick(CONFIG_MEMBERS) };
    if (draw < 22) return { do: "status", text: this.#statusText() };
    if (draw < 32) return { do: "discover", issuer: this.#issuer() };
    if (draw < 50) return this.#call();
    if (draw < 58) return { do: "nextPage" };
    if (draw < 61) return this.#partOfCall();
    if (draw < 67) return this.#offer();
    if (draw < 80) return { do: "pollEvents" };
    if (draw < 86) return { do: "applyEvent", claims: this.#responses.handedIn(host) };
    if (draw < 91) return this.#late();
    if (draw < 94) return this.#power(host);
    return this.#time(host);
  }

  /** Reports that the server has all endpoints, or that it lacks one: mostly the revocation endpoint. */
  #endpoints(): Step {
    const random = this.random;
    const lacks = random.chance(70) ? Endpoint.REVOCATION : random.below(8);
    return { do: "endpoints", bits: EVERY_ENDPOINT - (random.chance(50) ? 1 << lacks : 0) };
  }

  #statusText(): string {
    const random = this.random;
    return random.pick([
      "",
      "Live",
      "On air since noon",
      "word ".repeat(random.below(60)).trim(),
      "x".repeat(random.below(200)),
      "caf\u0001",
    ]);
  }

  #issuer(): string {
    const random = this.random;
    if (random.chance(85)) return ISSUER;
    return random.pick([
      `${ISSUER}/`,
      "https://x",
      "http://localhost:8080",
      "i".repeat(96),
      "i".repeat(97),
      "",
    ]);
  }

  #parts(): CallPart[] {
    const random = this.random;
    const parts: CallPart[] = [{ as: "path", text: "/video/v3/list?part=id" }];
    if (random.chance(30)) parts.push({ as: "value", text: random.pick(["a b&c", "é~*", EDGES]) });
    if (random.chance(30))
      parts.unshift({ as: "segment", text: random.pick(["a/b c", "x*y", "ü", EDGES]) });
    if (random.chance(8))
      parts.push({ as: "path", text: "Z".repeat(random.pick([250, 400, 2000])) });
    return parts;
  }

  #partOfCall(): Step {
    const random = this.random;
    const [part] = this.#parts();
    return random.pick<Step>([
      { do: "begin" },
      { do: "add", part: part! },
      { do: "send", endpoint: random.pick([5, 6, 4, 1]), isGet: random.chance(50) },
    ]);
  }

  #call(): Step {
    const random = this.random;
    const isGet = random.chance(70);
    const step: Step = { do: "call", parts: this.#parts(), endpoint: random.pick([5, 6]), isGet };
    if (!isGet && random.chance(80)) step.body = random.pick(['{"a":1}', "", "x".repeat(200)]);
    return step;
  }

  #offer(): Step {
    const random = this.random;
    const names = [...OFFER_NAMES];
    if (random.chance(50)) {
      const which = random.below(names.length);
      const most = OFFER_LENGTHS[which]!;
      const edge = EDGES[random.below(EDGES.length)]!;
      const others = [
        "",
        "bad name",
        "UPPER",
        edge,
        `x${edge}`,
        "y".repeat(random.pick([most, most + 1])),
      ];
      names[which] = random.pick(others);
    }
    const [packageName, productId, basePlanId, offerId] = names;
    const body: Record<string, unknown> = { packageName, productId, basePlanId };
    if (random.chance(50)) body.offerId = random.chance(90) ? offerId : "";
    if (random.chance(15)) {
      const named = random.pick(["packageName", "productId", "basePlanId", "offerId"]);
      body[named] = random.pick<unknown>(["other", "", undefined, 7, "goldx", "mont", ["gold"]]);
    }
    body.regionalConfigs = [{ regionCode: "US", packageName: "nested" }];
    const text = random.chance(95) ? JSON.stringify(body) : '{"packageName":';
    if (random.chance(5)) names.length = random.below(names.length);
    return { do: "offer", names: names.join("\n"), body: text };
  }

  #late(): Step {
    const random = this.random;
    const body = random.pick([
      '{"access_token":"late","token_type":"bearer","expires_in":3600,"refresh_token":"late"}',
      '{"device_code":"late","user_code":"LATE","verification_uri":"https://l","expires_in":9}',
      '{"error":"access_denied"}',
      "",
    ]);
    return {
      do: "late",
      back: random.pick([0, 1, 2, 65_535, 7]),
      status: random.pick([200, 401, 400, 503]),
      body,
    };
  }

  #power(host: Host): Step {
    const random = this.random;
    const size = host.operation?.size ?? 0;
    return {
      do: "power",
      done: random.pick([0, random.below(size + 1), size, 1]),
      memoryBytes: random.chance(80) ? host.settings.memoryBytes : random.pick(MEMORY_SIZES),
      unreadable: random.chance(this.#isWorn ? 40 : 92) ? 0 : random.between(1, 3),
    };
  }

  firstSlots(settings: Settings): Uint8Array[] {
    const random = this.random;
    const none = (): Uint8Array => new Uint8Array();
    if (random.chance(70)) return [none(), none()];
    const { owner, formerOwner } = new Requests(settings);
    // A record may belong to the server's present name, to its former name, or to another server.
    const names = [owner, owner, owner, formerOwner, formerOwner, `${owner}.evil.test`];
    const binding = bindingOf(random.pick(names));
    const sequence = random.pick([0, 5, 0xfffffe, 0xffffff, 0x7fffff]);
    const record = (ahead: number, bound = binding): Uint8Array =>
      encode({ ...this.#record(), sequence: (sequence + ahead) % 0x1000000 }, bound);
    const older = (): Uint8Array => record(0);
    const ownOlder = (): Uint8Array => record(0, bindingOf(owner));
    const other = random.pick([none, none, older, ownOlder, () => Uint8Array.of(1, 2, 3)]);
    // If sequence numbers differ by half their range, the second slot's record counts as newer (core/SPEC.md, Records).
    const ahead = random.chance(90) ? 1 : random.pick([0x7fffff, 0x800000, 0x800001]);
    return random.chance(50) ? [record(ahead), other()] : [other(), record(ahead)];
  }

  #record(): StoredRecord {
    const random = this.random;
    const { PENDING, SIGNED_IN, REFRESHING, REVOKING, FAILED } = State;
    const kind = random.pick([PENDING, SIGNED_IN, REFRESHING, REVOKING, FAILED]);
    const token = random.pick(["stored-token", "other/token", "t".repeat(100)]);
    const code = ["stored-dc", "SAVED-CODE", "https://example.com/device", undefined];
    if (random.chance(30)) code.push("stored~verifier".padEnd(43, "v"));
    return {
      kind,
      sequence: 0,
      intervalMs: random.pick([5000, 1000, 30_000]),
      codeLifetimeS: random.pick([1800, 30]),
      refreshLifetimeS: random.pick([100_000_000, 604_800, 259_100]),
      values: kind === State.PENDING ? code : [token],
    };
  }
}
