// Tests the API of live broadcasts (device spec §4.5): filters, pages, errors and challenges (RFC 6750).
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

testRows`
device doc §4.5: a parameter that is missing, wrong or repeated, or that contradicts another
  sign-in -> 200
  get mine=true -> 400 required
  get part=&mine=true -> 400 required
  get part=id -> 400 required
  get part=id,nonsense&mine=true -> 400 unknownPart
  get part=id&mine=true&id=choir -> 400 incompatibleParameters
  get part=id&mine=true&broadcastStatus=all -> 400 incompatibleParameters
  get part=id&mine=false -> 400 invalidParameter
  get part=id&mine=yes -> 400 invalidParameter
  get part=id&broadcastStatus=soon -> 400 invalidParameter
  get part=id&mine=true&broadcastType=none -> 400 invalidParameter
  get part=id&mine=true&maxResults=51 -> 400 invalidParameter
  get part=id&mine=true&maxResults=-1 -> 400 invalidParameter
  get part=id&mine=true&maxResults=ten -> 400 invalidParameter
  get part=id&mine=true&mine=true -> 400 invalidParameter
  get part=id&mine=true&mine=false -> 400 invalidParameter
  get part=id&broadcastStatus=all&broadcastStatus=active -> 400 invalidParameter
  get part=id&mine=true&broadcastType=all&broadcastType=event -> 400 invalidParameter
  get part=id&mine=true&maxResults=1&maxResults=2 -> 400 invalidParameter
  get part=id&mine=true&pageToken=&pageToken=zzz -> 400 invalidParameter
  get part=id&mine=true&pageToken=zzz -> 400 invalidPageToken
  get part=id&mine=true&pageToken=${Buffer.from("at:99").toString("base64url")} -> 400 invalidPageToken
device doc §4.5: pages walk forward and back over the same items
  sign-in -> 200
  get part=id&mine=true&maxResults=1 -> 200 ids=regatta -prevPageToken
  get part=id&mine=true&maxResults=1&pageToken=$next -> 200 ids=choir
  get part=id&mine=true&maxResults=1&pageToken=$next -> 200 ids=market -nextPageToken
  get part=id&mine=true&maxResults=1&pageToken=$prev -> 200 ids=choir
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
  get /userinfo?access_token=$access -> 400 invalid_request challenge='Bearer~realm="userinfo",~error="invalid_request"'
`;
