// Tests the device against the subscription offer specification, row by row.

import { expect, it } from "vitest";
import { ErrorCode, Field, OfferError, State } from "../../core/complete.ts";
import { bytesOf } from "../../platform/text/text.ts";
import { outcome, type Port, type Reaction, session } from "../environment/core-port.ts";
import { json } from "../environment/environment.ts";

const NAMES = ["test.picogrant.player", "premium", "monthly", "intro-1", "2022/02"];
const BODY = {
  packageName: NAMES[0],
  productId: NAMES[1],
  basePlanId: NAMES[2],
  offerId: NAMES[3],
};

function offer(bench: Port, names: string[] = NAMES, body: unknown = BODY): OfferError {
  const lines = bytesOf(names.join("\n"));
  const text = bytesOf(typeof body === "string" ? body : JSON.stringify(body));
  return bench.core.createOffer(bench.device, lines, 0, lines.length, text, 0, text.length);
}
const made = (members: object = {}): Reaction => json(200, { ...BODY, state: "DRAFT", ...members });
const withName = (which: number, value: string): string[] =>
  NAMES.map((name, i) => (i === which ? value : name));

const FIELDS = ["packageName", "productId", "basePlanId", "offerId", "regionsVersion"];
const PARENTS = [
  OfferError.BODY_PACKAGE_NAME,
  OfferError.BODY_PRODUCT_ID,
  OfferError.BODY_BASE_PLAN_ID,
];
type Refused = [row: string, number: OfferError, names: string[], body: object];

it.each<Refused>([
  ...FIELDS.flatMap((row, which): Refused[] => [
    [`§4 row ${row}: required`, which + 1, withName(which, ""), BODY],
    [`§4 row ${row}: required`, which + 1, NAMES.slice(0, which), BODY],
  ]),
  ...(
    [
      [0, "a/b"],
      [1, "a-b"],
      [1, "Premium"],
      [2, "a_b"],
      [3, "-a"],
      [3, "a.b"],
      [4, "2022 02"],
    ] as const
  ).map(
    ([which, value]): Refused => [
      `§2: ${FIELDS[which]} as ${value} breaks its format`,
      which + 1,
      withName(which, value),
      BODY,
    ],
  ),
  ...PARENTS.flatMap((number, which) =>
    ["other", undefined, `${NAMES[which]}x`].map(
      (value): Refused => [
        `§2 row ${FIELDS[which]}: the body's must equal the address's, not ${value}`,
        number,
        NAMES,
        { ...BODY, [FIELDS[which]!]: value, phases: [{ [FIELDS[which]!]: NAMES[which] }] },
      ],
    ),
  ),
  ...["other", `${BODY.offerId}x`, ""].map(
    (offerId): Refused => [
      `§2 row offerId: a body that has one must have the same, not ${offerId}`,
      OfferError.BODY_OFFER_ID,
      NAMES,
      { ...BODY, offerId },
    ],
  ),
])("offer doc %s; that is checked before anything is sent", (_, number, names, body) => {
  const bench = session();
  expect(OfferError[offer(bench, names, body)]).toBe(OfferError[number]);
  bench.pass(1000);
  expect(bench.sent).toHaveLength(0);
});

const PLAN = "Offers need an auto-renewing base plan.";
const refusal = (status: number, name: string, message = ""): Reaction =>
  json(status, { error: { code: status, message, status: name } });

it.each<[row: string, response: Reaction, error: ErrorCode, status: number, reported?: string[]]>([
  ["§3 row create offer: DRAFT is the success", made(), ErrorCode.NONE, 200],
  [
    "§4 row response body: the offer's own members are taken for no error",
    made({ error: "none", message: "text", reason: "x" }),
    ErrorCode.NONE,
    200,
  ],
  ...["ACTIVE", "INACTIVE", "draft", "", undefined, 1, "DRAFTED"].map(
    (state): [string, Reaction, ErrorCode, number] => [
      `§2 row state: ${JSON.stringify(state)} after creation is an error of its own`,
      made({ state }),
      ErrorCode.UNEXPECTED_STATE,
      200,
    ],
  ),
  [
    "§1 row auto-renewing base plans only: the service refuses others, and the device reports its reason",
    refusal(400, "FAILED_PRECONDITION", PLAN),
    ErrorCode.UNKNOWN_ERROR,
    400,
    ["FAILED_PRECONDITION", PLAN],
  ],
  [
    "§5 row the scope publisher: the device reports a missing one",
    refusal(403, "PERMISSION_DENIED"),
    ErrorCode.UNKNOWN_ERROR,
    403,
  ],
  [
    "§7 row errors: one that is there",
    refusal(409, "ALREADY_EXISTS"),
    ErrorCode.UNKNOWN_ERROR,
    409,
  ],
  ["§7 row errors: of the server's", { status: 500 }, ErrorCode.UNAVAILABLE, 500],
  ["§7 row errors: no response", "refuse", ErrorCode.UNREACHABLE, 0],
])(
  "offer doc %s; the offer is not sent twice, and the session stays",
  (_, response, error, status, reported) => {
    const bench = session([response]);
    expect(offer(bench)).toBe(OfferError.NONE);
    bench.pass(600_000);
    expect(bench.sent).toHaveLength(1);
    expect(outcome(bench)).toEqual({ error, status });
    expect(bench.device.state).toBe(State.SIGNED_IN);
    if (reported)
      expect([Field.VALUE_A, Field.VALUE_C].map((at) => bench.text(at))).toEqual(reported);
  },
);

it("offer doc §4 row method and path and row request body: offer doc §9 row the path carries v3: each segment is in its place, and the body is sent unchanged", () => {
  const bench = session([made()]);
  // The query contains the offer's name, so the body does not need it.
  const own = { ...BODY, offerId: undefined, phases: [{ duration: "P1M" }], note: "é€" };
  const body = JSON.stringify(own, null, 2);
  expect(offer(bench, NAMES, body)).toBe(OfferError.NONE);
  bench.pass(0);
  expect(bench.sent[0]).toMatchObject({
    ...{ endpoint: 6, method: "POST", authorization: "Bearer access", text: body },
    target:
      "/publisher/v3/applications/test.picogrant.player/subscriptions/premium/basePlans/monthly" +
      "/offers?offerId=intro-1&regionsVersion.version=2022%2F02",
  });
  expect(outcome(bench)).toEqual({ error: ErrorCode.NONE, status: 200 });
});
