// The pages follow the browser's language (RFC 9110 section 12.5.4). Every word is translated, and what is put into
// the words stays text.
import { expect, test } from "vitest";
import { languageOf, PAGE_LANGUAGES, translator } from "../../targets/service/pages/languages.ts";
import { WORDS } from "../../targets/service/pages/words.ts";
import { createScopes } from "../../targets/service/scopes.ts";
import { Bench, FIXTURE } from "./harness.ts";

test.each([
  [undefined, "en"],
  ["", "en"],
  ["de", "de"],
  ["de-AT,de;q=0.9,en;q=0.5", "de"],
  ["en;q=0.5, fr;q=0.9", "fr"],
  ["nl, es-MX;q=0.8, en;q=0.5", "es"],
  ["ja-JP", "ja"],
  ["DE", "de"],
  ["de;q=0, fr", "fr"],
  ["*", "en"],
  ["xx", "en"],
  ["de;q=oops", "de"],
])("Accept-Language %s: %s", (header, language) => {
  expect(languageOf(header)).toBe(language);
});

test("a header that has no end is not read to it", () => {
  expect(languageOf(`${"a,".repeat(100_000)}de`)).toBe("en");
});

/** Everything a visitor can be shown on the way through the pages, in one language. */
async function visit(bench: Bench, language: string): Promise<string> {
  const { service } = bench;
  let cookie = "";
  const ask = async (path: string, fields?: Record<string, string>): Promise<string> => {
    const headers: Record<string, string> = { "accept-language": language, cookie };
    if (fields) headers["content-type"] = "application/x-www-form-urlencoded";
    const body = fields && new URLSearchParams(fields).toString();
    const init = { method: fields ? "POST" : "GET", headers, body: body ?? null };
    const response = await service.fetch(new Request(new URL(path, service.baseUrl), init));
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie;
    const { status } = response;
    if (status === 303) return await ask(response.headers.get("location")!);
    expect(response.headers.get("content-language")).toBe(language);
    expect(response.headers.get("vary")).toMatch(/accept-language/i);
    return await response.text();
  };
  const csrfOf = (html: string): string => /name="csrf" value="([^"]*)"/.exec(html)![1]!;
  const code = (): string =>
    String(
      bench.requestCodes({
        scope: `email ${createScopes(service.options.scopeBase).id("video.readonly")}`,
      }).json.user_code,
    );
  const pages = [await ask("/")];
  const entry = await ask("/device");
  let csrf = csrfOf(entry);
  pages.push(
    entry,
    await ask("/device?user_code=X"),
    await ask("/device", { csrf, user_code: "nope" }),
  );
  pages.push(await ask("/device", { csrf: "forged", user_code: "x" }));
  const decide = async (account: string, decision: string, scope: string): Promise<void> => {
    const user_code = code();
    pages.push(await ask("/device", { csrf, user_code, choose: "another" }));
    const consent = await ask("/device/account", { csrf, user_code, account });
    csrf = csrfOf(consent);
    pages.push(consent);
    const fields = { csrf, user_code, account, decision, ...(scope && { scope }), access: "" };
    pages.push(await ask("/device/decision", fields));
  };
  await decide("ada", "deny", "email");
  await decide("ada", "allow", "");
  await decide("guest", "allow", "email");
  await decide("pupil", "allow", createScopes(service.options.scopeBase).id("video.readonly"));
  await decide("ada", "allow", "email");
  pages.push(await ask("/account"));
  const account = "ada";
  for (const what of ["sign-out-everywhere", "disable", "enable"]) {
    const form = await ask("/account/choose", { csrf, account });
    csrf = csrfOf(form);
    pages.push(form, await ask(`/account/${what}`, { csrf, account }));
  }
  return pages.join("\n");
}

/** The words between tags and in labels. */
function textsOf(html: string): Set<string> {
  const between = html.replace(/<(style|script)[\s\S]*?<\/\1>/g, "").split(/<[^>]*>/);
  const labels = [...html.matchAll(/aria-label="([^"]*)"/g)].map((match) => match[1]!);
  return new Set(
    [...between, ...labels].map((text) => text.trim()).filter((text) => /\p{L}{3}/u.test(text)),
  );
}

test.each(PAGE_LANGUAGES.filter((language) => language !== "en"))(
  "%s: no English sentence is left on any page",
  async (language) => {
    const html = await visit(new Bench(), language);
    expect(html).toContain(`<html lang="${language}">`);
    expect(html).not.toContain('<html lang="en">');
    const english = new Set(Object.keys(WORDS));
    const own = new Set(Object.values(WORDS).map((words) => words[language]));
    const left = [...textsOf(html)].filter((text) => english.has(text) && !own.has(text));
    expect(left).toEqual([]);
    // Longer than a name: a sentence that nobody has looked up would be in the English pages as well.
    const same = textsOf(await visit(new Bench(), "en"));
    const names = JSON.stringify(FIXTURE);
    const untranslated = [...textsOf(html)].filter(
      (text) =>
        same.has(text) &&
        !own.has(text) &&
        !names.includes(text) &&
        !/@|picogrant|GMT|^[B-Z]{4}-[B-Z]{4}$/.test(text),
    );
    expect(untranslated).toEqual([]);
  },
);

test("every translation has the same places for values, and none is empty", () => {
  const places = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const [english, words] of Object.entries(WORDS)) {
    for (const text of Object.values(words)) {
      expect([english, places(text)]).toEqual([english, places(english)]);
      expect(text.trim()).not.toBe("");
    }
  }
});

test("what is put into words stays text, in every language", async () => {
  const evil = '<img src=x onerror="alert(1)">{app}';
  const fixture = {
    ...FIXTURE,
    clients: [{ id: "living-room-tv", secret: "tv-secret", name: evil }],
  };
  const receivers: never[] = [];
  for (const language of PAGE_LANGUAGES) {
    const html = await visit(new Bench({}, { fixture: { ...fixture, receivers } }), language);
    expect(html).not.toContain("<img");
    expect(html).toContain("&lt;img src=x");
  }
});

test("a word that nobody has translated stays as it is, and so does an unknown place", () => {
  const t = translator("de");
  expect(t("Hello {name}", { name: "Ada" })).toBe("Hello Ada");
  expect(t("{nobody}")).toBe("{nobody}");
  expect(t("toString")).toBe("toString");
});
