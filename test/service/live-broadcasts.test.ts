// The resource API beyond the documents' one request: filters, pages, refusals (device doc §4.5), and the challenges of
// RFC 6750.
import { expect, test } from "vitest";
import { type Answer, Bench, VIDEO_READONLY } from "./harness.ts";
import { testRows } from "./talk.ts";

const PATH = "/video/v3/liveBroadcasts";

interface Listing {
  kind: string;
  etag: string;
  nextPageToken?: string;
  prevPageToken?: string;
  pageInfo: { totalResults: number; resultsPerPage: number };
  items: Record<string, unknown>[];
}

function signedIn(scope = VIDEO_READONLY, account = "ada"): (query: string) => Answer {
  const bench = new Bench();
  const { access_token } = bench.signIn({ scope, account });
  return (query) => bench.get(`${PATH}?${query}`, access_token);
}

const listing = (answer: Answer) => answer.json as unknown as Listing;
const ids = (answer: Answer) => listing(answer).items.map((item) => item.id);
test("device doc §4.5: the shape of the answer", () => {
  const { kind, etag, pageInfo, items } = listing(signedIn()("part=id&mine=true"));
  expect(kind).toBe("video#liveBroadcastListResponse");
  expect(etag).toMatch(/^[\w-]{20,}$/);
  expect(pageInfo).toEqual({ totalResults: 3, resultsPerPage: 5 });
  expect(Object.keys(items[0]!).sort()).toEqual(["etag", "id", "kind"]);
});

test.each(["part=snippet,status&mine=true", "part=snippet&part=status&mine=true"])(
  "device doc §4.5: part is a comma-separated string or repeated: %s",
  (query) => {
    const [item] = listing(signedIn()(query)).items;
    expect(Object.keys(item!).sort()).toEqual(["etag", "id", "kind", "snippet", "status"]);
    expect(item).toMatchObject({
      snippet: { title: "Harbour regatta", scheduledStartTime: "2026-06-01T09:00:00Z" },
      status: { lifeCycleStatus: "live", privacyStatus: "public" },
    });
  },
);

test("device doc §4.5: pages of any size walk forward and back over the same items", () => {
  const list = signedIn();
  for (const size of [1, 2, 3, 50]) {
    const seen: unknown[] = [];
    let query = `part=id&mine=true&maxResults=${size}`;
    let last: Listing;
    for (let token: string | undefined = ""; token !== undefined; token = last.nextPageToken) {
      last = listing(list(token === "" ? query : `${query}&pageToken=${token}`));
      expect(last.items.length).toBeLessThanOrEqual(size);
      seen.push(...last.items.map((item) => item.id));
    }
    expect(seen).toEqual(["regatta", "choir", "market"]);
    query = `${query}&pageToken=${last!.prevPageToken}`;
    if (size === 1) expect(ids(list(query))).toEqual(["choir"]);
  }
});

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

testRows([
  [
    "device doc §4.5: filters",
    "sign-in -> 200",
    "get part=id&id=choir -> 200 ids=choir",
    "get part=id&id=choir,lighthouse -> 200 ids=lighthouse,choir",
    "get part=id&id=bakery -> 200 ids=",
    "get part=id&broadcastStatus=active -> 200 ids=regatta",
    "get part=id&broadcastStatus=completed -> 200 ids=market",
    "get part=id&broadcastStatus=all&broadcastType=all -> 200 ids=regatta,lighthouse,choir,market",
    "get part=id&mine=true&broadcastType=persistent -> 200 ids=lighthouse",
    "get part=id&mine=true&maxResults=1&pageToken= -> 200 ids=regatta",
    "get part=id&mine=true&maxResults=0 -> 200 ids= -nextPageToken",
  ],
  ...Object.entries(REFUSED).map(
    ([reason, queries]) =>
      [
        `device doc §4.5: ${reason}`,
        "sign-in -> 200",
        ...queries.map((query) => `get ${query} -> 400 ${reason}`),
      ] as const,
  ),
  [
    "device doc §9 row the path carries v3: other versions are 404",
    "sign-in -> 200",
    "get /video/v3/liveBroadcasts?part=id&mine=true -> 200",
    "get /video/v2/liveBroadcasts?part=id&mine=true -> 404 notFound",
  ],
  [
    "device doc §5.3, RFC 6750 §2 and §3.1: the token once, in the query or in the header",
    "sign-in -> 200",
    "list token= access_token=$access -> 200",
    "get part=id&mine=true&access_token=a&access_token=b -> 400 badRequest",
  ],
  [
    "RFC 6750 §3, §3.1: a challenge: bare without a token, what is wrong with one that is sent",
    "list token= -> 401 required challenge='Bearer~realm=\"api\"'",
    "list token=none -> 401 authError challenge=invalid_token",
    "sign-in scope=email -> 200",
    "list -> 403 insufficientPermissions challenge=insufficient_scope",
    'list access_token=$access -> 400 badRequest challenge=error="invalid_request"',
  ],
]);
