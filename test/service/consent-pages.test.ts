// The second device's pages without a real browser: device doc §1 step 5, §3, §5.8; RFC 8628 §3.3, §5.
// What only a browser can tell (focus, keyboard, widths) is in test/browser.
import { describe, expect, test } from "vitest";
import { Bench, FIXTURE, SCOPE_BASE, VIDEO, VIDEO_READONLY } from "./harness.ts";
import { type Page, Visitor } from "./visitor.ts";

class Walk {
  readonly bench: Bench;
  readonly visitor: Visitor;
  readonly device: string;
  readonly code: string;

  constructor(how: { bench?: Bench; scope?: string; client?: string } = {}) {
    this.bench = how.bench ?? new Bench();
    this.visitor = new Visitor(this.bench.service);
    const { scope = `${VIDEO_READONLY} email`, client = "living-room-tv" } = how;
    const { device_code, user_code } = this.bench.requestCodes({ scope, client_id: client }).json;
    this.device = String(device_code);
    this.code = String(user_code);
  }

  async enter(code = this.code, fields: Record<string, string> = {}): Promise<Page> {
    const page = await this.visitor.get("/device");
    return this.visitor.submit(page, "/device", { user_code: code, ...fields });
  }

  async choose(account = "ada"): Promise<Page> {
    // A visitor who chose before is not asked again unless it says so.
    const chooser = await this.enter(this.code, { choose: "another" });
    return this.visitor.submit(chooser, "/device/account", { account });
  }

  async decide(decision: "allow" | "deny", account = "ada", uncheck: string[] = []): Promise<Page> {
    const page = await this.choose(account);
    return this.visitor.submit(page, "/device/decision", { decision, access: "" }, uncheck);
  }

  poll() {
    return this.bench.poll(this.device);
  }
}

describe("device doc §3 the user decides", () => {
  test("device doc §3: code, account, Allow: the next poll has tokens", async () => {
    const walk = new Walk();
    const page = await walk.decide("allow");
    expect(page.status).toBe(200);
    expect(page.html).toContain("Go back to your device");
    expect(walk.poll().json.scope).toBe(`${VIDEO_READONLY} email`);
  });

  test("device doc §3: Deny: the next poll has access_denied", async () => {
    const walk = new Walk();
    const page = await walk.decide("deny");
    expect(page.html).toContain("got no access");
    expect(walk.poll().json.error).toBe("access_denied");
  });

  test("device doc §2.2: what is unticked is not granted", async () => {
    const walk = new Walk();
    await walk.decide("allow", "ada", ["email"]);
    expect(walk.poll().json.scope).toBe(VIDEO_READONLY);
  });

  test("device doc §2.2: with everything unticked the page asks again and nothing is decided", async () => {
    const walk = new Walk();
    const page = await walk.decide("allow", "ada", ["email", VIDEO_READONLY]);
    expect(page.status).toBe(400);
    expect(page.html).toContain("at least one permission");
    expect(walk.poll().status).toBe(428);
  });

  test("device doc §2.2: time-based access is the user's choice", async () => {
    const walk = new Walk();
    const page = await walk.choose();
    await walk.visitor.submit(page, "/device/decision", { decision: "allow", access: "86400" });
    expect(walk.poll().json.refresh_token_expires_in).toBe(86_400);
  });

  test("device doc §2.2: a duration or a scope that the page did not offer is not taken", async () => {
    const walk = new Walk();
    const page = await walk.choose();
    const odd = { decision: "allow", access: "7" };
    const foreign = [...new Set(walk.bench.service.pending()[0]!.scopes)];
    const refused = await walk.visitor.submit(
      page,
      "/device/decision",
      { ...odd, scope: VIDEO },
      foreign,
    );
    expect(refused.status).toBe(400);
    await walk.visitor.submit(page, "/device/decision", odd);
    expect(walk.poll().json.refresh_token_expires_in).toBeUndefined();
  });

  test("device doc §5.8: the page names the app, the code and each scope in words", async () => {
    const { html } = await new Walk({ scope: `${VIDEO} profile` }).choose();
    expect(html).toContain("Living Room TV wants to use your account");
    expect(html).toContain("Manage your video account");
    expect(html).toContain("See your name and picture");
    expect(html).not.toContain("e-mail address");
    expect(html).toContain("Is this device in front of you?");
  });

  test("device doc §7: a forbidden scope is explained to the user, the poll says admin_policy_enforced", async () => {
    const walk = new Walk({ scope: VIDEO });
    const page = await walk.decide("allow", "pupil");
    expect(page.status).toBe(403);
    expect(page.html).toContain("administrator");
    expect(walk.poll().json.error).toBe("admin_policy_enforced");
  });

  test("device doc §7: an outsider of an internal client is told so", async () => {
    const walk = new Walk({ client: "northwind-kiosk", scope: "email" });
    const page = await walk.decide("allow", "ada");
    expect(page.status).toBe(403);
    expect(page.html).toContain("limited to accounts of its own organization");
  });

  test("RFC 8628 §3.3.1: verification_uri_complete fills the code in but asks to compare it", async () => {
    const walk = new Walk();
    const page = await walk.visitor.get(`/device?user_code=${walk.code}`);
    expect(page.html).toContain(`value="${walk.code}"`);
    expect(page.html).toContain("Is this the code on your device’s screen?");
    expect(walk.poll().status).toBe(428);
  });

  test("a signed-in visitor is not asked for the account again, but can change it", async () => {
    const walk = new Walk();
    await walk.decide("allow");
    const next = new Walk({ bench: walk.bench });
    const page = await walk.visitor.submit(await walk.visitor.get("/device"), "/device", {
      user_code: next.code,
    });
    expect(page.html).toContain("wants to use your account");
    const chooser = await walk.visitor.submit(page, "/device", { choose: "another" });
    expect(chooser.html).toContain("Choose an account");
  });
});

describe("device doc §2.1 typing the code", () => {
  test.each([
    ["with spaces", (code: string) => ` ${code.replace("-", " ")} `],
    ["without the dash", (code: string) => code.replace("-", "")],
    ["with a long dash", (code: string) => code.replace("-", "\u2013")],
  ])("RFC 8628 §6.1: %s", async (_, change) => {
    const walk = new Walk();
    expect((await walk.enter(change(walk.code))).html).toContain("Choose an account");
  });

  test.each([
    ["a wrong code", "BBBB-BBBB", 400, "This code is not right."],
    ["nothing", "  ", 400, "Enter the code that your device shows."],
    ["markup", "<b>&\"'", 400, "This code is not right."],
  ])("device doc §2.1: %s is explained", async (_, code, status, message) => {
    const page = await new Walk().enter(code);
    expect(page.status).toBe(status);
    expect(page.html).toContain(message);
    expect(page.html).toContain('role="alert"');
    expect(page.html).toContain('aria-invalid="true"');
    expect(page.html).not.toContain("<b>&");
  });

  test("device doc §2.1: small letters are wrong, and the page says why", async () => {
    const walk = new Walk();
    const page = await walk.enter(walk.code.toLowerCase());
    expect(page.status).toBe(400);
    expect(page.html).toContain("Capital letters count");
  });

  test("device doc §3: an expired code is explained", async () => {
    const walk = new Walk();
    walk.bench.wait(1800);
    const page = await walk.enter();
    expect(page.status).toBe(410);
    expect(page.html).toContain("This code has expired.");
  });

  test("device doc §3: a used code is explained", async () => {
    const walk = new Walk();
    await walk.decide("allow");
    const page = await walk.enter();
    expect(page.status).toBe(409);
    expect(page.html).toContain("This code was already used.");
  });

  test.each([
    ["allow", "ada", 200, "Go back to your device", `${VIDEO} email`],
    ["deny", "ada", 200, "got no access", "access_denied"],
    ["allow", "pupil", 403, "Your organization does not allow this", "admin_policy_enforced"],
  ])(
    "device doc §3: %s by %s, sent twice or loaded again, says the same again",
    async (decision, account, status, words, told) => {
      const walk = new Walk({ scope: `${VIDEO} email` });
      const form = await walk.choose(account);
      const fields = { decision, access: "" };
      await walk.visitor.submit(form, "/device/decision", fields);
      // What comes again decides nothing anew, before or after the device was told.
      for (const wait of [0, 5, 1800]) {
        walk.bench.wait(wait);
        const again = await walk.visitor.submit(form, "/device/decision", fields, ["email"]);
        expect(again.status).toBe(status);
        expect(again.html).toContain(words);
        if (wait > 0) continue;
        const { json } = walk.poll();
        expect(json.scope ?? json.error).toBe(told);
      }
    },
  );

  test("device doc §3: back, and Deny after Allow, changes nothing and says where to", async () => {
    const walk = new Walk();
    const form = await walk.choose();
    await walk.visitor.submit(form, "/device/decision", { decision: "allow", access: "" });
    const page = await walk.visitor.submit(form, "/device/decision", { decision: "deny" });
    expect(page.status).toBe(409);
    expect(page.html).toMatch(/You allowed this before.*href="\/account"/s);
    expect(walk.poll().status).toBe(200);
  });

  test("device doc §3: back, and Allow after Deny, needs a new code", async () => {
    const walk = new Walk();
    const form = await walk.choose();
    await walk.visitor.submit(form, "/device/decision", { decision: "deny" });
    const page = await walk.visitor.submit(form, "/device/decision", { decision: "allow" });
    expect(page.status).toBe(409);
    expect(page.html).toContain("This code was already used.");
    expect(walk.poll().json.error).toBe("access_denied");
  });

  test("device doc §3: who did not decide is told that the code is used, not how", async () => {
    const walk = new Walk();
    const other = new Visitor(walk.bench.service);
    const entered = await other.submit(await other.get("/device"), "/device", {
      user_code: walk.code,
    });
    const form = await other.submit(entered, "/device/account", { account: "ben" });
    await walk.decide("allow");
    const page = await other.submit(form, "/device/decision", { decision: "allow" });
    expect(page.status).toBe(409);
    expect(page.html).toContain("This code was already used.");
  });

  test("device doc §3: a code that expires between entry and Allow decides nothing", async () => {
    const walk = new Walk();
    const page = await walk.choose();
    walk.bench.wait(1800);
    const end = await walk.visitor.submit(page, "/device/decision", { decision: "allow" });
    expect(end.status).toBe(410);
    expect(walk.poll().json.error).toBe("expired_token");
  });
});

describe("RFC 8628 §5 guessing and phishing", () => {
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

  test("an account changed in another tab is asked about again, not used", async () => {
    const walk = new Walk();
    const page = await walk.choose("ada");
    await walk.choose("ben");
    const end = await walk.visitor.submit(page, "/device/decision", { decision: "allow" });
    expect(end.html).toContain("Ben Calder");
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

describe("device doc §6 the account page", () => {
  async function signedIn(): Promise<{
    bench: Bench;
    visitor: Visitor;
    tokens: Record<string, unknown>;
  }> {
    const bench = new Bench();
    const tokens = bench.signIn({ scope: `${VIDEO_READONLY} email` });
    const visitor = new Visitor(bench.service);
    await visitor.submit(await visitor.get("/account"), "/account/choose", { account: "ada" });
    return { bench, visitor, tokens };
  }

  test("device doc §6: shows the apps with their scopes in words", async () => {
    const { visitor, bench } = await signedIn();
    bench.signIn();
    const { html } = await visitor.get("/account");
    expect(html).toContain("Living Room TV");
    expect(html).toContain("(2 devices)");
    expect(html).toContain("View your video account; See your e-mail address");
  });

  test.each([
    ["/account/remove", "The app has no access any more."],
    ["/account/sign-out-everywhere", "was signed out"],
    ["/account/disable", "The account is disabled."],
  ])("device doc §6: %s ends the device's tokens", async (action, news) => {
    const { bench, visitor, tokens } = await signedIn();
    const page = await visitor.submit(await visitor.get("/account"), action);
    expect(page.html).toContain(news);
    expect(bench.refresh(tokens.refresh_token).json.error).toBe("invalid_grant");
  });

  test("device doc §6: signing out everywhere also ends the browser's session", async () => {
    const { visitor } = await signedIn();
    const page = await visitor.submit(
      await visitor.get("/account"),
      "/account/sign-out-everywhere",
    );
    expect(page.html).toContain("Choose an account");
  });

  test("device doc §6: a disabled account can be enabled again", async () => {
    const { visitor, bench } = await signedIn();
    const disabled = await visitor.submit(await visitor.get("/account"), "/account/disable");
    const page = await visitor.submit(disabled, "/account/enable");
    expect(page.html).toContain("enabled again");
    expect(bench.signIn().token_type).toBe("Bearer");
  });

  test("an action meant for one account is not done to another chosen since", async () => {
    const { bench, visitor, tokens } = await signedIn();
    const page = await visitor.get("/account");
    const chooser = await visitor.submit(page, "/account/choose");
    await visitor.submit(chooser, "/account/choose", { account: "ben" });
    await visitor.submit(page, "/account/disable");
    expect(bench.refresh(tokens.refresh_token).status).toBe(200);
    bench.signIn({ account: "ben" });
  });
});

test("a page's form address opened anew begins again", async () => {
  for (const step of ["account", "decision"]) {
    const page = await new Walk().visitor.get(`/device/${step}`);
    expect(page.status).toBe(200);
    expect(page.html).toContain('action="/device"');
  }
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

test("device doc §5.5: every scope that can be asked for has words of its own", async () => {
  const names = ["storage.appdata", "storage.file", "video", "video.readonly"];
  const scope = ["email", "openid", "profile", ...names.map((n) => `${SCOPE_BASE}/auth/${n}`)].join(
    " ",
  );
  const { html } = await new Walk({ scope }).choose();
  const words = [...html.matchAll(/<span>([^<]+)<\/span><\/label>/g)].map((match) => match[1]);
  expect(new Set(words).size).toBe(7);
});
