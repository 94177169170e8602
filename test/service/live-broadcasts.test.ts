// The resource API: device doc §4.5, §5.3, §5.6, §5.7, §9; RFC 6750.
import { describe, expect, test } from "vitest";
import { type Answer, Bench, SCOPE_BASE, VIDEO, VIDEO_READONLY } from "./harness.ts";

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
const reason = (answer: Answer) =>
  (answer.json.error as { errors: { reason: string }[] }).errors[0]!.reason;

describe("device doc §4.5 list", () => {
  test("device doc §4.5 row part and mine: they list the account's broadcasts and nobody else's", () => {
    const answer = signedIn()("part=id&mine=true");
    expect(answer.status).toBe(200);
    expect(ids(answer)).toEqual(["regatta", "choir", "market"]);
    expect(ids(signedIn(VIDEO_READONLY, "ben")("part=id&mine=true"))).toEqual(["bakery"]);
    expect(ids(signedIn(VIDEO_READONLY, "nora")("part=id&mine=true"))).toEqual([]);
  });

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

  test.each([
    ["id=choir", ["choir"]],
    ["id=choir,lighthouse", ["lighthouse", "choir"]],
    ["id=bakery", []],
    ["broadcastStatus=active", ["regatta"]],
    ["broadcastStatus=completed", ["market"]],
    ["broadcastStatus=all&broadcastType=all", ["regatta", "lighthouse", "choir", "market"]],
    ["mine=true&broadcastType=persistent", ["lighthouse"]],
  ])("device doc §4.5: filter %s", (query, expected) => {
    expect(ids(signedIn()(`part=id&${query}`))).toEqual(expected);
  });

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

  test("device doc §4.5: an empty pageToken is the first page's", () => {
    const list = signedIn();
    const first = list("part=id&mine=true&maxResults=1");
    expect(list("part=id&mine=true&maxResults=1&pageToken=").text).toBe(first.text);
  });

  test("device doc §4.5: maxResults=0 gives no items but the total", () => {
    const { items, pageInfo, nextPageToken } = listing(
      signedIn()("part=id&mine=true&maxResults=0"),
    );
    expect(items).toEqual([]);
    expect(pageInfo.totalResults).toBe(3);
    expect(nextPageToken).toBeUndefined();
  });

  test.each([
    ["mine=true", "required"],
    ["part=&mine=true", "required"],
    ["part=id", "required"],
    ["part=id,nonsense&mine=true", "unknownPart"],
    ["part=id&mine=true&id=choir", "incompatibleParameters"],
    ["part=id&mine=true&broadcastStatus=all", "incompatibleParameters"],
    ["part=id&mine=false", "invalidParameter"],
    ["part=id&mine=yes", "invalidParameter"],
    ["part=id&broadcastStatus=soon", "invalidParameter"],
    ["part=id&mine=true&broadcastType=none", "invalidParameter"],
    ["part=id&mine=true&maxResults=51", "invalidParameter"],
    ["part=id&mine=true&maxResults=-1", "invalidParameter"],
    ["part=id&mine=true&maxResults=ten", "invalidParameter"],
    ["part=id&mine=true&mine=true", "invalidParameter"],
    ["part=id&mine=true&mine=false", "invalidParameter"],
    ["part=id&broadcastStatus=all&broadcastStatus=active", "invalidParameter"],
    ["part=id&mine=true&broadcastType=all&broadcastType=event", "invalidParameter"],
    ["part=id&mine=true&maxResults=1&maxResults=2", "invalidParameter"],
    ["part=id&mine=true&pageToken=&pageToken=zzz", "invalidParameter"],
    ["part=id&mine=true&pageToken=zzz", "invalidPageToken"],
    [
      `part=id&mine=true&pageToken=${Buffer.from("at:99").toString("base64url")}`,
      "invalidPageToken",
    ],
  ])("device doc §4.5: 400 for %s, reason %s", (query, expected) => {
    const answer = signedIn()(query);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({
      code: 400,
      status: "INVALID_ARGUMENT",
      message: expect.any(String),
      errors: [{ message: expect.any(String), domain: "global", reason: expected }],
      details: [],
    });
  });

  test("device doc §9 row the path carries v3: other versions are 404", () => {
    const bench = new Bench();
    const { access_token } = bench.signIn();
    expect(bench.get("/video/v2/liveBroadcasts?part=id&mine=true", access_token).status).toBe(404);
  });
});

describe("device doc §5.3 the bearer token", () => {
  test("device doc §5.3 row bearer credential: in the header or in the query parameter access_token (RFC 6750 §2.3)", () => {
    const bench = new Bench();
    const token = String(bench.signIn().access_token);
    expect(bench.get(`${PATH}?part=id&mine=true`, token).status).toBe(200);
    expect(bench.get(`${PATH}?part=id&mine=true&access_token=${token}`).status).toBe(200);
  });

  test("RFC 6750 §2: never both at once", () => {
    const bench = new Bench();
    const token = String(bench.signIn().access_token);
    expect(bench.get(`${PATH}?part=id&mine=true&access_token=${token}`, token).status).toBe(400);
  });

  test("RFC 6750 §3.1: the query parameter access_token given twice is 400, its name may be encoded", () => {
    const bench = new Bench();
    const token = String(bench.signIn().access_token);
    const twice = `access_token=${token}&access_token=${token}`;
    expect(bench.get(`${PATH}?part=id&mine=true&${twice}`).status).toBe(400);
    expect(bench.get(`${PATH}?part=id&mine=true&access%5Ftoken=${token}`).status).toBe(200);
  });

  test("RFC 9110 §15.5.6: POST is 405; GET and HEAD are allowed", () => {
    const answer = new Bench().send("POST", PATH);
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe("GET, HEAD");
  });

  test("RFC 6750 §3: without a token 401 and a challenge without an error code", () => {
    const answer = new Bench().get(`${PATH}?part=id&mine=true`);
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe('Bearer realm="api"');
    expect(answer.json.error).toMatchObject({ code: 401, status: "UNAUTHENTICATED" });
  });

  test.each(["none", "pga.", "a b", "\u00e9"])("RFC 6750 §3.1: a dead token %j is 401", (token) => {
    const answer = new Bench().get(`${PATH}?part=id&mine=true`, token);
    expect(answer.status).toBe(401);
  });

  test("RFC 6750 §3.1: a revoked token is 401 with error invalid_token in the challenge", () => {
    const bench = new Bench();
    const { access_token } = bench.signIn();
    bench.service.revokeAllFor("ada");
    const answer = bench.get(`${PATH}?part=id&mine=true`, access_token);
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toContain('error="invalid_token"');
    expect(reason(answer)).toBe("authError");
  });

  test("a refresh token is no access token", () => {
    const bench = new Bench();
    const { refresh_token } = bench.signIn();
    expect(bench.get(`${PATH}?part=id&mine=true`, refresh_token).status).toBe(401);
  });
});

describe("device doc §5 scopes and accounts", () => {
  test.each([VIDEO, VIDEO_READONLY])("device doc §5.6: %s suffices", (scope) => {
    expect(signedIn(scope)("part=id&mine=true").status).toBe(200);
  });

  test.each(["email", `${SCOPE_BASE}/auth/storage.file`])(
    "device doc §5.6: %s does not suffice: 403 insufficient_scope",
    (scope) => {
      const answer = signedIn(scope)("part=id&mine=true");
      expect(answer.status).toBe(403);
      expect(answer.headers["www-authenticate"]).toContain('error="insufficient_scope"');
      expect(reason(answer)).toBe("insufficientPermissions");
    },
  );

  test("device doc §5.7 row NoLinkedVideoAccount: a service account is refused with it", () => {
    const answer = signedIn(VIDEO_READONLY, "robot")("part=id&mine=true");
    expect(answer.status).toBe(403);
    expect(reason(answer)).toBe("NoLinkedVideoAccount");
  });
});
