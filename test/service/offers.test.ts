// Tests each row of the offer specification, valid contents of an offer, and lists.

import { expect, test } from "vitest";
import { testRows } from "./dialogue.ts";
import { Bench, PUBLISHER_CLIENT, PUBLISHER as SCOPE } from "./harness.ts";

const PUBLISHER = "sign-in client=publisher scope=publisher -> 200";
const PARENTS =
  '{"packageName":"test.picogrant.player","productId":"premium","basePlanId":"monthly"}';

const PHASE = { duration: "P1M", recurrenceCount: 1, otherRegionsConfig: { free: {} } };
const UNFIT = [[], [PHASE, PHASE, PHASE], [1], {}];
const PROPER = ["a", "0", "intro-2026", "a".repeat(63)];
const IMPROPER = ["-a", "Intro", "in_tro", "in.tro", "a".repeat(64), "é", "'a~b'", "../x"];

for (const name of ["packageName", "productId", "basePlanId"])
  testRows`
offer doc §2 row ${name}: the body must repeat the path's, and the response has it
  ${PUBLISHER}
  create body='{"${name}":"other"}' -> 400 invalidParameter
  create body='{"${name}":null}' -> 400 invalidParameter
  offer read -> 404 notFound
  create -> 200 packageName=test.picogrant.player productId=premium basePlanId=monthly
`;

testRows`
offer doc §1 row auto-renewing base plans only: a base plan that does not renew has no offers
  ${PUBLISHER}
  create basePlanId=prepaid-30 -> 400 failedPrecondition
  create basePlanId=yearly -> 200
offer doc §2 row offerId: comes from the query; the body may repeat it, and its format is checked
  ${PUBLISHER}
  create body='{"offerId":"other"}' -> 400 invalidParameter
  create body='{"offerId":"intro"}' -> 200 offerId=intro
  create -> 409 alreadyExists
  create basePlanId=yearly -> 200 offerId=intro
  ${PROPER.map((id) => `create offerId=${id} -> 200 offerId=${id}`)}
  ${IMPROPER.map((id) => `create offerId=${id} -> 400 invalidParameter`)}
offer doc §2 row state: DRAFT after creation; offer doc §3 row create offer: whatever the body claims, until it is activated
  ${PUBLISHER}
  create body='{"state":"ACTIVE","phases":[{"duration":"P1M","recurrenceCount":1}]}' -> 200 state=DRAFT
  offer read -> 200 state=DRAFT
  offer deactivate -> 400 failedPrecondition
  offer read -> 200 state=DRAFT
  offer activate -> 200 state=ACTIVE
  offer delete -> 400 failedPrecondition
  offer deactivate -> 200 state=INACTIVE
  offer activate -> 200 state=ACTIVE
  offer read -> 200 state=ACTIVE
offer doc §4 row method and path and row response body: POST creates the offer and returns it
  ${PUBLISHER}
  create -> 200 only=basePlanId,offerId,packageName,productId,state offerId=intro state=DRAFT
  offer read -> 200 only=basePlanId,offerId,packageName,productId,state offerId=intro
offer doc §4 row packageName and row productId and row basePlanId: an existing parent, well formed
  ${PUBLISHER}
  create packageName=test.unknown -> 404 notFound
  create productId=basic -> 404 notFound
  create basePlanId=weekly -> 404 notFound
  create packageName=nodots -> 400 invalidParameter
  create productId=PREMIUM -> 400 invalidParameter
  create basePlanId=a_b -> 400 invalidParameter
  create productId=pr%zz -> 400 invalidParameter
  create productId=a/b -> 404 notFound
  create -> 200
offer doc §4 row offerId and row regionsVersion: required in the query
  ${PUBLISHER}
  create offerId= -> 400 required
  create version= -> 400 required
  create version=1999/01 -> 400 invalidParameter
  create -> 200
offer doc §4 row request body: one offer as JSON, with nothing before or after it
  ${PUBLISHER}
  ${["''", "'{'"].map((raw) => `create raw=${raw} -> 400 parseError`)}
  ${["'[]'", "'null'", "'1'", `'"offer"'`].map((raw) => `create raw=${raw} -> 400 invalidParameter`)}
  create raw='x${PARENTS}' -> 400 parseError
  create raw='${PARENTS}x' -> 400 parseError
  create raw='${PARENTS}' type=text/plain -> 400 parseError
  create raw='${PARENTS}' -> 200
offer doc §5 row the scope publisher: for clients that may request it; without the scope, or for an account that is no publisher, 403
  create -> 401 required
  code scope=publisher -> 400 invalid_scope
  sign-in client=publisher scope=email -> 200
  create -> 403 insufficientPermissions
  sign-in client=publisher scope=publisher account=ben -> 200
  create -> 403 permissionDenied
  ${PUBLISHER}
  create -> 200
offer doc §9 row the path carries v3: there is no other version
  ${PUBLISHER}
  create path=v2 -> 404 notFound
  create path=v3 -> 200
offer doc §2: an offer has one or two phases, or none
  ${PUBLISHER}
  ${UNFIT.map((phases) => `create body='${JSON.stringify({ phases })}' -> 400 invalidParameter`)}
  create body='${JSON.stringify({ phases: [PHASE, PHASE] })}' -> 200
`;

const APP = "/publisher/v3/applications/test.picogrant.player";
const MONTHLY = `${APP}/subscriptions/premium/basePlans/monthly/offers`;
function publisher() {
  const bench = new Bench();
  const { access_token } = bench.signIn({ scope: SCOPE, client: PUBLISHER_CLIENT });
  const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
  const send = (method: string, target: string, body?: object) =>
    bench.send(method, target, body && JSON.stringify(body), headers);
  const create = (body: object, query = "offerId=intro&regionsVersion.version=2022/02") =>
    send("POST", `${MONTHLY}?${query}`, { ...JSON.parse(PARENTS), ...body });
  return { send, create };
}

test("offer doc §2: every field of an offer is returned unchanged, including unknown ones", () => {
  const { send, create } = publisher();
  const more = { phases: [PHASE], offerTags: [{ tag: "summer" }], targeting: { upgradeRule: {} } };
  const offer = { ...JSON.parse(PARENTS), ...more, offerId: "intro", state: "DRAFT" };
  expect(create(more).json).toEqual(offer);
  expect(send("GET", `${MONTHLY}/intro`).json).toEqual(offer);
  const bracketed = "offerId=two&regionsVersion%5Bversion%5D=2022%2F02";
  expect(create({}, bracketed).status).toBe(200);
  for (const twice of ["offerId=x&", "regionsVersion.version=2022/01&"])
    expect(create({}, `${twice}${bracketed}`).status).toBe(400);
});

test("offer doc §3: the body of an action must repeat the path", () => {
  const { send, create } = publisher();
  create({ phases: [PHASE] });
  for (const body of [{ offerId: "other" }, []])
    expect(send("POST", `${MONTHLY}/intro:activate`, body).status).toBe(400);
  expect(send("POST", `${MONTHLY}/intro:activate`, { offerId: "intro" }).status).toBe(200);
});

test("offers are listed in pages", () => {
  const { send, create } = publisher();
  for (const id of ["a", "b", "c"]) create({}, `offerId=${id}&regionsVersion.version=2022/02`);
  const first = send("GET", `${MONTHLY}?pageSize=2`).json;
  expect(first.subscriptionOffers).toMatchObject([{ offerId: "a" }, { offerId: "b" }]);
  const second = send("GET", `${MONTHLY}?pageToken=${first.nextPageToken}`).json;
  expect(second.subscriptionOffers).toMatchObject([{ offerId: "c" }]);
  expect(second.nextPageToken).toBeUndefined();
  expect(send("GET", `${MONTHLY}?pageSize=-1`).status).toBe(400);
});
