// Subscription offers beyond the rows of their document (offer-rows.test.ts): what the fields may hold, pages, and what else
// real publishing APIs have.
import { describe, expect, test } from "vitest";
import { type Answer, Bench, PUBLISHER, PUBLISHER_CLIENT } from "./harness.ts";

const APP = "/publisher/v3/applications/test.picogrant.player";
const MONTHLY = `${APP}/subscriptions/premium/basePlans/monthly/offers`;
const VERSION = "regionsVersion.version=2022%2F02";
const IDS = { packageName: "test.picogrant.player", productId: "premium", basePlanId: "monthly" };
const MONEY = { currencyCode: "EUR", units: "1", nanos: 990_000_000 };
const PHASE = {
  duration: "P1M",
  recurrenceCount: 1,
  regionalConfigs: [{ regionCode: "DE", price: MONEY }],
};
const FULL = {
  ...IDS,
  offerId: "intro",
  phases: [
    {
      duration: "P7D",
      recurrenceCount: 1,
      regionalConfigs: [{ regionCode: "DE", free: {} }],
      otherRegionsConfig: { free: {} },
    },
    {
      duration: "P3M",
      recurrenceCount: 2,
      regionalConfigs: [
        { regionCode: "DE", relativeDiscount: 0.5 },
        { regionCode: "FR", absoluteDiscount: MONEY },
      ],
      otherRegionsConfig: {
        otherRegionsPrices: { usdPrice: { ...MONEY, currencyCode: "USD" }, eurPrice: MONEY },
      },
    },
  ],
  regionalConfigs: [{ regionCode: "DE", newSubscriberAvailability: true }],
  otherRegionsConfig: { otherRegionsNewSubscriberAvailability: false },
  targeting: { acquisitionRule: { scope: { thisSubscription: {} } } },
  offerTags: [{ tag: "summer" }, { tag: "a-1" }],
};

class Publisher {
  readonly bench: Bench;
  readonly token: unknown;

  constructor(how: { account?: string; scope?: string; options?: object } = {}) {
    this.bench = new Bench(how.options);
    const { account = "ada", scope = PUBLISHER } = how;
    this.token = this.bench.signIn({ account, scope, client: PUBLISHER_CLIENT }).access_token;
  }

  send(method: string, target: string, body?: unknown): Answer {
    const headers = { authorization: `Bearer ${this.token}`, "content-type": "application/json" };
    const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);
    return this.bench.send(method, target, text, headers);
  }

  create(body: unknown = IDS, offerId = "intro", version = VERSION): Answer {
    return this.send("POST", `${MONTHLY}?offerId=${encodeURIComponent(offerId)}&${version}`, body);
  }
}

const status = (answer: Answer) => (answer.json.error as { status: string }).status;

describe("offer doc §2 and §4 beyond the rows", () => {
  test("offer doc §2: every field of a full offer comes back unchanged", () => {
    const publisher = new Publisher();
    expect(publisher.create(FULL).json).toEqual({ ...FULL, state: "DRAFT" });
    expect(publisher.send("GET", `${MONTHLY}/intro`).json).toEqual({ ...FULL, state: "DRAFT" });
  });

  test("offer doc §4: there is one offerId: two of them are 400, and nothing is created", () => {
    const publisher = new Publisher();
    const answer = publisher.send("POST", `${MONTHLY}?offerId=a&offerId=b&${VERSION}`, IDS);
    expect(answer.status).toBe(400);
    expect(publisher.send("GET", MONTHLY).json.subscriptionOffers).toEqual([]);
  });

  test.each(["regionsVersion.version=2022%2F02", "regionsVersion%5Bversion%5D=2022%2F02"])(
    "offer doc §4 row regionsVersion: as %s",
    (version) => {
      expect(new Publisher().create(IDS, "intro", version).status).toBe(200);
    },
  );

  test.each(["regionsVersion.version=1999%2F01", `${VERSION}&regionsVersion.version=2022%2F01`])(
    "offer doc §4: unknown or contradictory regions version is 400: %s",
    (version) => {
      expect(new Publisher().create(IDS, "intro", version).status).toBe(400);
    },
  );

  test("offer doc §3: an action's body must repeat the path; unknown actions are 404", () => {
    const publisher = new Publisher();
    publisher.create({ ...IDS, phases: [PHASE] });
    const target = `${MONTHLY}/intro:activate`;
    expect(publisher.send("POST", target, { offerId: "other" }).status).toBe(400);
    expect(publisher.send("POST", target, "[]").status).toBe(400);
    expect(publisher.send("POST", `${MONTHLY}/intro:explode`).status).toBe(404);
    expect(publisher.send("POST", `${MONTHLY}/none:activate`).status).toBe(404);
  });

  test("offers are listed in pages", () => {
    const publisher = new Publisher();
    for (const id of ["a", "b", "c"]) publisher.create(IDS, id);
    const first = publisher.send("GET", `${MONTHLY}?pageSize=2`).json;
    expect(first.subscriptionOffers).toMatchObject([{ offerId: "a" }, { offerId: "b" }]);
    const second = publisher.send("GET", `${MONTHLY}?pageToken=${first.nextPageToken}`).json;
    expect(second.subscriptionOffers).toMatchObject([{ offerId: "c" }]);
    expect(second.nextPageToken).toBeUndefined();
    expect(publisher.send("GET", `${MONTHLY}?pageSize=-1`).status).toBe(400);
  });
  test("offer doc §7 row errors: every refusal has the same body: code, message, status, errors, details", () => {
    const publisher = new Publisher();
    const refusals = [
      publisher.create(IDS, ""),
      publisher.create({ ...IDS, productId: "other" }),
      publisher.send("GET", `${MONTHLY}/none`),
      publisher.send("PUT", MONTHLY),
      new Bench().post(MONTHLY, {}),
    ];
    for (const { status, json } of refusals) {
      const error = json.error as { code: number; errors: unknown[] };
      expect(Object.keys(error).sort()).toEqual(["code", "details", "errors", "message", "status"]);
      expect(error.code).toBe(status);
      expect(error.errors).toHaveLength(1);
    }
  });
});

describe("offer doc §2 the fields of an offer", () => {
  const phase = (changes: object) => ({ ...IDS, phases: [{ ...PHASE, ...changes }] });
  const region = (config: object) => phase({ regionalConfigs: [{ regionCode: "DE", ...config }] });
  const cases: [string, object][] = [
    ["no phase in the list", { ...IDS, phases: [] }],
    ["three phases", { ...IDS, phases: [PHASE, PHASE, PHASE] }],
    ["a duration that is none", phase({ duration: "1 month" })],
    ["an empty duration", phase({ duration: "P" })],
    ["no duration", phase({ duration: undefined })],
    ["a duration of no time", phase({ duration: "P0M0D" })],
    ["a recurrence count of 0", phase({ recurrenceCount: 0 })],
    ["a broken recurrence count", phase({ recurrenceCount: 1.5 })],
    ["a region without a price", region({})],
    ["a region with two prices", region({ price: MONEY, free: {} })],
    [
      "a region named twice",
      phase({ regionalConfigs: [1, 2].map(() => PHASE.regionalConfigs[0]) }),
    ],
    ["a region in small letters", phase({ regionalConfigs: [{ regionCode: "de", free: {} }] })],
    ["a relative discount of 0", region({ relativeDiscount: 0 })],
    ["a relative discount of 1", region({ relativeDiscount: 1 })],
    ["a currency that is none", region({ price: { ...MONEY, currencyCode: "Euro" } })],
    ["a negative price", region({ price: { ...MONEY, units: "-1" } })],
    ["too many nanos", region({ price: { ...MONEY, nanos: 1_000_000_000 } })],
    ["two targeting rules", { ...IDS, targeting: { acquisitionRule: {}, upgradeRule: {} } }],
    ["a rule without scope", { ...IDS, targeting: { acquisitionRule: {} } }],
    ["an empty scope", { ...IDS, targeting: { acquisitionRule: { scope: {} } } }],
    ["a tag with capitals", { ...IDS, offerTags: [{ tag: "Summer" }] }],
    ["a tag of 21 characters", { ...IDS, offerTags: [{ tag: "a".repeat(21) }] }],
    ["21 tags", { ...IDS, offerTags: Array.from({ length: 21 }, (_, i) => ({ tag: `t${i}` })) }],
    ["an unknown field", { ...IDS, discount: 1 }],
    ["an unknown field in a phase", phase({ price: MONEY })],
  ];

  test.each(cases)("offer doc §2: %s is 400 INVALID_ARGUMENT", (_, body) => {
    const answer = new Publisher().create(body);
    expect(answer.status).toBe(400);
    expect(status(answer)).toBe("INVALID_ARGUMENT");
  });

  test.each([
    ["units as a number", 12, "12"],
    ["units as a string", "12", "12"],
  ])("offer doc §2: %s come back as the string that a 64-bit integer is", (_, units, expected) => {
    const body = region({ price: { currencyCode: "EUR", units } });
    const publisher = new Publisher();
    const created = publisher.create(body);
    expect(created.json).toMatchObject(region({ price: { currencyCode: "EUR", units: expected } }));
    expect(publisher.send("GET", `${MONTHLY}/intro`).json).toEqual(created.json);
  });

  test.each([
    { upgradeRule: { oncePerUser: true, billingPeriodDuration: "P1Y" } },
    { acquisitionRule: { scope: { anySubscriptionInApp: {} } } },
  ])("offer doc §2: targeting %j is accepted", (targeting) => {
    expect(new Publisher().create({ ...IDS, targeting }).status).toBe(200);
  });

  test("with offerPhasesRequired an offer without phases is refused at creation", () => {
    const publisher = new Publisher({ options: { offerPhasesRequired: true } });
    expect(publisher.create().status).toBe(400);
    expect(publisher.create({ ...IDS, phases: [PHASE] }).status).toBe(200);
  });
});
