// Generates responses of every kind that a server, or a proxy before it, may send.

import { Field, Region } from "../../core/complete.ts";
import type { Host } from "./host.ts";
import { Kind } from "./ideal/calls.ts";
import { Purpose } from "./ideal/purposes.ts";
import { Requests } from "./ideal/requests.ts";
import { ERROR_NAMES } from "./ideal/responses.ts";
import type { Random } from "./random.ts";

export interface HttpResponse {
  status: number;
  retryAfterS: number;
  body: string;
  challenge?: string;
}

type Members = Record<string, unknown>;

const words = (text: string): string[] => text.split(" ");

/** Error texts that require a code challenge, and similar ones that do not. */
const DEMANDS = ["code_challenge required", "code_challeng", "a code_code_challenge_method"];
/** WWW-Authenticate values that require a new sign-in, and similar ones that do not. */
const CHALLENGES = [
  'Bearer error="insufficient_user_authentication", acr_values="mfa"',
  "Bearer error=insufficient_insufficient_user_authentication",
  'Bearer error="invalid_token"',
  'Bearer error="insufficient_user_authenticatio"',
];

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/+=";

/** Invalid UTF-8 (notation: bytes.ts), and bytes that are only allowed in strings. */
const NO_UTF8: readonly string[] = [
  "\udcff",
  "\udcfe",
  // Sequences without their first byte, or without their last bytes (RFC 3629 §3).
  "\udc80",
  "\udcc3",
  "\udce2\udc82",
  "\udcf0\udc9f\udc98",
  // Overlong encodings: slash, quotation mark, NUL.
  "\udcc0\udcaf",
  "\udcc0\udca2",
  "\udce0\udc80\udca2",
  "\udcc0\udc80",
  // Surrogates, single and paired, and a code point that does not exist.
  "\udced\udca0\udc80",
  "\udced\udca0\udcbd\udced\udcb8\udc80",
  "\udcf4\udc90\udc80\udc80",
  // An incomplete escape.
  "\\ud83d\udced\udcb8\udc80",
  "\\ud83d\udcff\\ude00",
  // A byte order mark, and characters of every length.
  "\ufeff",
  "é\u20ac\ud83d\ude00\u0080",
  "\u0085\u00a0",
];

/** JSON tokens, valid and invalid (RFC 8259 §2, §6, §7). */
const TOKENS_OF_JSON: readonly string[] = [
  ...words('" \\ { } [ ] , : [] {} "" "":'),
  ...[" ", "\t", "\n", "\r", "\f"],
  ...words("0 - -0 01 1. .5 1.5 1e3 1E+3 1e- -1 2e0.5"),
  ...words("true false null nul True NaN nulll"),
  ...words(String.raw`\n \" \/ \b \x \u00e9 \u00AB \uD83D\uDE00 \u12g4 \ud83d \ud83d\ude00 \u0000`),
  ...["\u0000", "\u0001", "\u001f", "\u007f", "'", "//"],
];

/** One scope and several, as text and as a list. The longest lists have 160 and 161 bytes. */
const SCOPES: readonly unknown[] = [
  ...["video", "a b", "", " "],
  ...[["a", "b"], [], ["x".repeat(80), "y".repeat(79)], ["x".repeat(80), "y".repeat(80)]],
  ...["s".repeat(160), "s".repeat(161), `${"s".repeat(160)} t`, `${"word ".repeat(40)}end`],
];

/** Names of additional members, of which some matter in other responses. */
const MEMBERS = [
  ...words("id_token error_description error_uri message state issuer jti requestId"),
  ...words("nextPageToken access access_token refresh_token"),
];

/** Texts before a document: one or two byte order marks, a part of a mark, or a byte that no mark contains. */
const MARKS = ["\ufeff", "\ufeff\ufeff", "\udcef", " \udcff", "  \udcbb", "   \udcbb", "\udcba"];

/** Addresses that a user can type, and texts that only look similar. */
const ADDRESSES = [
  ...words("HTTP://X.test/a data:x http:// https:// http:/x.test ttp://x.test https:x.test"),
  ...words("ftp://x.test x.test/d x.test x.test:80/d app.x:y ./d.x //x.test /d.x d"),
  // Words that exactly fill rows of 16, 20 and 32 cells.
  `https://${"w".repeat(64)}`,
  `https://${"w".repeat(80)}`,
];

const EVENT_TYPES = [
  ...["risc/event-type/sessions-revoked", "risc/event-type/sessions-revoked"],
  ...["oauth/event-type/token-revoked", "oauth/event-type/tokens-revoked"],
  "risc/event-type/account-disabled",
  ...["risc/event-type/verification", "risc/event-type/verification"],
];

const UNKNOWN_ERRORS = ["new_error", "Access_Denied", "INVALID_GRANT", "Slow_Down["];

/** Statuses that mean a wrong request (RFC 9110 §15.5), and neighbouring numbers. */
const WRONG = [405, 406, 411, 413, 414, 415, 404, 407, 412, 416];

export class Responses {
  #serial = 0;
  /** The response that the server sends `#timesLeft` more times. */
  #repeated: HttpResponse | undefined;
  #timesLeft = 0;
  readonly #eventIds: string[] = [];

  constructor(
    readonly random: Random,
    /** Whether each poll for events gets an event, and only the last events of a run may end the session. */
    readonly isRunOfEvents: boolean,
  ) {}

  #unique(prefix: string, length: number): string {
    let text = `${prefix}${(this.#serial++).toString(36)}.`;
    while (text.length < length) text += ALPHABET[this.random.below(ALPHABET.length)];
    return text.slice(0, Math.max(length, prefix.length + 2));
  }

  /** A length for a value: mostly up to about `usual`, sometimes around the capacity. */
  #length(capacity: number, usual: number): number {
    const random = this.random;
    if (random.chance(94)) return Math.min(capacity, 4 + random.below(usual));
    const limits = [capacity, capacity, capacity + 1, capacity - 1, capacity >> 1];
    return random.pick([...limits, Math.min(capacity + 40, 3000), 512, 513]);
  }

  #retryAfter(): number {
    const random = this.random;
    if (random.chance(85)) return -1;
    // The core must accept any integer.
    if (random.chance(10)) return random.pick([-2, -3_000_000, -(2 ** 31), 2 ** 31 - 1]);
    return random.pick([0, 1, 2, 7, 30, 90, 600, 3600, 3601, 100_000_000]);
  }

  #unknownMembers(): Members {
    const random = this.random;
    const members: Members = {};
    for (let count = random.below(3); count > 0; count--) {
      const name = random.pick([...MEMBERS, "x".repeat(random.pick([1, 71, 72, 73, 120]))]);
      members[name] = random.pick<unknown>([
        "n/a",
        17,
        true,
        null,
        ["a", "b"],
        {},
        { access_token: "nested", error: "access_denied", expires_in: 1, jti: "j" },
        [{ refresh_token: "nested" }, [[]]],
        'é\u2028\ud83d\ude00"\\',
      ]);
    }
    return members;
  }

  #json(members: Members): string {
    const random = this.random;
    const all: [string, unknown][] = Object.entries(members);
    if (random.chance(20)) {
      const more = Object.entries(this.#unknownMembers());
      if (random.chance(50)) all.push(...more);
      else all.unshift(...more);
    }
    let text = "";
    for (const [name, value] of all) {
      if (value === undefined) continue;
      text += `${text ? "," : ""}${JSON.stringify(name)}:${JSON.stringify(value)}`;
    }
    text = `{${text}}`;
    if (random.chance(5)) text = this.#corrupted(text);
    if (random.chance(4)) text = ` \r\n${text}\t `;
    // Sometimes the document has the maximum length, or one byte more.
    if (random.below(500) === 0) text = text.padEnd(65_536 + random.below(2));
    return random.chance(2) ? random.pick(MARKS) + text : text;
  }

  /** Inserts invalid UTF-8, bytes with a meaning in JSON, or bytes that JSON does not allow (RFC 8259 §8.1). */
  #corrupted(text: string): string {
    const random = this.random;
    const bytes = random.pick(random.chance(50) ? NO_UTF8 : TOKENS_OF_JSON);
    const draw = random.below(10);
    if (draw === 0) return bytes + text;
    // Prefer places after a quotation mark, which are often within a string.
    const quotes = [...text.matchAll(/"/g)].map(({ index }) => index + 1);
    const at = draw < 7 && quotes.length ? random.pick(quotes) : random.below(text.length + 1);
    const end = random.chance(50) ? at : at + random.below(4);
    return text.slice(0, at) + bytes + text.slice(end);
  }

  #response(status: number, members: Members): HttpResponse {
    return { status, retryAfterS: this.#retryAfter(), body: this.#json(members) };
  }

  to(host: Host): HttpResponse {
    const random = this.random;
    const isRun = this.isRunOfEvents && host.ideal.hasSession;
    const { purpose } = host.ideal;
    if (purpose === Purpose.CALL) return this.#once(host, isRun);
    if (this.#timesLeft > 0) {
      this.#timesLeft--;
      const repeated = this.#repeated;
      const pauses = purpose === Purpose.POLL && random.chance(25);
      if (pauses) return this.#response(400, { error: "authorization_pending" });
      if (purpose === Purpose.REFRESH && random.chance(25)) return this.#response(405, {});
      const isFinal = purpose !== Purpose.CODE || repeated?.body === "" || repeated?.status === 200;
      if (repeated && isFinal) return repeated;
    } else if (random.chance(purpose === Purpose.REFRESH ? 15 : 4)) {
      this.#repeated = this.#same();
      this.#timesLeft = 2 + random.below(40);
    }
    return this.#once(host, isRun);
  }

  /** A response that a server with a lasting fault sends again and again. */
  #same(): HttpResponse {
    const random = this.random;
    const draw = random.below(100);
    const bare = { retryAfterS: -1, body: "" };
    if (draw < 35)
      return { ...bare, status: random.pick([302, 307, 401, 404, 408, 415, 425, 500, 199]) };
    if (draw < 60) return { ...bare, status: 400, body: '{"error":"invalid_grant"}' };
    if (draw < 80) return { ...bare, status: 400, body: '{"error":"new_error"}' };
    if (draw < 86) return { ...bare, status: 200, body: '{"id_token":"e30.e30.e30"}' };
    if (draw < 92) return { ...bare, status: 200 };
    return this.#refusal();
  }

  #once(host: Host, isRun: boolean): HttpResponse {
    const random = this.random;
    if (!isRun && random.chance(6)) return this.#malformed();
    const { purpose, calls } = host.ideal;
    if (purpose === Purpose.CODE) return random.chance(82) ? this.#code(host) : this.#refusal();
    if (purpose === Purpose.POLL) return this.#poll(host);
    if (purpose === Purpose.REFRESH) return this.#refresh(host);
    if (purpose === Purpose.REVOCATION) {
      if (random.chance(50)) return { status: 200, retryAfterS: -1, body: "" };
      // RFC 7009 §2.2.1: the effect depends on which of the two tokens the server rejects.
      const error = random.pick(["unsupported_token_type", "invalid_token"]);
      if (random.chance(40)) return this.#response(400, { error });
      return random.chance(30) ? this.#response(200, {}) : this.#refusal();
    }
    if (calls.kind === Kind.METADATA) return this.#metadata(host);
    if (calls.kind === Kind.EVENTS) return this.#events(host);
    return this.#resource(host);
  }

  #malformed(): HttpResponse {
    const random = this.random;
    const body = random.pick([
      ...["", "<html><body>Log in to this network</body></html>", "{", '{"error":"slow_down"'],
      ...["[]", "null", '"text"', "12", '{"a":1}}'],
      ...['{"error":""}', '{"error":0}', '{"error":["access_denied"]}', '{"error":null}'],
      '{"access_token":"x","token_type":"mac"}',
      '{"access_token":"with space","token_type":"bearer"}',
      "{".repeat(30),
      `{"a":${"[".repeat(18)}${"]".repeat(18)}}`,
    ]);
    const usual = [200, 200, 204, 302, 400, 401, 404, 415, 429, 500, 502, 503, 199, 300];
    const rare = [...WRONG, 408, 425, 410, 451, 0, 99, 600, -1, 2 ** 31 - 1];
    const status = random.pick(random.chance(85) ? usual : rare);
    return { status, retryAfterS: this.#retryAfter(), body };
  }

  #refusal(): HttpResponse {
    const random = this.random;
    if (random.chance(35)) {
      const status = random.pick([503, 500, 429, 502]);
      return { status, retryAfterS: this.#retryAfter(), body: "" };
    }
    const name = random.chance(80)
      ? random.pick(ERROR_NAMES)
      : random.pick([...UNKNOWN_ERRORS, "e".repeat(random.pick([40, 41, 60]))]);
    return this.#response(random.pick([400, 400, 401, 403, 428, 200, 500, 429]), {
      ...this.#named(name),
      ...this.#halfTokens(),
      error_description: random.chance(15) ? random.pick(DEMANDS) : undefined,
    });
  }

  /** The error as `error` or `error_code`. Sometimes the other member has a value, too. */
  #named(error: string): Members {
    const random = this.random;
    if (random.chance(70)) return { error };
    if (random.chance(50)) return { error_code: error };
    const other = random.pick<unknown>([0, "", null, false, 31, "17", "slow_down"]);
    // Sometimes a number replaces the error.
    if (random.chance(20))
      return random.chance(50)
        ? { error: 31, error_code: other }
        : { error_code: "17", error: other };
    return random.chance(50) ? { error, error_code: other } : { error_code: other, error };
  }

  #halfTokens(): Members {
    const random = this.random;
    if (random.chance(85)) return {};
    return random.pick<Members>([
      { access_token: "n/a" },
      { refresh_token: "n/a" },
      { access_token: "n/a", refresh_token: "" },
      { device_code: "other", user_code: "OTHER" },
    ]);
  }

  #code(host: Host): HttpResponse {
    const random = this.random;
    const capacity = (region: number): number => host.ideal.capacity(region);
    const uri = "https://example.com/device";
    const longUri = `https://${this.#unique("v", this.#length(capacity(Field.VERIFICATION_URI), 40))}`;
    const longest = this.#address(capacity(Field.VERIFICATION_URI));
    const name = random.pick(["verification_uri", "verification_url"]);
    return this.#response(200, {
      device_code: this.#unique(
        "dc",
        this.#length(capacity(Field.DEVICE_CODE) - host.ideal.codeRequestBytes, 30),
      ),
      user_code: random.chance(90)
        ? random.pick(["ABCD-EFGH", "1234567", "WDJB-MJHT-XXXX", "AB CD"])
        : "U".repeat(this.#length(capacity(Field.USER_CODE), 12)),
      [name]: random.chance(85) ? uri : random.pick([longUri, longUri, longest, ...ADDRESSES]),
      verification_uri_complete: random.chance(40)
        ? `${uri}?c=${"x".repeat(this.#length(capacity(Field.VERIFICATION_URI_COMPLETE) - uri.length - 3, 20))}`
        : undefined,
      expires_in: random.pick<unknown>([
        ...[1800, 1800, 900, 60, "300", 12.9, 0, 30, 7200, 1e6, undefined],
      ]),
      interval: random.pick<unknown>([
        ...[5, 5, 5, undefined, 1, 0, "7", 60, 4000, 99_930, 200_000, -3],
        ...[0.5, "7.25", "6.0", "1e1"],
      ]),
    });
  }

  /** An address with the maximum length or this device's capacity, or with one character more. */
  #address(capacity: number): string {
    const random = this.random;
    const length = random.pick([128, 129, 512, 513, capacity, capacity + 1]);
    return `https://x.test/${"v".repeat(length)}`.slice(0, length);
  }

  #tokens(host: Host, refresh: unknown): HttpResponse {
    const random = this.random;
    const { ideal } = host;
    const request = Requests.sizeOf(ideal.due.request(ideal.purpose));
    const most = [ideal.capacity(Field.ACCESS_TOKEN) - request, (ideal.sharedBytes - 21) >> 1];
    return this.#response(200, {
      ...(random.chance(30) && { refresh_token: refresh }),
      access_token: this.#unique("at", this.#length(random.pick(most), 40)),
      token_type: random.chance(98)
        ? random.pick(["Bearer", "bearer", "BEARER", undefined])
        : random.pick(["", "bearer ", "Bearers", "mac", "N_A", ["bearer"], "b".repeat(8)]),
      expires_in: random.pick<unknown>([3600, 3600, "3600", 60, 10, 600, undefined, 1e9, 90_000]),
      refresh_token: refresh,
      refresh_token_expires_in: random.chance(15)
        ? random.pick([259_300, 260_000, 604_800, 100])
        : undefined,
      scope: random.chance(50) ? random.pick<unknown>(SCOPES) : undefined,
    });
  }

  #refreshToken(host: Host): string {
    const random = this.random;
    const { ideal } = host;
    if (random.chance(90)) return this.#unique("rt", this.#length(ideal.sharedBytes >> 2, 40));
    // About the longest refresh token with which the next refresh fits, if the access token has at most 43 bytes.
    const request = Requests.sizeOf(ideal.requests.refresh(""));
    const third = Math.floor((ideal.sharedBytes - request) / 3) - random.below(20);
    return this.#unique("rt", 0).padEnd(third, "r");
  }

  #poll(host: Host): HttpResponse {
    const random = this.random;
    const draw = random.below(100);
    if (draw < 34) {
      return this.#response(random.pick([428, 400, 403, 200]), {
        error: "authorization_pending",
        ...this.#halfTokens(),
      });
    }
    if (draw < 44) {
      const interval = random.pick([undefined, undefined, 10, 30, 10.5, 5000, 100_000]);
      return this.#response(400, { error: "slow_down", interval });
    }
    if (draw < 86)
      return this.#tokens(host, random.chance(88) ? this.#refreshToken(host) : undefined);
    return this.#refusal();
  }

  #refresh(host: Host): HttpResponse {
    const random = this.random;
    const draw = random.below(100);
    if (draw < 12) return this.#response(400, { error: "invalid_grant", ...this.#halfTokens() });
    if (draw < 30) return this.#refusal();
    const { refreshToken, previousToken } = host.ideal;
    const next = random.below(100);
    if (next < 45) return this.#tokens(host, undefined);
    if (next < 85) return this.#tokens(host, this.#refreshToken(host));
    return this.#tokens(host, random.pick<unknown>([refreshToken, previousToken, "", null]));
  }

  #metadata(host: Host): HttpResponse {
    const random = this.random;
    if (random.chance(15)) return this.#refusal();
    const issuer = host.ideal.calls.issuerRequested;
    const capacity = Math.floor(host.ideal.capacity(Region.OUTPUT) / 4) - 1;
    const address = (path: string): string =>
      random.pick([
        `${issuer}/${path}`,
        `${issuer}/${path}`,
        `https://a.example/${path}`,
        "http://localhost:8080/x",
        "http://localhost.evil.example/",
        "https://user@evil.example/",
        "http://plain.example/",
        `https://${"l".repeat(Math.max(1, this.#length(capacity - 8, 20)))}`,
      ]);
    const right = (path: string): string =>
      random.chance(80) ? `${issuer}/${path}` : address(path);
    const entries: [string, unknown][] = [
      ["issuer", random.chance(90) ? issuer : "https://other.example"],
      ["device_authorization_endpoint", random.chance(95) ? right("device") : undefined],
      ["token_endpoint", right("token")],
      ["revocation_endpoint", random.chance(60) ? right("revoke") : undefined],
      ["grant_types_supported", ["a", "b"]],
      ["mtls_endpoint_aliases", { token_endpoint: "https://mtls.example/" }],
    ];
    for (let i = entries.length - 1; i > 0; i--) {
      const other = random.below(i + 1);
      [entries[i], entries[other]] = [entries[other]!, entries[i]!];
    }
    return this.#response(200, Object.fromEntries(entries));
  }

  #resource(host: Host): HttpResponse {
    const random = this.random;
    const draw = random.below(100);
    if (draw < 15) {
      const error = { code: 401, message: "Invalid", status: "X" };
      const refusal = this.#response(401, { error });
      return random.chance(70) ? refusal : { ...refusal, challenge: random.pick(CHALLENGES) };
    }
    if (draw < 30) {
      const reason = random.pick(["quotaExceeded", "r".repeat(random.pick([1, 60]))]);
      return this.#response(random.pick([403, 400, 404, 409]), {
        error: {
          code: 403,
          message: random.pick(["Not allowed", "m".repeat(random.pick([95, 96, 97, 300]))]),
          errors: [{ domain: "global", reason, message: "inner" }],
          status: random.pick(["PERMISSION_DENIED", undefined]),
        },
        status: random.pick([undefined, undefined, 403, "403", "OTHER"]),
      });
    }
    if (draw < 40) return this.#refusal();
    if (draw < 45) return { status: 204, retryAfterS: -1, body: "" };
    if (draw < 48) {
      const pages = ['{"nextPageToken":"p"', '{"nextPageToken":"p"}x'];
      const body = random.pick(["<p>A page</p>", "text", ...pages]);
      return { status: random.pick([200, 201]), retryAfterS: -1, body };
    }
    if (host.ideal.calls.kind === Kind.OFFER) {
      return this.#response(200, { state: random.pick(["DRAFT", "DRAFT", "ACTIVE", undefined]) });
    }
    const length = random.chance(90) ? this.#length(60, 12) : random.pick([300, 400, 5000]);
    return this.#response(200, {
      items: random.pick<unknown>([[], [{ id: "a", nextPageToken: "nested" }], "none"]),
      nextPageToken: random.chance(65)
        ? this.#unique("p", length)
        : random.pick([undefined, "", "p/ +&"]),
    });
  }

  #events(host: Host): HttpResponse {
    const random = this.random;
    const chance = (percent: number): boolean => !this.isRunOfEvents && random.chance(percent);
    if (chance(10)) return this.#refusal();
    if (chance(20)) {
      const wrong = ["x".repeat(random.pick([9, 2000])), [], 7, null];
      return this.#response(200, { sets: random.pick<unknown>([{}, {}, {}, ...wrong]) });
    }
    const id = this.#eventId();
    const claims = chance(6) ? random.pick(["{}", "no", '{"jti":7']) : this.claims(host, id);
    let payload = Buffer.from(claims).toString("base64url");
    // Replaces one character by an ASCII neighbour of the base64url alphabet, which is invalid.
    if (chance(6)) {
      const at = random.below(payload.length);
      payload = payload.slice(0, at) + random.pick([..."*+/:=@[`{"]) + payload.slice(at + 1);
    }
    const set = chance(4) ? `x.${payload}` : `eyJhbGciOiJSUzI1NiJ9.${payload}.c2ln`;
    return this.#response(200, {
      moreAvailable: random.pick([true, false, undefined]),
      // Some servers send several events, although the device requests only one.
      sets: { ...(chance(10) && { other: random.pick(["a", set, 7]) }), [id]: set },
    });
  }

  #eventId(): string {
    const random = this.random;
    const eventIds = this.#eventIds;
    const before = random.chance(40) ? eventIds.at(-random.pick([1, 1, 2, 7, 8, 9])) : undefined;
    const id =
      before ??
      random.pick(["e1", `jti-${this.#serial++}`, `jti-${this.#serial++}`, 'é"\\\n', ">>>???"]);
    if (eventIds.includes(id)) eventIds.splice(eventIds.indexOf(id), 1);
    eventIds.push(id);
    return id;
  }

  claims(host: Host, id: string): string {
    const random = this.random;
    const { refreshToken, accessToken } = host.ideal;
    const token = (random.chance(50) ? refreshToken : accessToken) ?? "none";
    const subject = random.pick<Members>([
      {},
      { token_identifier_alg: "prefix", token: token.slice(0, 6) },
      { token_identifier_alg: "prefix", token: "zzz" },
      { token_identifier_alg: "hash_SHA512_double", token: "aGFzaA" },
    ]);
    const isEarly = this.isRunOfEvents && host.ideal.calls.pollsLeft > 1;
    const type = isEarly ? "risc/event-type/verification" : random.pick(EVENT_TYPES);
    return JSON.stringify({
      iss: "https://auth.test",
      jti: id,
      aud: ["client"],
      events: {
        [`https://schemas.openid.net/secevent/${type}`]: { subject: { ...subject, jti: "inner" } },
      },
    });
  }

  handedIn(host: Host): string {
    const random = this.random;
    const id = random.pick(["e1", "e2", "h1", `hand-${this.#serial++}`]);
    if (random.chance(90)) return this.claims(host, id);
    const capacity = Math.floor(host.ideal.capacity(Region.OUTPUT) / 2);
    return random.pick([
      "{}",
      "x",
      this.claims(host, "i".repeat(capacity)),
      this.claims(host, "i".repeat(capacity + 1)),
    ]);
  }
}
