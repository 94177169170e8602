// The offer document row by row, as the device sees it. Complete build only.

import { describe, expect, it } from "vitest";
import { ErrorCode, Field, OfferError, Region, State } from "../../core/complete.ts";
import {
  Bench,
  bytesOf,
  code,
  json,
  outcome,
  publicState,
  type Reaction,
  SECOND_RESOURCE,
  session,
  tokens,
} from "./bench.ts";

const NAMES = ["test.picogrant.player", "premium", "monthly", "intro-1", "2022/02"];
const BODY = {
  packageName: NAMES[0],
  productId: NAMES[1],
  basePlanId: NAMES[2],
  offerId: NAMES[3],
};

/** Asks for an offer; what createOffer says. */
function offer(bench: Bench, names: string[] = NAMES, body: unknown = BODY): OfferError {
  const lines = bytesOf(names.join("\n"));
  const text = bytesOf(typeof body === "string" ? body : JSON.stringify(body));
  return bench.core.createOffer(bench.device, lines, 0, lines.length, text, 0, text.length);
}
const made = (members: object = {}): Reaction => json(200, { ...BODY, state: "DRAFT", ...members });
/** The five names with one of them changed. */
const withName = (which: number, value: string): string[] =>
  NAMES.map((name, i) => (i === which ? value : name));

describe("offer doc", () => {
  it("offer doc §4 row method and path: POST with the bearer token, segments in their places", () => {
    const bench = session([made()]);
    expect(offer(bench)).toBe(OfferError.NONE);
    bench.pass(0);
    expect(bench.sent[0]).toMatchObject({ endpoint: SECOND_RESOURCE, isGet: 0, bearer: "access" });
    expect(bench.sent[0]!.target).toBe(
      "/publisher/v3/applications/test.picogrant.player/subscriptions/premium/basePlans/monthly" +
        "/offers?offerId=intro-1&regionsVersion.version=2022%2F02",
    );
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
  });

  it("offer doc §4 row request body: one SubscriptionOffer, byte for byte", () => {
    const bench = session([made()]);
    const body = JSON.stringify({ phases: [{ duration: "P1M" }], ...BODY, note: "é€" }, null, 2);
    expect(offer(bench, NAMES, body)).toBe(OfferError.NONE);
    bench.pass(0);
    expect(bench.sent[0]!.body).toBe(body);
  });

  it("offer doc §4 row packageName: a name in the body is compared whole, however little room there is", () => {
    const bench = new Bench([code(), tokens()], { memoryBytes: 4096 });
    bench.until(2);
    // A name has a quarter of OUTPUT, of which one byte stays free.
    const room = Math.floor(bench.device.capacity[Region.OUTPUT]! / 4) - 1;
    for (const length of [40, room - 1, room, room + 1, 255]) {
      const name = `a.${"b".repeat(length - 3)}`;
      const body = { ...BODY, packageName: `${name}c` };
      const error = length <= room ? OfferError.BODY_PACKAGE_NAME : OfferError.TOO_LONG;
      expect(offer(bench, withName(0, name), body), String(length)).toBe(error);
    }
  });

  it("offer doc §4 row response body: the offer's own members are taken for no error", () => {
    const bench = session([made({ error: "none", message: "text", reason: "x" })]);
    offer(bench);
    bench.pass(0);
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
  });

  const missing: [string, number, OfferError][] = [
    ["packageName", 0, OfferError.PACKAGE_NAME],
    ["productId", 1, OfferError.PRODUCT_ID],
    ["basePlanId", 2, OfferError.BASE_PLAN_ID],
    ["offerId", 3, OfferError.OFFER_ID],
    ["regionsVersion", 4, OfferError.REGIONS_VERSION],
  ];
  it.each(missing)(
    "offer doc §4 row %s: required, checked before anything is sent",
    (_, which, number) => {
      const bench = session();
      expect(offer(bench, withName(which, ""))).toBe(number);
      expect(offer(bench, NAMES.slice(0, which))).toBe(number);
      bench.pass(1000);
      expect(bench.sent).toHaveLength(0);
    },
  );

  it.each([
    [0, "a b", OfferError.PACKAGE_NAME],
    [0, "a/b", OfferError.PACKAGE_NAME],
    [0, "x".repeat(256), OfferError.PACKAGE_NAME],
    [1, "Premium", OfferError.PRODUCT_ID],
    [1, "a-b", OfferError.PRODUCT_ID],
    [1, "x".repeat(41), OfferError.PRODUCT_ID],
    [2, "a_b", OfferError.BASE_PLAN_ID],
    [2, "x".repeat(64), OfferError.BASE_PLAN_ID],
    [3, "-a", OfferError.OFFER_ID],
    [3, "A", OfferError.OFFER_ID],
    [3, "a.b", OfferError.OFFER_ID],
    [3, "x".repeat(64), OfferError.OFFER_ID],
    [4, "2022 02", OfferError.REGIONS_VERSION],
  ])("offer doc §2: name %i as %s breaks its format", (which, value, number) => {
    const bench = session();
    expect(offer(bench, withName(which, value))).toBe(number);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(0);
  });

  it.each([
    [1, "x".repeat(40)],
    [2, "-"],
    [3, "0"],
    [3, "a--1"],
  ])("offer doc §2: name %i as %s is well formed", (which, value) => {
    const names = withName(which, value);
    const bench = session([made()]);
    const body = {
      packageName: names[0],
      productId: names[1],
      basePlanId: names[2],
      offerId: names[3],
    };
    expect(offer(bench, names, body)).toBe(OfferError.NONE);
  });

  const parents: [string, OfferError][] = [
    ["packageName", OfferError.BODY_PACKAGE_NAME],
    ["productId", OfferError.BODY_PRODUCT_ID],
    ["basePlanId", OfferError.BODY_BASE_PLAN_ID],
  ];
  it.each(parents)("offer doc §2 row %s: the body's must equal the address's", (member, number) => {
    const bench = session();
    expect(offer(bench, NAMES, { ...BODY, [member]: "other" })).toBe(number);
    expect(offer(bench, NAMES, { ...BODY, [member]: undefined })).toBe(number);
    expect(
      offer(bench, NAMES, { ...BODY, [member]: `${BODY[member as keyof typeof BODY]}x` }),
    ).toBe(number);
    // A nested one does not count.
    const nested = { ...BODY, [member]: undefined, phases: [{ [member]: "x" }] };
    expect(offer(bench, NAMES, nested)).toBe(number);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(0);
  });

  it("offer doc §2 row offerId: the query supplies it; a body that has one must have the same", () => {
    for (const offerId of ["other", `${BODY.offerId}x`, ""]) {
      expect(offer(session(), NAMES, { ...BODY, offerId })).toBe(OfferError.BODY_OFFER_ID);
    }
    const bench = session([made()]);
    expect(offer(bench, NAMES, { ...BODY, offerId: undefined })).toBe(OfferError.NONE);
    bench.pass(1000);
    expect(bench.sent[0]!.target).toContain("/offers?offerId=intro-1&");
    expect(outcome(bench)).toEqual({ error: ErrorCode.NONE, status: 200 });
  });

  it.each(["", "{", `${JSON.stringify(BODY)} x`, `x ${JSON.stringify(BODY)}`])(
    "offer doc §4 row request body: %j is no JSON",
    (body) => {
      expect(offer(session(), NAMES, body)).toBe(OfferError.BODY);
    },
  );

  it.each(["[]", "null", '"x"', "[{}]", "{}"])(
    "offer doc §4 row request body: %j has no identifiers",
    (body) => {
      expect(offer(session(), NAMES, body)).toBe(OfferError.BODY_PACKAGE_NAME);
    },
  );

  it("offer doc §4: NOT_NOW without a session, and while another call is under way", () => {
    const nobody = new Bench([code()]);
    nobody.until(1);
    expect(offer(nobody)).toBe(OfferError.NOT_NOW);
    const bench = session(["hang"]);
    expect(offer(bench)).toBe(OfferError.NONE);
    expect(offer(bench)).toBe(OfferError.NOT_NOW);
    bench.pass(0);
    expect(offer(bench)).toBe(OfferError.NOT_NOW);
  });

  it("offer doc §4: TOO_LONG where the address does not fit, and nothing is sent cut", () => {
    const bench = session();
    expect(
      offer(
        bench,
        withName(4, "9".repeat(63)).map((name, i) => (i ? name : "x".repeat(250))),
      ),
    ).toBe(OfferError.TOO_LONG);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(0);
  });

  it.each(["ACTIVE", "INACTIVE", "draft", "", undefined, 1, "DRAFTED"])(
    "offer doc §2 row state: %j after creation is an error of its own",
    (state) => {
      const bench = session([made({ state })]);
      offer(bench);
      bench.pass(0);
      expect(outcome(bench)).toEqual({ error: ErrorCode.UNEXPECTED_STATE, status: 200 });
    },
  );

  it("offer doc §2 row state: that of something within the offer is not the offer's", () => {
    for (const [state, number] of [
      ["DRAFT", ErrorCode.NONE],
      ["ACTIVE", ErrorCode.UNEXPECTED_STATE],
      [undefined, ErrorCode.UNEXPECTED_STATE],
    ] as const) {
      for (const within of ["ACTIVE", "DRAFT"]) {
        const bench = session([
          made({ state, phases: [{ state: within }], of: { state: within } }),
        ]);
        offer(bench);
        bench.pass(0);
        expect(outcome(bench).error).toBe(number);
      }
    }
  });

  it("offer doc §3 row create offer: DRAFT is the success, and nothing more is sent", () => {
    const bench = session([made()]);
    offer(bench);
    bench.pass(600_000);
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
    expect(bench.sent).toHaveLength(1);
  });

  it("offer doc §1 row auto-renewing base plans only: the service refuses others, and its reason is told", () => {
    const message = "Offers need an auto-renewing base plan.";
    const refusal = json(400, { error: { code: 400, message, status: "FAILED_PRECONDITION" } });
    const bench = session([refusal]);
    offer(bench);
    bench.pass(0);
    expect(outcome(bench)).toEqual({ error: ErrorCode.UNKNOWN_ERROR, status: 400 });
    expect(bench.text(Field.VALUE_A)).toBe("FAILED_PRECONDITION");
    expect(bench.text(Field.VALUE_C)).toBe(message);
  });

  it("offer doc §5: a dead token is renewed and the offer sent again, once", () => {
    const bench = session([json(401, {}), tokens({ access_token: "second" }), made()]);
    offer(bench);
    bench.pass(5000);
    const posts = bench.sent.filter(({ endpoint }) => endpoint === SECOND_RESOURCE);
    expect(posts.map(({ bearer }) => bearer)).toEqual(["access", "second"]);
    expect(posts[1]!.body).toBe(JSON.stringify(BODY));
    expect(outcome(bench).error).toBe(0);
  });

  it("offer doc §5 row the scope publisher: a missing one (403) is told, and ends no session", () => {
    const bench = session([json(403, { error: { code: 403, status: "PERMISSION_DENIED" } })]);
    offer(bench);
    bench.pass(5000);
    expect(outcome(bench).status).toBe(403);
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it.each([null, json(409, { error: { status: "ALREADY_EXISTS" } }), { status: 500, body: "" }])(
    "offer doc §7 row errors: whatever the refusal %j, the offer is not sent twice",
    (answer) => {
      const bench = session([answer]);
      offer(bench);
      bench.pass(600_000);
      expect(bench.sent).toHaveLength(1);
      expect(outcome(bench).error).not.toBe(0);
    },
  );

  it("offer doc §9 row the path carries v3: so it goes out", () => {
    const bench = session([made()]);
    offer(bench);
    bench.pass(0);
    expect(bench.sent[0]!.target.startsWith("/publisher/v3/")).toBe(true);
  });
});

/** The five names' formats as the document words them. */
const FORMATS = [
  /^[A-Za-z0-9._]{1,255}$/,
  /^[a-z0-9._]{1,40}$/,
  /^[a-z0-9-]{1,63}$/,
  /^[a-z0-9][a-z0-9-]{0,62}$/,
  /^[!-~]{1,63}$/,
];
const MISTAKES = [
  OfferError.PACKAGE_NAME,
  OfferError.PRODUCT_ID,
  OfferError.BASE_PLAN_ID,
  OfferError.OFFER_ID,
  OfferError.REGIONS_VERSION,
];
const bodyOf = ([packageName, productId, basePlanId, offerId]: readonly string[]): object => ({
  packageName,
  productId,
  basePlanId,
  offerId,
});

describe("offer doc §2: the formats, character by character", () => {
  it.each([0, 1, 2, 3, 4])("offer doc §2: name %i, each ASCII character at each end", (which) => {
    const bench = session();
    for (let c = 0; c < 128; c++) {
      // A line each.
      if (c === 10) continue;
      const character = String.fromCharCode(c);
      for (const value of [character, `${character}a`, `a${character}`]) {
        const names = withName(which, value);
        const expected = FORMATS[which]!.test(value) ? OfferError.NONE : MISTAKES[which];
        const said = offer(bench, names, bodyOf(names));
        if (said !== expected) expect([value, said]).toEqual([value, expected]);
        if (said !== OfferError.NONE) continue;
        bench.answers = [made()];
        bench.run(0);
      }
    }
  });

  it.each([
    [0, 255],
    [1, 40],
    [2, 63],
    [3, 63],
    [4, 63],
  ])("offer doc §2: name %i has at most %i characters", (which, longest) => {
    const value = "a".repeat(longest);
    const names = ["p", "s", "b", "o", "v"].map((name, i) => (i === which ? value : name));
    // The longest package name fills the room for the address.
    const fits = which === 0 ? OfferError.TOO_LONG : OfferError.NONE;
    expect(offer(session([made()]), names, bodyOf(names))).toBe(fits);
    names[which] = `${value}a`;
    expect(offer(session(), names, bodyOf(names))).toBe(MISTAKES[which]);
  });

  it("offer doc §4 row regionsVersion: encoded as a query's value", () => {
    const bench = session([made()]);
    offer(bench, withName(4, "a*b~c d".replace(" ", "/")));
    bench.pass(0);
    expect(bench.sent[0]!.target).toMatch(/&regionsVersion\.version=a\*b%7Ec%2Fd$/);
  });

  it("offer doc §4: an address may fill its room to the last byte, and no more", () => {
    const room = session().device.capacity[Region.CALL]!;
    const rest = (names: string[]): number => {
      const bench = session([made()]);
      expect(offer(bench, names, bodyOf(names))).toBe(OfferError.NONE);
      bench.pass(0);
      return room - bench.sent[0]!.target.length;
    };
    const names = withName(0, "p");
    names[0] = "p".repeat(1 + rest(names));
    expect(rest(names)).toBe(0);
    names[0] += "p";
    expect(offer(session(), names, bodyOf(names))).toBe(OfferError.TOO_LONG);
  });

  const parts = ["packageName", "productId", "basePlanId", "offerId"] as const;
  it.each(parts)("offer doc §2 row %s: the body's is compared to the last character", (member) => {
    const right = BODY[member]!;
    for (const at of [0, right.length - 1]) {
      const wrong = `${right.slice(0, at)}z${right.slice(at + 1)}`;
      const number = OfferError.BODY_PACKAGE_NAME + parts.indexOf(member);
      expect(offer(session(), NAMES, { ...BODY, [member]: wrong })).toBe(number);
    }
  });
});

describe("offer doc §4: not while the memory is in use", () => {
  it("offer doc §4: NOT_NOW while a request of the grant is under way", () => {
    const bench = session(["hang"]);
    bench.until(1);
    expect(bench.device.state).toBe(State.REFRESHING);
    const before = publicState(bench);
    expect(offer(bench)).toBe(OfferError.NOT_NOW);
    expect(publicState(bench)).toEqual(before);
    bench.give(bench.sent[0]!.id, tokens());
    bench.run(0);
    expect(offer(bench)).toBe(OfferError.NONE);
  });

  it("offer doc §4: NOT_NOW while a record is being written", () => {
    const bench = new Bench([code(), tokens()]);
    bench.until(1);
    bench.storageHangs = true;
    bench.until(2);
    bench.run(0);
    const before = publicState(bench);
    expect(offer(bench)).toBe(OfferError.NOT_NOW);
    expect(publicState(bench)).toEqual(before);
    bench.core.storageDone(bench.device, 1);
    bench.run(0);
    expect(offer(bench)).toBe(OfferError.NONE);
  });
});
