// The page on which a person looks after the apps that have access: device doc §6.
import { describe, expect, test } from "vitest";
import { Bench, VIDEO_READONLY } from "./harness.ts";
import { Visitor } from "./visitor.ts";

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
