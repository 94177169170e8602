// The pages on the user's second device (device doc §1 step 5, RFC 8628 §3.3): enter the code, choose an account,
// approve or deny. They work without JavaScript. Every step carries the code, so that tabs do not interfere.
import type { Hono } from "hono";
import { html } from "hono/html";
import { type Attempt, normalizeUserCode } from "../attempts.ts";
import type { ServiceContext } from "../context.ts";
import { approve, type DecisionOutcome, decidable, deny } from "../decisions.ts";
import {
  accountChoice,
  type Choice,
  codeEntry,
  consent,
  DURATIONS,
  outcomeWords,
} from "./consent-views.ts";
import { durationInWords, messagePage, type PageContent } from "./layout.ts";
import { openForm, openVisit, signedIn, type Visit } from "./visit.ts";

type Shown = Response | Promise<Response>;

/** Wrong user codes from one address before the entry page asks to wait (RFC 8628 §5.1). */
const WRONG_CODES = { requests: 10, windowSeconds: 600 };

/** Adds the pages under /device. */
export function addConsentPages(app: Hono, service: ServiceContext): void {
  app.get("/device", (c) => {
    const visit = openVisit(service, c);
    return visit.show(codeEntry(visit, (c.req.query("user_code") ?? "").slice(0, 40)));
  });
  app.post("/device", async (c) => {
    const { visit, form } = await openForm(service, c);
    return withAttempt(service, visit, form, (attempt) =>
      form.get("choose") === "another" || chosenAccount(service, visit) === undefined
        ? visit.show(accountChooser(service, visit, attempt))
        : showConsent(service, visit, attempt),
    );
  });
  app.post("/device/account", async (c) => {
    const { visit, form } = await openForm(service, c);
    return withAttempt(service, visit, form, (attempt) => {
      const account = service.directory.accounts.get(form.get("account") ?? "");
      if (!account || account.disabled)
        return visit.show(accountChooser(service, visit, attempt), 400);
      return showConsent(service, signedIn(service, c, visit, account.id), attempt);
    });
  });
  // The address stays in the address bar, so loading it starts again.
  for (const step of ["account", "decision"])
    app.get(`/device/${step}`, (c) => c.redirect("/device", 303));
  app.post("/device/decision", async (c) => {
    const { visit, form } = await openForm(service, c);
    return withAttempt(
      service,
      visit,
      form,
      (attempt) => decide(service, visit, form, attempt),
      (attempt) => decidedBefore(service, visit, form, attempt),
    );
  });
}

/**
 * Finds the pending attempt of the form's code, or shows why there is none; counts wrong codes. If the attempt is no
 * longer pending, `decided` makes the page instead.
 */
function withAttempt(
  service: ServiceContext,
  visit: Visit,
  form: URLSearchParams,
  found: (attempt: Attempt) => Shown,
  decided: (attempt: Attempt) => Shown | undefined = () => undefined,
): Shown {
  const nowMs = service.env.now();
  const wait = service.wrongCodes.waitSeconds(visit.address, WRONG_CODES, nowMs);
  const typed = (form.get("user_code") ?? "").slice(0, 40);
  if (wait > 0)
    return visit.show(
      codeEntry(visit, "", `Too many wrong codes. Try again in ${durationInWords(wait)}.`),
      429,
    );
  const attempt = service.attempts.findByUserCode(typed);
  const state = decidable(service, attempt);
  if (attempt && state === "pending") return found(attempt);
  const shown = attempt && decided(attempt);
  if (shown) return shown;
  // Empty input is not a guess.
  if (state === "unknown-code" && normalizeUserCode(typed) !== "")
    service.wrongCodes.take(visit.address, WRONG_CODES, nowMs);
  return visit.show(codeEntry(visit, typed, codeProblem(typed, state)), codeStatus(state));
}

function codeProblem(typed: string, state: string): string {
  if (normalizeUserCode(typed) === "") return "Enter the code that your device shows.";
  if (state === "expired") return "This code has expired. Request a new one on your device.";
  if (state === "already-decided")
    return "This code was already used. If your device still waits, request a new one.";
  if (/[a-z]/.test(typed.normalize("NFKC")))
    return "This code is wrong. Case matters: type it exactly as your device shows it.";
  return "This code is wrong. Compare it with your device’s screen and try again.";
}

function codeStatus(state: string): 400 | 409 | 410 {
  return state === "expired" ? 410 : state === "already-decided" ? 409 : 400;
}

function chosenAccount(service: ServiceContext, visit: Visit) {
  const account = service.directory.accounts.get(visit.accountId ?? "");
  return account && !account.disabled ? account : undefined;
}

function accountChooser(service: ServiceContext, visit: Visit, attempt: Attempt): PageContent {
  const fields = { csrf: visit.csrf, user_code: attempt.userCode };
  const accounts = [...service.directory.accounts.values()];
  return accountChoice(accounts, "/device/account", fields, false);
}

function showConsent(
  service: ServiceContext,
  visit: Visit,
  attempt: Attempt,
  asked: { chosen?: Choice; problem?: string } = {},
): Shown {
  const account = chosenAccount(service, visit);
  const client = service.directory.clients.get(attempt.clientId);
  if (!account || !client) return visit.show(accountChooser(service, visit, attempt), 400);
  const scopes = attempt.scopes.flatMap((id) => service.scopes.byId.get(id) ?? []);
  const data = { csrf: visit.csrf, attempt, client, account, scopes, ...asked };
  return visit.show(consent(data), asked.problem === undefined ? 200 : 400);
}

function decide(
  service: ServiceContext,
  visit: Visit,
  form: URLSearchParams,
  attempt: Attempt,
): Shown {
  const account = chosenAccount(service, visit);
  const scopes = form.getAll("scope").filter((scope) => attempt.scopes.includes(scope));
  // Keeps the user's selection when the page is shown again.
  const chosen = { scopes, access: form.get("access") ?? "" };
  // Another tab changed the account meanwhile: ask again instead of using the wrong one.
  if (!account || account.id !== form.get("account"))
    return showConsent(service, visit, attempt, { chosen });
  const name = nameOf(service, attempt);
  if (form.get("decision") === "deny")
    return showOutcome(visit, deny(service, attempt, account.id), name);
  if (form.get("decision") !== "allow") return showConsent(service, visit, attempt, { chosen });
  if (scopes.length === 0) {
    const problem = "Choose at least one permission, or deny.";
    return showConsent(service, visit, attempt, { chosen, problem });
  }
  const seconds = Number(form.get("access"));
  const accessSeconds = DURATIONS.includes(seconds) ? seconds : undefined;
  return showOutcome(visit, approve(service, attempt, account, { scopes, accessSeconds }), name);
}

/**
 * Handles a decision that this account has already made: a double click, a reload, or going back. It decides nothing,
 * and a user who approved must not see an error.
 */
function decidedBefore(
  service: ServiceContext,
  visit: Visit,
  form: URLSearchParams,
  attempt: Attempt,
): Shown | undefined {
  const account = chosenAccount(service, visit);
  const isOwn = account && account.id === attempt.accountId && account.id === form.get("account");
  if (!isOwn || attempt.state === "pending") return undefined;
  const outcome = attempt.refusal ?? "granted";
  const denies = form.get("decision") === "deny";
  if (denies === (outcome === "access_denied"))
    return showOutcome(visit, outcome, nameOf(service, attempt));
  return outcome === "granted"
    ? visit.show(allowedBefore(nameOf(service, attempt)), 409)
    : undefined;
}

function allowedBefore(name: string): PageContent {
  return messagePage(
    "warn",
    "Already connected",
    `You have already allowed this. To end it, remove ${name} from your account.`,
    html`<p><a href="/account">Your account</a></p>`,
  );
}

function nameOf(service: ServiceContext, attempt: Attempt): string {
  return service.directory.clients.get(attempt.clientId)?.name ?? "The app";
}

function showOutcome(visit: Visit, outcome: DecisionOutcome, name: string): Shown {
  const { kind, title, text } = outcomeWords(outcome, name);
  const isGood = outcome === "granted";
  const next = isGood ? "Connect another device" : "Enter the new code";
  const page = messagePage(kind, title, text, html`<p><a href="/device">${next}</a></p>`);
  if (isGood || outcome === "access_denied") return visit.show(page);
  return visit.show(page, isRefusal(outcome) ? 403 : 409);
}

function isRefusal(outcome: DecisionOutcome): boolean {
  return outcome === "admin_policy_enforced" || outcome === "org_internal";
}
