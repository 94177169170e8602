// The pages without a real browser: device doc §1 step 5, §2.1, §3, §5.8, §6; RFC 8628 §3.3; and what they hold against
// those who mean ill (RFC 8628 §5). What only a browser can tell (focus, keyboard, widths) is in test/browser.

import { describe, expect, test } from "vitest";
import { Bench, FIXTURE, SCOPE_BASE, VIDEO, VIDEO_READONLY } from "./harness.ts";
import { type Page, Visitor, Walk } from "./visitor.ts";

const DECISION = "/device/decision";
const ALLOW = { decision: "allow", access: "" };

function shows(page: Page, status: number, ...words: readonly (string | RegExp)[]): void {
  expect(page.status, page.html).toBe(status);
  for (const one of words) expect(page.html).toMatch(one);
}

/** What the next poll says: the scopes, or the error. */
function told(walk: Walk): unknown {
  const { scope, error } = walk.poll().json;
  return scope ?? error;
}

describe("device doc §3 the user decides", () => {
  test.each([
    [
      "device doc §3 row device code request and row granted: code, account, Allow, and the next poll has tokens",
      ["allow", "ada", [], {}, 200, "Go back to your device", `${VIDEO_READONLY} email`],
    ],
    [
      "device doc §3 row denied: the next poll has access_denied",
      ["deny", "ada", [], {}, 200, "got no access", "access_denied"],
    ],
    [
      "device doc §2.2: what is unticked is not granted",
      ["allow", "ada", ["email"], {}, 200, "Go back to your device", VIDEO_READONLY],
    ],
    [
      "device doc §2.2: with everything unticked the page asks again and nothing is decided",
      [
        "allow",
        "ada",
        ["email", VIDEO_READONLY],
        {},
        400,
        "at least one permission",
        "authorization_pending",
      ],
    ],
    [
      "device doc §7: a forbidden scope is explained to the user, the poll says admin_policy_enforced",
      ["allow", "pupil", [], { scope: VIDEO }, 403, "administrator", "admin_policy_enforced"],
    ],
    [
      "device doc §7: an outsider of an internal client is told so",
      [
        "allow",
        "ada",
        [],
        { client: "northwind-kiosk", scope: "email" },
        403,
        "Ask your administrator to admit",
        undefined,
      ],
    ],
  ] as const)("%s", async (_, [decision, account, unticked, how, status, words, expected]) => {
    const walk = new Walk(how);
    shows(await walk.decide(decision, account, [...unticked]), status, words);
    if (expected !== undefined) expect(told(walk)).toBe(expected);
  });

  test("device doc §2.2: what was unticked and how long was chosen stay so when the page asks again", async () => {
    const walk = new Walk();
    const choice = { decision: "allow", access: "86400" };
    const all = ["email", VIDEO_READONLY];
    const again = await walk.visitor.submit(await walk.choose(), DECISION, choice, all);
    expect(again.html).not.toMatch(/<input[^>]*type="checkbox"[^>]*checked/);
    expect(again.html).toMatch(/<option value="86400"[^>]*selected/);
    // A second tap without a look at the page grants nothing.
    shows(await walk.visitor.submit(again, DECISION, { decision: "allow" }), 400);
    expect(told(walk)).toBe("authorization_pending");
  });

  test("device doc §2.2: time-based access is the user's choice, and of what the page offers", async () => {
    const walk = new Walk();
    await walk.visitor.submit(await walk.choose(), DECISION, {
      decision: "allow",
      access: "86400",
    });
    expect(walk.poll().json.refresh_token_expires_in).toBe(86_400);
    const other = new Walk();
    const page = await other.choose();
    const odd = { decision: "allow", access: "7" };
    const own = ["email", VIDEO_READONLY];
    shows(await other.visitor.submit(page, DECISION, { ...odd, scope: VIDEO }, own), 400);
    await other.visitor.submit(page, DECISION, odd);
    expect(other.poll().json).not.toHaveProperty("refresh_token_expires_in");
  });

  test("device doc §5.8 row the consent screen: it names the app, the code and each scope in words of its own", async () => {
    const walk = new Walk({ scope: `${VIDEO} profile` });
    const page = await walk.choose();
    shows(page, 200, "Living Room TV wants to use your account", "Manage your video account");
    shows(page, 200, "See your name and picture", "Is this device in front of you?", walk.code);
    expect(page.html).not.toContain("e-mail address");
    const names = ["storage.appdata", "storage.file", "video", "video.readonly"];
    const all = [
      "email",
      "openid",
      "profile",
      ...names.map((name) => `${SCOPE_BASE}/auth/${name}`),
    ];
    const { html } = await new Walk({ scope: all.join(" ") }).choose();
    const words = [...html.matchAll(/<span>([^<]+)<\/span><\/label>/g)].map((match) => match[1]);
    expect(new Set(words).size).toBe(7);
  });

  test("RFC 8628 §3.3.1: verification_uri_complete fills the code in but asks to compare it", async () => {
    const walk = new Walk();
    const page = await walk.visitor.get(`/device?user_code=${walk.code}`);
    shows(page, 200, `value="${walk.code}"`, "Is this the code on your device’s screen?");
    expect(told(walk)).toBe("authorization_pending");
  });

  test("RFC 8628 §3.3: the address may have a short path, which leads to the page with the code", async () => {
    const bench = new Bench({ verificationPath: "/d" });
    const { verification_url, verification_uri_complete, user_code } = bench.requestCodes().json;
    expect(verification_url).toBe(`${bench.service.baseUrl}/d`);
    const answer = await bench.service.fetch(new Request(String(verification_uri_complete)));
    const location = answer.headers.get("location");
    expect([answer.status, location]).toEqual([303, `/device?user_code=${user_code}`]);
    const verificationPath = "https://elsewhere/";
    expect(() => bench.service.setOptions({ verificationPath })).toThrow("path");
  });

  test("a signed-in visitor is not asked for the account again, but can change it", async () => {
    const walk = new Walk();
    await walk.decide("allow");
    const { code: user_code } = new Walk({ bench: walk.bench });
    const entry = await walk.visitor.get("/device");
    const page = await walk.visitor.submit(entry, "/device", { user_code });
    shows(page, 200, "wants to use your account");
    shows(
      await walk.visitor.submit(page, "/device", { choose: "another" }),
      200,
      "Choose an account",
    );
  });
});

describe("device doc §2.1 typing the code", () => {
  const LATE = (walk: Walk) => walk.bench.wait(1800);
  const USED = (walk: Walk) => walk.decide("allow");
  const same = (code: string) => code;
  test.each([
    [
      "RFC 8628 §6.1: with spaces",
      (code: string) => ` ${code.replace("-", " ")} `,
      200,
      "Choose an account",
    ],
    [
      "RFC 8628 §6.1: without the dash",
      (code: string) => code.replace("-", ""),
      200,
      "Choose an account",
    ],
    [
      "RFC 8628 §6.1: with a long dash",
      (code: string) => code.replace("-", "\u2013"),
      200,
      "Choose an account",
    ],
    ["device doc §2.1: a wrong code", () => "BBBB-BBBB", 400, "This code is not right."],
    ["device doc §2.1: nothing", () => "  ", 400, "Enter the code that your device shows."],
    ["device doc §2.1: markup", () => "<b>&\"'", 400, "This code is not right."],
    [
      "device doc §2.1: small letters",
      (code: string) => code.toLowerCase(),
      400,
      "Capital letters count",
    ],
    ["device doc §3 row expired: the page explains it", same, 410, "This code has expired.", LATE],
    ["device doc §3: a used code", same, 409, "This code was already used.", USED],
  ] as const)("%s", async (_, typed, status, words, before?: (walk: Walk) => unknown) => {
    const walk = new Walk();
    await before?.(walk);
    const page = await walk.enter(typed(walk.code));
    shows(page, status, words);
    if (status !== 200) shows(page, status, 'role="alert"', 'aria-invalid="true"');
    expect(page.html).not.toContain("<b>&");
  });

  test.each([
    ["allow", "ada", 200, "Go back to your device", `${VIDEO} email`],
    ["deny", "ada", 200, "got no access", "access_denied"],
    ["allow", "pupil", 403, "Your organization does not allow this", "admin_policy_enforced"],
  ])(
    "device doc §3: %s by %s, sent twice or loaded again, says the same again",
    async (decision, account, status, words, expected) => {
      const walk = new Walk({ scope: `${VIDEO} email` });
      const form = await walk.choose(account);
      const fields = { decision, access: "" };
      await walk.visitor.submit(form, DECISION, fields);
      // What comes again decides nothing anew, before or after the device was told.
      for (const wait of [0, 5, 1800]) {
        walk.bench.wait(wait);
        shows(await walk.visitor.submit(form, DECISION, fields, ["email"]), status, words);
        if (wait === 0) expect(told(walk)).toBe(expected);
      }
    },
  );

  test.each([
    [
      "Deny after Allow",
      "allow",
      "deny",
      /You allowed this before.*href="\/account"/s,
      `${VIDEO_READONLY} email`,
    ],
    ["Allow after Deny", "deny", "allow", "This code was already used.", "access_denied"],
  ])("device doc §3: back, and %s, changes nothing", async (_, first, second, words, expected) => {
    const walk = new Walk();
    const form = await walk.choose();
    await walk.visitor.submit(form, DECISION, { decision: first, access: "" });
    shows(await walk.visitor.submit(form, DECISION, { decision: second }), 409, words);
    expect(told(walk)).toBe(expected);
  });

  test("device doc §3: who did not decide is told that the code is used, not how", async () => {
    const walk = new Walk();
    const other = new Walk({ bench: walk.bench });
    const entry = await other.visitor.get("/device");
    const entered = await other.visitor.submit(entry, "/device", { user_code: walk.code });
    const form = await other.visitor.submit(entered, "/device/account", { account: "ben" });
    await walk.decide("allow");
    shows(await other.visitor.submit(form, DECISION, ALLOW), 409, "This code was already used.");
  });

  test("device doc §3: a code that expires between entry and Allow decides nothing", async () => {
    const walk = new Walk();
    const page = await walk.choose();
    walk.bench.wait(1800);
    shows(await walk.visitor.submit(page, DECISION, ALLOW), 410);
    expect(told(walk)).toBe("expired_token");
  });

  test.each(["account", "decision"])(
    "the address of the form %s opened anew begins again",
    async (step) => {
      shows(await new Walk().visitor.get(`/device/${step}`), 200, 'action="/device"');
    },
  );
});

describe("guessing and phishing", () => {
  async function guess(visitor: Visitor, times: number): Promise<void> {
    let page = await visitor.get("/device");
    for (let i = 0; i < times; i++)
      page = await visitor.submit(page, "/device", { user_code: "BBBB-BBBB" });
  }

  test("RFC 8628 §5.1: after ten wrong codes even the right one has to wait; other addresses, right codes and empty ones do not count", async () => {
    const walk = new Walk();
    await guess(walk.visitor, 9);
    for (const nothing of ["", " ", "--"]) shows(await walk.enter(nothing), 400, "Enter the code");
    shows(await walk.enter(), 200, "Choose an account");
    await guess(walk.visitor, 1);
    shows(await walk.enter(), 429, "Too many wrong codes. Try again in 10 minutes.");
    const other = new Visitor(walk.bench.service, "203.0.113.2");
    for (let i = 0; i < 12; i++) {
      const page = await other.submit(await other.get("/device"), "/device", {
        user_code: walk.code,
      });
      shows(page, 200, "Choose an account");
    }
    walk.bench.wait(600);
    shows(await walk.enter(), 200, "Choose an account");
  });

  test("RFC 8628 §5.1: the later pages count guesses as well", async () => {
    const walk = new Walk();
    const page = await walk.choose();
    for (let i = 0; i < 10; i++)
      await walk.visitor.submit(page, DECISION, { user_code: "B", decision: "allow" });
    shows(await walk.visitor.submit(page, DECISION, ALLOW), 429);
    expect(told(walk)).toBe("authorization_pending");
  });

  test.each(["/device", "/device/account", DECISION, "/account/disable"])(
    "a form that no page of this visit sent is refused: %s",
    async (path) => {
      const walk = new Walk();
      await walk.choose();
      const fields = { user_code: walk.code, account: "ada", decision: "allow" };
      shows(await walk.visitor.post(path, { ...fields, csrf: "guess" }), 403);
      const cookieless = await new Visitor(walk.bench.service).post(path, fields);
      shows(cookieless, 403);
      expect(cookieless.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(told(walk)).toBe("authorization_pending");
    },
  );

  test("the form of one visit is worth nothing in another, or after another sign-in in another tab", async () => {
    const walk = new Walk();
    const page = await walk.choose();
    const other = new Visitor(walk.bench.service);
    await other.get("/device");
    shows(await other.submit(page, DECISION, ALLOW), 403);
    await walk.choose("ben");
    shows(await walk.visitor.submit(page, DECISION, ALLOW), 403, "Please start again");
    expect(told(walk)).toBe("authorization_pending");
  });

  test("a disabled account cannot be chosen", async () => {
    shows(await new Walk().choose("gone"), 400, "Choose an account");
  });
});

describe("pages are safe to look at", () => {
  const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>'&`;

  test("names and codes with markup stay text, everywhere", async () => {
    const clients = [{ id: "evil", name: evil, secret: "s" }];
    const accounts = [{ id: "a", name: evil, email: evil }];
    const rest = { broadcasts: [], applications: [], receivers: [] };
    const bench = new Bench({}, { fixture: { ...FIXTURE, clients, accounts, ...rest } });
    const walk = new Walk({ bench, client: "evil", scope: "email" });
    const pages = [await walk.enter(), await walk.choose("a"), await walk.decide("allow", "a")];
    bench.poll(walk.device, { client_id: "evil", client_secret: "s" });
    pages.push(await walk.visitor.get("/account"), await walk.visitor.get("/"));
    pages.push(await walk.visitor.get(`/device?user_code=${encodeURIComponent(evil)}`));
    for (const { html } of pages) {
      expect(html).not.toMatch(/<script|<img/);
      expect(html).toContain("&lt;script&gt;");
    }
  });

  test.each([
    ["/", "no-store"],
    ["/device", "private, no-cache"],
    ["/account", "no-store"],
  ])("%s: strict policy, no framing, no caching beyond the way back: %s", async (path, caching) => {
    const { headers, status } = await new Visitor(new Bench().service).get(path);
    expect(status).toBe(200);
    const policy = headers.get("content-security-policy");
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'"])
      expect(policy).toContain(part);
    expect(policy).not.toMatch(/unsafe|script-src/);
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe(caching);
    const framed = await new Visitor(new Bench({ framedBySelf: true }).service).get(path);
    expect(framed.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
    expect(framed.headers.get("x-frame-options")).toBe("SAMEORIGIN");
  });

  test("the session cookie is out of reach of scripts and foreign sites", async () => {
    const cookie = async (options: object) =>
      (await new Visitor(new Bench(options).service).get("/device")).headers.get("set-cookie");
    expect(await cookie({})).toMatch(/^(?!.*Secure).*HttpOnly.*SameSite=Lax/);
    expect(await cookie({ baseUrl: "https://s.test" })).toMatch(/Secure/);
  });

  test("no page has a script, an inline style or a foreign address", async () => {
    const walk = new Walk();
    const pages = [await walk.visitor.get("/device"), await walk.enter(), await walk.choose()];
    for (const { html } of pages) {
      expect(html).not.toMatch(/<script|\sstyle=|\son\w+=|javascript:/i);
      // Scope identifiers are addresses, too, but never links.
      const links = [...html.matchAll(/(?:href|src|action)="([^"]*)"/g)];
      expect(links.length).toBeGreaterThan(2);
      for (const [, address] of links) expect(address).toMatch(/^\//);
      expect(html).toMatch(/<html lang="en">/);
    }
  });

  test.each([
    ["https://auth.example.test/device", 200],
    ["http://192.168.1.7:8080/account", 200],
    ["http://[::1]:8080/device", 200],
    ["http://localhost:8080/", 200],
    ["http://evil.example/device", 403],
    ["http://auth.example.test.evil.example/account", 403],
  ])("under the service's own names only (DNS rebinding): %s: %i", async (url, status) => {
    const { service } = new Bench({ baseUrl: "https://auth.example.test" });
    const answer = await service.fetch(new Request(url));
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.headers.get("set-cookie")).toBeNull();
  });

  test.each([
    ["PUT", "/device", "GET, HEAD, POST"],
    ["DELETE", DECISION, "GET, HEAD, POST"],
    ["POST", "/", "GET, HEAD"],
    ["GET", "/account/disable", "POST"],
    ["POST", "/assets/pages.css", "GET, HEAD"],
  ])("RFC 9110 §15.5.6: %s %s is 405 with the methods allowed", async (method, path, allow) => {
    const { status, headers } = await new Bench().fetch(method, path);
    expect([status, headers.allow?.split(", ").sort().join(", ")]).toEqual([405, allow]);
  });
});

describe("device doc §6 the account page", () => {
  async function signedIn() {
    const bench = new Bench();
    const tokens = bench.signIn({ scope: `${VIDEO_READONLY} email` });
    const visitor = new Visitor(bench.service);
    await visitor.submit(await visitor.get("/account"), "/account/choose", { account: "ada" });
    const press = async (action: string) => visitor.submit(await visitor.get("/account"), action);
    return { bench, visitor, press, refresh: () => bench.refresh(tokens.refresh_token) };
  }

  test("device doc §6: shows the apps with their scopes in words", async () => {
    const { visitor, bench } = await signedIn();
    bench.signIn();
    const words = "View your video account; See your e-mail address";
    shows(await visitor.get("/account"), 200, "Living Room TV", "(2 devices)", words);
  });

  test.each([
    ["/account/remove", "The app has no access any more.", "Ada Brook"],
    ["/account/sign-out-everywhere", "was signed out", "Choose an account"],
    ["/account/disable", "The account is disabled.", "Enable the account"],
  ])("device doc §6: %s ends the device's tokens", async (action, news, next) => {
    const { press, refresh, bench } = await signedIn();
    shows(await press(action), 200, news, next);
    expect(refresh().json.error).toBe("invalid_grant");
    if (!action.endsWith("disable")) return;
    shows(await press("/account/enable"), 200, "enabled again");
    expect(bench.signIn().token_type).toBe("Bearer");
  });

  test("an action meant for one account is not done to another chosen since", async () => {
    const { visitor, refresh, bench } = await signedIn();
    const page = await visitor.get("/account");
    const chooser = await visitor.submit(page, "/account/choose");
    await visitor.submit(chooser, "/account/choose", { account: "ben" });
    await visitor.submit(page, "/account/disable");
    expect(refresh().status).toBe(200);
    expect(bench.service.isDisabled("ben")).toBe(false);
  });

  test("sessions cannot be fixed by somebody else: an id that was made up is replaced, and so is one that signs in", async () => {
    const { service } = new Bench();
    const open = (cookie: string, init: RequestInit = {}) =>
      service.fetch(new Request(`${service.baseUrl}/account`, { ...init, headers: { cookie } }));
    const cookieOf = ({ headers }: Response) => headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    const foreign = new Bench({}, { random: (count) => new Uint8Array(count).fill(7) });
    const { headers } = await new Visitor(foreign.service).get("/account");
    const planted = [headers.get("set-cookie")!, `picogrant_session=${"a".repeat(22)}`];
    for (const one of planted) expect(cookieOf(await open(one))).toMatch(/^picogrant_session=/);
    const before = cookieOf(await open(""));
    const csrf = /name="csrf" value="([^"]+)"/.exec(await (await open(before)).text())![1]!;
    const chosen = await service.fetch(
      new Request(`${service.baseUrl}/account/choose`, {
        method: "POST",
        body: new URLSearchParams({ csrf, account: "ada" }),
        headers: { cookie: before },
      }),
    );
    const after = cookieOf(chosen);
    expect(after).not.toBe(before);
    expect(await (await open(after)).text()).toContain("Ada Brook");
    expect(await (await open(before)).text()).toContain("Choose an account");
  });
});
