// The offer document row by row, as the device sees it. Complete build only.

import { describe, expect, it } from "vitest";
import { ErrorCode, Field, OfferError, State } from "../../core/complete.ts";
import { Bench, code, json, type Reaction, tokens } from "./bench.ts";
import { bytesOf, outcome, PUBLISHER_API, session } from "./session.ts";

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
    expect(bench.sent[0]).toMatchObject({ endpoint: PUBLISHER_API, isGet: 0, bearer: "access" });
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
    ["offerId", OfferError.BODY_OFFER_ID],
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

  it.each(["", "{", `${JSON.stringify(BODY)} x`])(
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

  it("offer doc §4: NOT_NOW without a session, and while another errand is under way", () => {
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

  it("offer doc §3 row (none), Create offer: DRAFT is the success, and nothing more is sent", () => {
    const bench = session([made()]);
    offer(bench);
    bench.pass(600_000);
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
    expect(bench.sent).toHaveLength(1);
  });

  it("offer doc §1: a base plan that cannot have offers is refused by the service; its reason is told", () => {
    const message = "Offers need an auto-renewing base plan.";
    const refusal = json(400, { error: { code: 400, message, status: "FAILED_PRECONDITION" } });
    const bench = session([refusal]);
    offer(bench);
    bench.pass(0);
    expect(outcome(bench)).toEqual({ error: ErrorCode.UNKNOWN_ERROR, status: 400 });
    expect(bench.text(Field.ERROR)).toBe("FAILED_PRECONDITION");
    expect(bench.text(Field.MESSAGE)).toBe(message);
  });

  it("offer doc §5: a dead token is renewed and the offer sent again, once", () => {
    const bench = session([json(401, {}), tokens({ access_token: "second" }), made()]);
    offer(bench);
    bench.pass(5000);
    const posts = bench.sent.filter(({ endpoint }) => endpoint === PUBLISHER_API);
    expect(posts.map(({ bearer }) => bearer)).toEqual(["access", "second"]);
    expect(posts[1]!.body).toBe(JSON.stringify(BODY));
    expect(outcome(bench).error).toBe(0);
  });

  it("offer doc §5: a missing scope (403) is told, and ends no session", () => {
    const bench = session([json(403, { error: { code: 403, status: "PERMISSION_DENIED" } })]);
    offer(bench);
    bench.pass(5000);
    expect(outcome(bench).status).toBe(403);
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it.each([null, json(409, { error: { status: "ALREADY_EXISTS" } }), { status: 500, body: "" }])(
    "offer doc §7: whatever the refusal %j, the offer is not sent twice",
    (answer) => {
      const bench = session([answer]);
      offer(bench);
      bench.pass(600_000);
      expect(bench.sent).toHaveLength(1);
      expect(outcome(bench).error).not.toBe(0);
    },
  );

  it("offer doc §9: the path carries the version v3", () => {
    const bench = session([made()]);
    offer(bench);
    bench.pass(0);
    expect(bench.sent[0]!.target.startsWith("/publisher/v3/")).toBe(true);
  });
});
