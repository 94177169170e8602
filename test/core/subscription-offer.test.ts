// The offer document row by row, as the device sees it. Complete build only.

import { describe, expect, it } from "vitest";
import { ErrorCode, Field, OfferError, State } from "../../core/complete.ts";
import { bytesOf } from "../../platform/text.ts";
import { outcome, type Port, type Reaction, session } from "../world/core-port.ts";
import { json } from "../world/world.ts";

const NAMES = ["test.picogrant.player", "premium", "monthly", "intro-1", "2022/02"];
const BODY = {
  packageName: NAMES[0],
  productId: NAMES[1],
  basePlanId: NAMES[2],
  offerId: NAMES[3],
};

/** Asks for an offer; what createOffer says. */
function offer(bench: Port, names: string[] = NAMES, body: unknown = BODY): OfferError {
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
    expect(bench.sent[0]).toMatchObject({
      endpoint: 6,
      method: "POST",
      authorization: "Bearer access",
    });
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
    expect(bench.sent[0]!.text).toBe(body);
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
    [0, "a/b"],
    [1, "a-b"],
    [1, "Premium"],
    [2, "a_b"],
    [3, "-a"],
    [3, "a.b"],
    [4, "2022 02"],
  ])("offer doc §2: name %i as %s breaks its format", (which, value) => {
    expect(offer(session(), withName(which, value))).toBe(missing[which]![2]);
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

  it.each(["ACTIVE", "INACTIVE", "draft", "", undefined, 1, "DRAFTED"])(
    "offer doc §2 row state: %j after creation is an error of its own",
    (state) => {
      const bench = session([made({ state })]);
      offer(bench);
      bench.pass(0);
      expect(outcome(bench)).toEqual({ error: ErrorCode.UNEXPECTED_STATE, status: 200 });
    },
  );

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

  it("offer doc §5 row the scope publisher: a missing one (403) is told, and ends no session", () => {
    const bench = session([json(403, { error: { code: 403, status: "PERMISSION_DENIED" } })]);
    offer(bench);
    bench.pass(5000);
    expect(outcome(bench).status).toBe(403);
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it.each<Reaction>([
    "refuse",
    json(409, { error: { status: "ALREADY_EXISTS" } }),
    { status: 500, body: "" },
  ])("offer doc §7 row errors: whatever the refusal %j, the offer is not sent twice", (answer) => {
    const bench = session([answer]);
    offer(bench);
    bench.pass(600_000);
    expect(bench.sent).toHaveLength(1);
    expect(outcome(bench).error).not.toBe(0);
  });

  it("offer doc §9 row the path carries v3: so it goes out", () => {
    const bench = session([made()]);
    offer(bench);
    bench.pass(0);
    expect(bench.sent[0]!.target.startsWith("/publisher/v3/")).toBe(true);
  });
});
