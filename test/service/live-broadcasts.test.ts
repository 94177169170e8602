// The resource API in more detail than the specification's example: filters, pages, errors (device doc §4.5), and the
// challenges of RFC 6750.
import { expect, test } from "vitest";
import { testRows } from "./dialogue.ts";
import { Bench } from "./harness.ts";

test.each(["part=snippet,status&mine=true", "part=snippet&part=status&mine=true"])(
  "device doc §4.5: the response has this shape; part may be comma-separated or repeated: %s",
  (query) => {
    const bench = new Bench();
    const { access_token } = bench.signIn();
    const { json } = bench.get(`/video/v3/liveBroadcasts?${query}`, access_token);
    const { etag, items, ...rest } = json as { etag: string; items: object[] };
    expect(etag).toMatch(/^[\w-]{20,}$/);
    expect(rest).toEqual({
      kind: "video#liveBroadcastListResponse",
      pageInfo: { totalResults: 3, resultsPerPage: 5 },
    });
    expect(Object.keys(items[0]!).sort()).toEqual(["etag", "id", "kind", "snippet", "status"]);
    expect(items[0]).toMatchObject({
      snippet: { title: "Harbour regatta", scheduledStartTime: "2026-06-01T09:00:00Z" },
      status: { lifeCycleStatus: "live", privacyStatus: "public" },
    });
  },
);

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  required: ["mine=true", "part=&mine=true", "part=id"],
  unknownPart: ["part=id,nonsense&mine=true"],
  incompatibleParameters: ["part=id&mine=true&id=choir", "part=id&mine=true&broadcastStatus=all"],
  invalidParameter: [
    "part=id&mine=false",
    "part=id&mine=yes",
    "part=id&broadcastStatus=soon",
    "part=id&mine=true&broadcastType=none",
    "part=id&mine=true&maxResults=51",
    "part=id&mine=true&maxResults=-1",
    "part=id&mine=true&maxResults=ten",
    "part=id&mine=true&mine=true",
    "part=id&mine=true&mine=false",
    "part=id&broadcastStatus=all&broadcastStatus=active",
    "part=id&mine=true&broadcastType=all&broadcastType=event",
    "part=id&mine=true&maxResults=1&maxResults=2",
    "part=id&mine=true&pageToken=&pageToken=zzz",
  ],
  invalidPageToken: [
    "part=id&mine=true&pageToken=zzz",
    `part=id&mine=true&pageToken=${Buffer.from("at:99").toString("base64url")}`,
  ],
};

for (const [reason, queries] of Object.entries(REFUSED))
  testRows`
device doc §4.5: ${reason}
  sign-in -> 200
  ${queries.map((query) => `get ${query} -> 400 ${reason}`)}
`;

const PAGE = "get part=id&mine=true&maxResults=1";
testRows`
device doc §4.5: pages walk forward and back over the same items
  sign-in -> 200
  ${PAGE} -> 200 ids=regatta -prevPageToken
  ${PAGE}&pageToken=$next -> 200 ids=choir
  ${PAGE}&pageToken=$next -> 200 ids=market -nextPageToken
  ${PAGE}&pageToken=$prev -> 200 ids=choir
  get part=id&mine=true&maxResults=2&pageToken=$next -> 200 ids=market
device doc §4.5: filters
  sign-in -> 200
  get part=id&id=choir -> 200 ids=choir
  get part=id&id=choir,lighthouse -> 200 ids=lighthouse,choir
  get part=id&id=bakery -> 200 ids=
  get part=id&broadcastStatus=active -> 200 ids=regatta
  get part=id&broadcastStatus=completed -> 200 ids=market
  get part=id&broadcastStatus=all&broadcastType=all -> 200 ids=regatta,lighthouse,choir,market
  get part=id&mine=true&broadcastType=persistent -> 200 ids=lighthouse
  get part=id&mine=true&maxResults=1&pageToken= -> 200 ids=regatta
  get part=id&mine=true&maxResults=0 -> 200 ids= -nextPageToken
device doc §9 row the path carries v3: other versions are 404
  sign-in -> 200
  get /video/v3/liveBroadcasts?part=id&mine=true -> 200
  get /video/v2/liveBroadcasts?part=id&mine=true -> 404 notFound
RFC 6750 §2, §3, §3.1: a challenge is bare without a token, and names the error of two tokens
  list token= -> 401 required challenge='Bearer~realm="api"'
  get part=id&mine=true&access_token=a&access_token=b -> 400 badRequest
  sign-in -> 200
  list access_token=$access -> 400 badRequest challenge=error="invalid_request"
`;
