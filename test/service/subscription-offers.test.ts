// Subscription offers: offer doc §1 to §5 and §9; what the document leaves open is as real
// publishing APIs have it.
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

describe("offer doc §3 and §4 create", () => {
  test("offer doc §4 row method and path and row response body: the documented request creates and returns the offer", () => {
    const answer = new Publisher().create();
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ ...IDS, offerId: "intro", state: "DRAFT" });
  });

  test("offer doc §3 row create offer: the new one is DRAFT, whatever state the body claims", () => {
    expect(new Publisher().create({ ...IDS, state: "ACTIVE" }).json.state).toBe("DRAFT");
  });

  test("offer doc §2: every field of a full offer comes back unchanged", () => {
    const publisher = new Publisher();
    expect(publisher.create(FULL).json).toEqual({ ...FULL, state: "DRAFT" });
    expect(publisher.send("GET", `${MONTHLY}/intro`).json).toEqual({ ...FULL, state: "DRAFT" });
  });

  test.each(["packageName", "productId", "basePlanId"])(
    "offer doc §2 row %s: the body's must equal the path parameter",
    (name) => {
      for (const value of ["other", undefined]) {
        const answer = new Publisher().create({ ...IDS, [name]: value });
        expect(answer.status).toBe(400);
        expect(status(answer)).toBe("INVALID_ARGUMENT");
      }
    },
  );

  test("offer doc §2: the query supplies offerId; a different one in the body is 400", () => {
    expect(new Publisher().create({ ...IDS, offerId: "intro" }).status).toBe(200);
    expect(new Publisher().create({ ...IDS, offerId: "other" }).status).toBe(400);
  });

  test("offer doc §4 row offerId: required in the query", () => {
    const answer = new Publisher().send("POST", `${MONTHLY}?${VERSION}`, IDS);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("offerId");
  });

  test("offer doc §4: there is one offerId: two of them are 400, and nothing is created", () => {
    const publisher = new Publisher();
    const answer = publisher.send("POST", `${MONTHLY}?offerId=a&offerId=b&${VERSION}`, IDS);
    expect(answer.status).toBe(400);
    expect(publisher.send("GET", MONTHLY).json.subscriptionOffers).toEqual([]);
  });

  test.each([
    ["PUT", "", "GET, HEAD, POST"],
    ["DELETE", "", "GET, HEAD, POST"],
    ["PATCH", "/intro", "GET, HEAD, DELETE"],
    ["POST", "/intro", "GET, HEAD, DELETE"],
    ["GET", "/intro:activate", "POST"],
  ])("RFC 9110 §15.5.6: %s of offers%s is 405 with the methods allowed", (method, rest, allow) => {
    const publisher = new Publisher();
    publisher.create();
    const answer = publisher.send(method, MONTHLY + rest);
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe(allow);
  });

  test.each(["a", "0", "intro-2026", "a".repeat(63)])(
    "offer doc §2 row offerId: %.12s is well formed",
    (id) => {
      expect(new Publisher().create(IDS, id).status).toBe(200);
    },
  );

  test.each(["", "-a", "Intro", "in_tro", "in.tro", "a".repeat(64), "é", "a b", "../x"])(
    "offer doc §2 row offerId: %.12j is 400",
    (id) => {
      expect(new Publisher().create(IDS, id).status).toBe(400);
    },
  );

  test("offer doc §4 row regionsVersion: required", () => {
    const answer = new Publisher().create(IDS, "intro", "");
    expect(answer.status).toBe(400);
    expect((answer.json.error as { message: string }).message).toBe(
      "Regions Version must be specified.",
    );
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

  test("offer doc §1 row auto-renewing base plans only: one that does not renew itself cannot have offers", () => {
    const target = `${APP}/subscriptions/premium/basePlans/prepaid-30/offers?offerId=a&${VERSION}`;
    const answer = new Publisher().send("POST", target, { ...IDS, basePlanId: "prepaid-30" });
    expect(answer.status).toBe(400);
    expect(status(answer)).toBe("FAILED_PRECONDITION");
  });

  test("an offer id is unique in its base plan: 409 ALREADY_EXISTS", () => {
    const publisher = new Publisher();
    publisher.create();
    const answer = publisher.create();
    expect(answer.status).toBe(409);
    expect(status(answer)).toBe("ALREADY_EXISTS");
    const yearly = `${APP}/subscriptions/premium/basePlans/yearly/offers?offerId=intro&${VERSION}`;
    expect(publisher.send("POST", yearly, { ...IDS, basePlanId: "yearly" }).status).toBe(200);
  });

  test("a subscription has at most 250 base plans and offers together", () => {
    const publisher = new Publisher();
    for (let i = 0; i < 247; i++) expect(publisher.create(IDS, `offer-${i}`).status).toBe(200);
    expect(publisher.create(IDS, "one-too-many").status).toBe(400);
  });

  test.each([
    ["applications/test.unknown/subscriptions/premium/basePlans/monthly/offers", 404],
    ["applications/test.picogrant.player/subscriptions/basic/basePlans/monthly/offers", 404],
    ["applications/test.picogrant.player/subscriptions/premium/basePlans/weekly/offers", 404],
    ["applications/nodots/subscriptions/premium/basePlans/monthly/offers", 400],
    ["applications/test.picogrant.player/subscriptions/PREMIUM/basePlans/monthly/offers", 400],
    ["applications/test.picogrant.player/subscriptions/premium/basePlans/a_b/offers", 400],
    ["applications/test.picogrant.player/subscriptions/pr%zz/basePlans/monthly/offers", 400],
    ["applications/test.picogrant.player/subscriptions/premium/offers", 404],
  ])("offer doc §4: parents must exist and be well formed: %s is %i", (path, expected) => {
    const target = `/publisher/v3/${path}?offerId=intro&${VERSION}`;
    expect(new Publisher().send("POST", target, IDS).status).toBe(expected);
  });

  test("offer doc §9 row the path carries v3: nothing answers below another", () => {
    const target = `${MONTHLY.replace("/v3/", "/v2/")}?offerId=intro&${VERSION}`;
    expect(new Publisher().send("POST", target, IDS).status).toBe(404);
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

  test("offer doc §4 row request body: one of another type is 400 and names the header", () => {
    const publisher = new Publisher();
    const headers = { authorization: `Bearer ${publisher.token}`, "content-type": "text/plain" };
    const target = `${MONTHLY}?offerId=intro&${VERSION}`;
    const answer = publisher.bench.send("POST", target, JSON.stringify(IDS), headers);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({
      status: "INVALID_ARGUMENT",
      errors: [{ reason: "parseError", location: "Content-Type", locationType: "header" }],
    });
  });

  test.each(["", "{", "[]", "null", "1", '"offer"'])(
    "offer doc §4 row request body: %j is 400",
    (body) => {
      expect(new Publisher().create(body).status).toBe(400);
    },
  );

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

describe("offer doc §3 states after creation", () => {
  test("offer doc §3: DRAFT persists until activated; then ACTIVE, INACTIVE, ACTIVE", () => {
    const publisher = new Publisher();
    publisher.create({ ...IDS, phases: [PHASE] });
    const move = (verb: string) =>
      publisher.send("POST", `${MONTHLY}/intro:${verb}`, { ...IDS, offerId: "intro" });
    expect(publisher.send("GET", `${MONTHLY}/intro`).json.state).toBe("DRAFT");
    expect(status(move("deactivate"))).toBe("FAILED_PRECONDITION");
    expect(move("activate").json.state).toBe("ACTIVE");
    expect(move("deactivate").json.state).toBe("INACTIVE");
    expect(move("activate").json.state).toBe("ACTIVE");
    expect(publisher.send("GET", `${MONTHLY}/intro`).json.state).toBe("ACTIVE");
  });

  test("offer doc §3: an offer without phases cannot be activated", () => {
    const publisher = new Publisher();
    publisher.create();
    expect(status(publisher.send("POST", `${MONTHLY}/intro:activate`))).toBe("FAILED_PRECONDITION");
  });

  test("offer doc §3: an action's body must repeat the path; unknown actions are 404", () => {
    const publisher = new Publisher();
    publisher.create({ ...IDS, phases: [PHASE] });
    const target = `${MONTHLY}/intro:activate`;
    expect(publisher.send("POST", target, { offerId: "other" }).status).toBe(400);
    expect(publisher.send("POST", target, "[]").status).toBe(400);
    expect(publisher.send("POST", `${MONTHLY}/intro:explode`).status).toBe(404);
    expect(publisher.send("POST", `${MONTHLY}/none:activate`).status).toBe(404);
  });

  test("only drafts can be deleted, and then they are gone", () => {
    const publisher = new Publisher();
    publisher.create({ ...IDS, phases: [PHASE] });
    publisher.create(IDS, "other");
    publisher.send("POST", `${MONTHLY}/intro:activate`);
    expect(publisher.send("DELETE", `${MONTHLY}/intro`).status).toBe(400);
    expect(publisher.send("DELETE", `${MONTHLY}/other`).status).toBe(200);
    expect(publisher.send("GET", `${MONTHLY}/other`).status).toBe(404);
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
});

describe("offer doc §5 authentication", () => {
  test("offer doc §5: without a token 401", () => {
    const target = `${MONTHLY}?offerId=intro&${VERSION}`;
    expect(new Bench().send("POST", target, JSON.stringify(IDS)).status).toBe(401);
  });

  test("offer doc §5 row the scope publisher: without it 403", () => {
    const answer = new Publisher({ scope: "email" }).create();
    expect(answer.status).toBe(403);
    expect(status(answer)).toBe("PERMISSION_DENIED");
  });

  test("an account that may not publish the app is 403 PERMISSION_DENIED", () => {
    const answer = new Publisher({ account: "ben" }).create();
    expect(answer.status).toBe(403);
    expect(status(answer)).toBe("PERMISSION_DENIED");
  });
});
