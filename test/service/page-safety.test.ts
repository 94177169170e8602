// What the pages hold against those who mean ill: guesses, forged forms, markup in names, headers, cookies
// (RFC 8628 §5). What the pages are for is in consent-pages.test.ts and account-page.test.ts.
import { describe, expect, test } from "vitest";
import { Bench, FIXTURE } from "./harness.ts";
import { type Page, Visitor } from "./visitor.ts";
import { Walk } from "./walk.ts";

describe("guessing and phishing", () => {
  async function guess(visitor: Visitor, times: number): Promise<Page> {
    let page = await visitor.get("/device");
    for (let i = 0; i < times; i++)
      page = await visitor.submit(page, "/device", { user_code: "BBBB-BBBB" });
    return page;
  }

  test("RFC 8628 §5.1: after ten wrong codes even the right one has to wait", async () => {
    const walk = new Walk();
    expect((await guess(walk.visitor, 10)).status).toBe(400);
    const page = await walk.enter();
    expect(page.status).toBe(429);
    expect(page.html).toContain("Too many wrong codes. Try again in 10 minutes.");
    walk.bench.wait(600);
    expect((await walk.enter()).html).toContain("Choose an account");
  });

  test("RFC 8628 §5.1: other addresses are not locked out; right codes do not count", async () => {
    const walk = new Walk();
    await guess(walk.visitor, 10);
    const other = new Visitor(walk.bench.service, "203.0.113.2");
    for (let i = 0; i < 12; i++) {
      const page = await other.submit(await other.get("/device"), "/device", {
        user_code: walk.code,
      });
      expect(page.html).toContain("Choose an account");
    }
  });

  test("RFC 8628 §5.1: a code that was left empty is no guess", async () => {
    const walk = new Walk();
    await guess(walk.visitor, 9);
    const page = await walk.visitor.get("/device");
    for (const nothing of ["", " ", "--"]) {
      const end = await walk.visitor.submit(page, "/device", { user_code: nothing });
      expect(end.status).toBe(400);
      expect(end.html).toContain("Enter the code that your device shows.");
    }
    expect((await walk.enter()).html).toContain("Choose an account");
  });

  test("RFC 8628 §5.1: the later pages count guesses as well", async () => {
    const walk = new Walk();
    const page = await walk.choose();
    for (let i = 0; i < 10; i++)
      await walk.visitor.submit(page, "/device/decision", { user_code: "B", decision: "allow" });
    const end = await walk.visitor.submit(page, "/device/decision", { decision: "allow" });
    expect(end.status).toBe(429);
    expect(walk.poll().status).toBe(428);
  });

  test.each(["/device", "/device/account", "/device/decision", "/account/disable"])(
    "a form that no page of this visit sent is refused: %s",
    async (path) => {
      const walk = new Walk();
      await walk.choose();
      const fields = { user_code: walk.code, account: "ada", decision: "allow" };
      const forged = await walk.visitor.post(path, { ...fields, csrf: "guess" });
      expect(forged.status).toBe(403);
      const cookieless = await new Visitor(walk.bench.service).post(path, fields);
      expect(cookieless.status).toBe(403);
      expect(walk.poll().status).toBe(428);
    },
  );

  test("the form token of one visit is worth nothing in another", async () => {
    const walk = new Walk();
    const page = await walk.choose();
    const other = new Visitor(walk.bench.service);
    await other.get("/device");
    const end = await other.submit(page, "/device/decision", { decision: "allow" });
    expect(end.status).toBe(403);
  });

  test("after another sign-in in another tab an older form decides nothing", async () => {
    const walk = new Walk();
    const page = await walk.choose("ada");
    await walk.choose("ben");
    const end = await walk.visitor.submit(page, "/device/decision", { decision: "allow" });
    expect([end.status, end.html.includes("Please start again")]).toEqual([403, true]);
    expect(walk.poll().status).toBe(428);
  });

  test("a disabled account cannot be chosen", async () => {
    const walk = new Walk();
    const page = await walk.choose("gone");
    expect(page.status).toBe(400);
    expect(page.html).toContain("Choose an account");
  });
});

describe("pages are safe to look at", () => {
  const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>'&`;

  test("names with markup stay text, everywhere", async () => {
    const clients = [{ id: "evil", name: evil, secret: "s" }];
    const accounts = [{ id: "a", name: evil, email: evil }];
    const bench = new Bench(
      {},
      {
        fixture: { ...FIXTURE, clients, accounts, broadcasts: [], applications: [], receivers: [] },
      },
    );
    const walk = new Walk({ bench, client: "evil", scope: "email" });
    const pages = [await walk.enter(), await walk.choose("a"), await walk.decide("allow", "a")];
    bench.poll(walk.device, { client_id: "evil", client_secret: "s" });
    pages.push(await walk.visitor.get("/account"), await walk.visitor.get("/"));
    for (const { html } of pages) {
      expect(html).not.toMatch(/<script|<img/);
      expect(html).toContain("&lt;script&gt;");
    }
  });

  test("the code of the link stays text", async () => {
    const page = await new Walk().visitor.get(`/device?user_code=${encodeURIComponent(evil)}`);
    expect(page.html).not.toMatch(/<script|<img/);
  });

  test.each([
    ["/", "no-store"],
    ["/device", "private, no-cache"],
    ["/account", "no-store"],
  ])("%s: strict policy, no framing, no caching beyond the way back: %s", async (path, caching) => {
    const { headers, status } = await new Visitor(new Bench().service).get(path);
    expect(status).toBe(200);
    const policy = headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).not.toMatch(/unsafe|script-src/);
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe(caching);
  });

  test("refusals carry the same headers", async () => {
    const page = await new Visitor(new Bench().service).post("/device", {});
    expect(page.status).toBe(403);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  });

  test("the session cookie is out of reach of scripts and foreign sites", async () => {
    const { headers } = await new Visitor(new Bench().service).get("/device");
    const cookie = headers.get("set-cookie")!;
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Lax/);
    expect(cookie).not.toMatch(/Secure/);
    const secure = await new Visitor(new Bench({ baseUrl: "https://s.test" }).service).get(
      "/device",
    );
    expect(secure.headers.get("set-cookie")).toMatch(/Secure/);
  });

  test("no page has a script, an inline style or a foreign address", async () => {
    const walk = new Walk();
    const pages = [await walk.visitor.get("/device"), await walk.enter(), await walk.choose()];
    for (const { html } of pages) {
      expect(html).not.toMatch(/<script|\sstyle=|\son\w+=|javascript:/i);
      // Scope identifiers are addresses, too, but never links.
      const addresses = [...html.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(
        (match) => match[1],
      );
      expect(addresses.length).toBeGreaterThan(2);
      for (const address of addresses) expect(address).toMatch(/^\//);
      expect(html).toMatch(/<html lang="en">/);
    }
  });
});

test.each([
  ["PUT", "/device", "GET, HEAD, POST"],
  ["DELETE", "/device/decision", "POST, GET, HEAD"],
  ["POST", "/", "GET, HEAD"],
  ["POST", "/account", "GET, HEAD"],
  ["GET", "/account/disable", "POST"],
  ["POST", "/assets/pages.css", "GET, HEAD"],
])("RFC 9110 §15.5.6: %s %s is 405 with the methods allowed", async (method, path, allow) => {
  const { service } = new Bench();
  const answer = await service.fetch(new Request(new URL(path, service.baseUrl), { method }));
  expect(answer.status).toBe(405);
  expect(answer.headers.get("allow")?.split(", ").sort()).toEqual(allow.split(", ").sort());
});
