// The rows of the document of the subscription offers at the service. What an offer's further fields may hold is in
// offer-fields.test.ts.

import { testRows } from "./talk.ts";

const PUBLISHER = "sign-in client=publisher scope=publisher -> 200";
const PARENTS =
  '{"packageName":"test.picogrant.player","productId":"premium","basePlanId":"monthly"}';

testRows([
  [
    "offer doc §1 row auto-renewing base plans only: one that does not renew itself has no offers",
    PUBLISHER,
    "create basePlanId=prepaid-30 -> 400 failedPrecondition",
    "create basePlanId=yearly -> 200",
  ],
  ...["packageName", "productId", "basePlanId"].map(
    (name) =>
      [
        `offer doc §2 row ${name}: the body's is the path's, and comes back`,
        PUBLISHER,
        `create body='{"${name}":"other"}' -> 400 invalidParameter`,
        `create body='{"${name}":null}' -> 400 invalidParameter`,
        "offer read -> 404 notFound",
        "create -> 200 packageName=test.picogrant.player productId=premium basePlanId=monthly",
      ] as const,
  ),
  [
    "offer doc §2 row offerId: the query's; the body may repeat it, and it has its form",
    PUBLISHER,
    `create body='{"offerId":"other"}' -> 400 invalidParameter`,
    `create body='{"offerId":"intro"}' -> 200 offerId=intro`,
    "create -> 409 alreadyExists",
    "create basePlanId=yearly -> 200 offerId=intro",
    ...["a", "0", "intro-2026", "a".repeat(63)].map(
      (id) => `create offerId=${id} -> 200 offerId=${id}`,
    ),
    ...["-a", "Intro", "in_tro", "in.tro", "a".repeat(64), "é", "'a~b'", "../x"].map(
      (id) => `create offerId=${id} -> 400 invalidParameter`,
    ),
  ],
  [
    "offer doc §2 row state: DRAFT after creation; offer doc §3 row create offer: whatever the body claims, until somebody activates it",
    PUBLISHER,
    `create body='{"state":"ACTIVE","phases":[{"duration":"P1M","recurrenceCount":1}]}' -> 200 state=DRAFT`,
    "offer read -> 200 state=DRAFT",
    "offer deactivate -> 400 failedPrecondition",
    "offer read -> 200 state=DRAFT",
    "offer activate -> 200 state=ACTIVE",
    "offer delete -> 400 failedPrecondition",
    "offer deactivate -> 200 state=INACTIVE",
    "offer activate -> 200 state=ACTIVE",
    "offer read -> 200 state=ACTIVE",
  ],
  [
    "offer doc §3: without phases it stays a draft, which can be deleted",
    PUBLISHER,
    "create -> 200",
    "offer activate -> 400 failedPrecondition",
    "offer explode -> 404 notFound",
    "offer activate none -> 404 notFound",
    "offer delete -> 200",
    "offer read -> 404 notFound",
  ],
  [
    "offer doc §4 row method and path and row response body: POST creates the offer and returns it",
    PUBLISHER,
    "create -> 200 only=basePlanId,offerId,packageName,productId,state offerId=intro state=DRAFT",
    "offer read -> 200 only=basePlanId,offerId,packageName,productId,state offerId=intro",
  ],
  [
    "offer doc §4 row packageName and row productId and row basePlanId: an existing parent, well formed",
    PUBLISHER,
    "create packageName=test.unknown -> 404 notFound",
    "create productId=basic -> 404 notFound",
    "create basePlanId=weekly -> 404 notFound",
    "create packageName=nodots -> 400 invalidParameter",
    "create productId=PREMIUM -> 400 invalidParameter",
    "create basePlanId=a_b -> 400 invalidParameter",
    "create productId=pr%zz -> 400 invalidParameter",
    "create productId=a/b -> 404 notFound",
    "create -> 200",
  ],
  [
    "offer doc §4 row offerId and row regionsVersion: required in the query",
    PUBLISHER,
    "create offerId= -> 400 required",
    "create version= -> 400 required",
    "create version=1999/01 -> 400 invalidParameter",
    "create -> 200",
  ],
  [
    "offer doc §4 row request body: one offer, as JSON, and nothing else in front of it or behind",
    PUBLISHER,
    ...["''", "'{'", "'[]'", "'null'", "'1'", `'"offer"'`].map(
      (raw) =>
        `create raw=${raw} -> 400 ${/^'[[n1"]/.test(raw) ? "invalidParameter" : "parseError"}`,
    ),
    `create raw='x${PARENTS}' -> 400 parseError`,
    `create raw='${PARENTS}x' -> 400 parseError`,
    `create raw='${PARENTS}' type=text/plain -> 400 parseError`,
    `create raw='${PARENTS}' -> 200`,
  ],
  [
    "offer doc §5 row the scope publisher: for clients that may ask for it; without it, or a publisher, 403",
    "create -> 401 required",
    "code scope=publisher -> 400 invalid_scope",
    "sign-in client=publisher scope=email -> 200",
    "create -> 403 insufficientPermissions",
    "sign-in client=publisher scope=publisher account=ben -> 200",
    "create -> 403 permissionDenied",
    PUBLISHER,
    "create -> 200",
  ],
  [
    "a subscription has as many base plans and offers together as the option says",
    { offersPerSubscription: 5 },
    PUBLISHER,
    "create offerId=a -> 200",
    "create offerId=b basePlanId=yearly -> 200",
    "create offerId=c -> 400 failedPrecondition",
  ],
  [
    "offer doc §9 row the path carries v3: nothing answers below another",
    PUBLISHER,
    "create path=v2 -> 404 notFound",
    "create path=v3 -> 200",
  ],
]);
