// The second device's pages without a real browser: device doc §1 step 5, §3, §5.8; RFC 8628 §3.3.
// What only a browser can tell (focus, keyboard, widths) is in test/browser.
import { describe, expect, test } from "vitest";
import { SCOPE_BASE, VIDEO, VIDEO_READONLY } from "./harness.ts";
import { Visitor } from "./visitor.ts";
import { Walk } from "./walk.ts";

test("RFC 8628 §3.3: the address may have a short path, which leads to the page with the code", async () => {
  const walk = new Walk();
  const { service } = walk.bench;
  service.setOptions({ verificationPath: "/d" });
  const { json } = walk.bench.requestCodes({ scope: "email", client_id: "living-room-tv" });
  expect(json.verification_url).toBe(`${service.baseUrl}/d`);
  const answer = await service.fetch(new Request(String(json.verification_uri_complete)));
  expect(answer.status).toBe(303);
  expect(answer.headers.get("location")).toBe(`/device?user_code=${json.user_code}`);
  expect(() => service.setOptions({ verificationPath: "https://elsewhere/" })).toThrow("path");
});

describe("device doc §3 the user decides", () => {
  test("device doc §3 row device code request and row granted: code, account, Allow, and the next poll has tokens", async () => {
    const walk = new Walk();
    const page = await walk.decide("allow");
    expect(page.status).toBe(200);
    expect(page.html).toContain("Go back to your device");
    expect(walk.poll().json.scope).toBe(`${VIDEO_READONLY} email`);
  });

  test("device doc §3 row denied: the next poll has access_denied", async () => {
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

  test("device doc §2.2: what was unticked and how long was chosen stay so when the page asks again", async () => {
    const walk = new Walk();
    const page = await walk.choose();
    const choice = { decision: "allow", access: "86400" };
    const all = ["email", VIDEO_READONLY];
    const again = await walk.visitor.submit(page, "/device/decision", choice, all);
    expect(again.html).not.toMatch(/<input[^>]*type="checkbox"[^>]*checked/);
    expect(again.html).toMatch(/<option value="86400"[^>]*selected/);
    // A second tap without a look at the page grants nothing.
    const second = await walk.visitor.submit(again, "/device/decision", { decision: "allow" });
    expect(second.status).toBe(400);
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

  test("device doc §5.8 row the consent screen: it names the app, the code and each scope in words", async () => {
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
    expect(page.html).toContain("Ask your administrator to admit the account.");
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

  test("device doc §3 row expired: the page explains it", async () => {
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

test("a page's form address opened anew begins again", async () => {
  for (const step of ["account", "decision"]) {
    const page = await new Walk().visitor.get(`/device/${step}`);
    expect(page.status).toBe(200);
    expect(page.html).toContain('action="/device"');
  }
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
