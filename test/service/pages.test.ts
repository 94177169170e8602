// Tests the pages without a real browser (RFC 8628 §3.3), and their protection (RFC 8628 §5).

import { describe, expect, test } from "vitest";
import { createScopes } from "../../targets/service/scopes.ts";
import { testRows } from "./dialogue.ts";
import { Bench, FIXTURE, pendingCode, SCOPE_BASE } from "./harness.ts";
import { type Page, UserAgent } from "./user-agent.ts";

const REQUEST = "code scope=video.readonly,email -> 200";
const PAGES = [REQUEST, "enter -> 200 says='Choose~an~account'", "choose ada -> 200"];
const SIGNED_IN = [
  "sign-in scope=video.readonly,email -> 200",
  "look /account -> 200",
  "submit /account/choose account=ada -> 200",
];
const PENDING = "poll -> 428 authorization_pending";
const WRONG = "enter code=BBBB-BBBB -> 400";

testRows`
device doc §3 row device code request and row granted: code, account, Allow, and the next poll has tokens
  ${PAGES}
  press allow -> 200 says='Go~back~to~your~device'
  poll -> 200 scope=video.readonly,email
device doc §3 row denied: the next poll has access_denied
  ${PAGES}
  press deny -> 200 says='got~no~access'
  poll -> 403 access_denied
device doc §2.2: an unticked scope is not granted
  ${PAGES}
  press allow untick=email -> 200
  poll -> 200 scope=video.readonly
device doc §2.2: with everything unticked the page shows an error, decides nothing, and keeps the user's choices
  ${PAGES}
  press allow untick=email,video.readonly access=86400 -> 400 says='at~least~one~permission'
  press allow -> 400
  ${PENDING}
device doc §2.2: time-based access is the user's choice
  ${PAGES}
  press allow access=86400 -> 200
  poll -> 200 refresh_token_expires_in=86400
device doc §2.2: a duration or a scope that the page did not offer is rejected
  ${PAGES}
  press allow access=7 scope=video untick=email,video.readonly -> 400
  enter -> 200
  press allow access=7 -> 200
  poll -> 200 -refresh_token_expires_in scope=video.readonly,email
device doc §7: a forbidden scope is explained to the user, and the poll has admin_policy_enforced
  code scope=video -> 200
  enter -> 200
  choose pupil -> 200
  press allow -> 403 says='Ask~your~administrator~to~allow'
  poll -> 400 admin_policy_enforced
device doc §7: an outsider of an internal client gets an explanation
  code client=kiosk scope=email -> 200
  enter -> 200
  choose ada -> 200
  press allow -> 403 says='Ask~your~administrator~to~admit'
device doc §5.8 row the consent screen: it names the app, the code and each scope in words
  code scope=video,profile -> 200
  enter -> 200
  choose ada -> 200 says='Living~Room~TV~wants~to~use~your~account' says=$user
  enter -> 200 says='Manage~your~video~account' says='See~your~name~and~picture'
  enter -> 200 says='Is~this~device~in~front~of~you?' lacks=e-mail
RFC 8628 §3.3.1: verification_uri_complete fills the code in, and the user has to compare it
  ${REQUEST}
  look /device?user_code=$user -> 200 says=$user says='Is~this~the~code~on~your~device’s~screen?'
  ${PENDING}
a signed-in visitor does not choose the account again, but can change it; a disabled one cannot be chosen
  ${PAGES}
  press allow -> 200
  ${REQUEST}
  enter -> 200 says='wants~to~use~your~account'
  submit /device choose=another -> 200 says='Choose~an~account'
  choose gone -> 400 says='Choose~an~account'
device doc §2.1: the page explains what is wrong with a code
  ${WRONG} says='This~code~is~wrong.' says='role="alert"' says='aria-invalid="true"'
  enter code='~' -> 400 says='Enter~the~code~that~your~device~shows.'
  enter code='<b>&"' -> 400 says='This~code~is~wrong.' lacks=<b>&
  enter code=bbbb-bbbb -> 400 says='Case~matters'
device doc §3 row expired: the page explains it
  ${REQUEST}
  wait 1800
  enter -> 410 says='This~code~has~expired.'
device doc §3: a used code is explained; Deny after Allow changes nothing, and the page links to the account
  ${PAGES}
  press allow -> 200
  enter -> 409 says='This~code~was~already~used.'
  press deny -> 409 says='You~have~already~allowed~this.' says='href="/account"'
  poll -> 200
device doc §3: Allow after Deny needs a new code
  ${PAGES}
  press deny -> 200
  press allow -> 409 says='This~code~was~already~used.'
  poll -> 403 access_denied
device doc §3: other users learn that the code is used, not the decision
  ${PAGES}
  browser other
  enter -> 200
  choose ben -> 200
  browser
  press allow -> 200
  browser other
  press allow -> 409 says='This~code~was~already~used.'
device doc §3: a code that expires between entry and Allow decides nothing
  ${PAGES}
  wait 1800
  press allow -> 410
  poll -> 400 expired_token
opening a form's address again restarts the flow
  look /device/account -> 200 says='action="/device"'
  look /device/decision -> 200 says='action="/device"'
device doc §6: the account page shows the apps with their scopes in words
  sign-in -> 200
  ${SIGNED_IN}
  look /account -> 200 says='Living~Room~TV' says='(2~devices)'
  look /account -> 200 says='View~your~video~account;~See~your~e-mail~address'
`;

for (const [decision, account, page, reported] of [
  ["allow", "ada", "200 says='Go~back~to~your~device'", "200 scope=video,email"],
  ["deny", "ada", "200 says='got~no~access'", "403 access_denied"],
  ["allow", "pupil", "403 says='organization~does~not~allow'", "400 admin_policy_enforced"],
] as const)
  testRows`
device doc §3: ${decision} by ${account}, sent twice or reloaded, has the same response and decides nothing new
  code scope=video,email -> 200
  enter -> 200
  choose ${account} -> 200
  press ${decision} -> ${page}
  press ${decision} untick=email -> ${page}
  poll -> ${reported}
  wait 5
  press ${decision} -> ${page}
  wait 1800
  press ${decision} -> ${page}
`;

for (const [action, news, next] of [
  ["remove", "The~app~no~longer~has~access.", "No~app~has~access."],
  ["sign-out-everywhere", "was~signed~out", "Choose~an~account"],
  ["disable", "The~account~is~disabled.", "Enable~the~account"],
] as const)
  testRows`
device doc §6: /account/${action} ends the device's tokens
  ${SIGNED_IN}
  submit /account/${action} -> 200 says='${news}' says='${next}'
  refresh -> 400 invalid_grant
  ${action === "disable" ? "submit /account/enable -> 200 says='enabled~again'" : []}
`;

for (const path of ["/device", "/device/account", "/device/decision", "/account/disable"])
  testRows`
a form that no page of this visit sent is rejected: ${path}
  ${PAGES}
  send ${path} csrf=guess user_code=$user account=ada decision=allow -> 403
  browser new
  send ${path} user_code=$user account=ada decision=allow -> 403 says='Please~start~again'
  ${PENDING}
`;

testRows`
RFC 8628 §5.1: after ten wrong codes even the right one has to wait; other addresses, right and empty ones do not count
  ${REQUEST}
  ${Array<string>(9).fill(WRONG)}
  ${["", "'~'", "--"].map((nothing) => `enter code=${nothing} -> 400`)}
  enter -> 200
  ${WRONG}
  enter -> 429 says='Too~many~wrong~codes.~Try~again~in~10~minutes.'
  browser other 203.0.113.2
  ${Array<string>(12).fill("enter -> 200")}
  browser
  wait 600
  enter -> 200
RFC 8628 §5.1: the later pages count guesses too
  ${PAGES}
  ${Array<string>(10).fill("submit /device/decision user_code=B decision=allow -> 400")}
  press allow -> 429
  ${PENDING}
a form belongs to its account: with another account's name it has no effect
  ${PAGES}
  press allow account=ben -> 200 says='wants~to~use'
  ${PENDING}
  ${SIGNED_IN}
  submit /account/disable account=ben -> 200
  refresh -> 200
a form of one visit is invalid in another
  ${PAGES}
  browser other
  look /device -> 200
  press allow -> 403
  ${PENDING}
`;

test("a form is invalid after another sign-in in another tab", async () => {
  const bench = new Bench();
  const { refresh_token } = bench.signIn();
  const { device, user } = pendingCode(bench);
  const userAgent = new UserAgent(bench.service);
  const choose = async (account: string) => {
    const entry = await userAgent.get("/device");
    const chooser = await userAgent.submit(entry, "/device", {
      user_code: user,
      choose: "another",
    });
    return userAgent.submit(chooser, "/device/account", { account });
  };
  const older = [await choose("ada"), await userAgent.get("/account")] as const;
  await choose("ben");
  const end = await userAgent.submit(older[0], "/device/decision", { decision: "allow" });
  expect([end.status, end.html.includes("Please start again")]).toEqual([403, true]);
  await userAgent.submit(older[1], "/account/disable");
  expect(bench.poll(device).status).toBe(428);
  expect(bench.refresh(refresh_token).status).toBe(200);
  expect(bench.service.isDisabled("ben")).toBe(false);
});

test("RFC 8628 §3.3: the verification URI may have a short path, which redirects to the page for the code", async () => {
  const bench = new Bench({ verificationPath: "/d", verificationUriComplete: true });
  const { verification_url, verification_uri_complete, user_code } = bench.requestCodes().json;
  expect(verification_url).toBe(`${bench.service.baseUrl}/d`);
  const response = await bench.service.fetch(new Request(String(verification_uri_complete)));
  const location = response.headers.get("location");
  expect([response.status, location]).toEqual([303, `/device?user_code=${user_code}`]);
  const verificationPath = "https://elsewhere/";
  expect(() => bench.service.setOptions({ verificationPath })).toThrow("path");
});

test("device doc §5.5: every scope that can be requested has its own description", () => {
  const words = [...createScopes(SCOPE_BASE, true).byId.values()].map((scope) => scope.words);
  expect(new Set(words).size).toBe(words.length);
});

describe("security of the pages", () => {
  const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>'&`;

  async function decide(userAgent: UserAgent, user_code: string, account: string): Promise<Page[]> {
    const chooser = await userAgent.submit(await userAgent.get("/device"), "/device", {
      user_code,
    });
    const form = await userAgent.submit(chooser, "/device/account", { account });
    return [chooser, form, await userAgent.submit(form, "/device/decision", { decision: "allow" })];
  }

  test("names and codes with markup stay text on every page", async () => {
    const clients = [{ id: "evil", name: evil, secret: "s" }];
    const accounts = [{ id: "a", name: evil, email: evil }];
    const rest = { broadcasts: [], applications: [], receivers: [] };
    const bench = new Bench({}, { fixture: { ...FIXTURE, clients, accounts, ...rest } });
    const { device, user } = pendingCode(bench, { client_id: "evil", scope: "email" });
    const userAgent = new UserAgent(bench.service);
    const pages = await decide(userAgent, user, "a");
    bench.poll(device, { client_id: "evil", client_secret: "s" });
    for (const path of ["/account", "/", `/device?user_code=${encodeURIComponent(evil)}`])
      pages.push(await userAgent.get(path));
    for (const { html } of pages) {
      expect(html).not.toMatch(/<script|<img/);
      expect(html).toContain("&lt;script&gt;");
    }
  });

  test.each([
    ["/", "no-store"],
    ["/device", "private, no-cache"],
    ["/account", "no-store"],
  ])(
    "%s: strict policy, no framing, and caching only for the back button: %s",
    async (path, caching) => {
      const { headers, status } = await new UserAgent(new Bench().service).get(path);
      expect(status).toBe(200);
      const policy = headers.get("content-security-policy");
      for (const part of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'"])
        expect(policy).toContain(part);
      expect(policy).not.toMatch(/unsafe|script-src/);
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cache-control")).toBe(caching);
      const framed = await new UserAgent(new Bench({ framedBySelf: true }).service).get(path);
      expect(framed.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
      expect(framed.headers.get("x-frame-options")).toBe("SAMEORIGIN");
    },
  );

  test("the session cookie cannot be read by scripts or sent by other sites", async () => {
    const cookie = async (options: object) =>
      (await new UserAgent(new Bench(options).service).get("/device")).headers.get("set-cookie");
    expect(await cookie({})).toMatch(/^(?!.*Secure).*HttpOnly.*SameSite=Lax/);
    expect(await cookie({ baseUrl: "https://s.test" })).toMatch(/Secure/);
  });

  test("no page has a script, an inline style or an address on another server", async () => {
    const bench = new Bench();
    const userAgent = new UserAgent(bench.service);
    const pages = await decide(userAgent, pendingCode(bench).user, "ada");
    pages.push(await userAgent.get("/device"));
    for (const { html } of pages) {
      expect(html).not.toMatch(/<script|\sstyle=|\son\w+=|javascript:/i);
      // Scope identifiers look like addresses, but must not be links.
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
  ])(
    "the pages respond only to the service's own host names (DNS rebinding): %s: %i",
    async (url, status) => {
      const { service } = new Bench({ baseUrl: "https://auth.example.test" });
      const response = await service.fetch(new Request(url));
      expect(response.status).toBe(status);
      if (status === 403) expect(response.headers.get("set-cookie")).toBeNull();
    },
  );

  test.each([
    ["PUT", "/device", "GET, HEAD, POST"],
    ["DELETE", "/device/decision", "GET, HEAD, POST"],
    ["POST", "/", "GET, HEAD"],
    ["GET", "/account/disable", "POST"],
    ["POST", "/assets/pages.css", "GET, HEAD"],
  ])("RFC 9110 §15.5.6: %s %s is a 405 with the allowed methods", async (method, path, allow) => {
    const { status, headers } = await new Bench().fetch(method, path);
    expect([status, headers.allow?.split(", ").sort().join(", ")]).toEqual([405, allow]);
  });
});

test("no session fixation: an invented session id is replaced, and every id is replaced when a user signs in", async () => {
  const { service } = new Bench();
  const send = (path: string, cookie: string, body?: URLSearchParams) => {
    const init = { method: body ? "POST" : "GET", headers: { cookie }, body: body ?? null };
    return service.fetch(new Request(service.baseUrl + path, init));
  };
  const cookieOf = ({ headers }: Response) => headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const foreign = new Bench({}, { random: (count) => new Uint8Array(count).fill(7) });
  const { headers } = await new UserAgent(foreign.service).get("/account");
  const planted = [headers.get("set-cookie")!, `picogrant_session=${"a".repeat(22)}`];
  for (const one of planted)
    expect(cookieOf(await send("/account", one))).toMatch(/^picogrant_session=/);
  let cookie = cookieOf(await send("/account", ""));
  for (const [account, name] of [
    ["ada", "Ada Brook"],
    ["ben", "Ben"],
  ] as const) {
    const before = cookie;
    const html = await (await send("/account", before)).text();
    const csrf = /name="csrf" value="([^"]+)"/.exec(html)![1]!;
    const form = new URLSearchParams({ csrf, account });
    cookie = cookieOf(await send("/account/choose", before, form));
    expect(cookie).not.toBe(before);
    expect(await (await send("/account", cookie)).text()).toContain(name);
    expect(await (await send("/account", before)).text()).toContain("Choose an account");
  }
});
