// The pages on the user's second device (RFC 8628 §3.3): enter the code, choose an account, approve or deny. They need
// no JavaScript. Every form contains the code, so that several tabs can handle different codes.
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
import { openForm, openPageRequest, type PageRequest, signedIn } from "./page-request.ts";

type Shown = Response | Promise<Response>;

/** The limit of wrong codes from one address (RFC 8628 §5.1). */
const WRONG_CODES = { requests: 10, windowSeconds: 600 };

export function addConsentPages(app: Hono, service: ServiceContext): void {
  app.get("/device", (c) => {
    const pageRequest = openPageRequest(service, c);
    return pageRequest.show(codeEntry(pageRequest, (c.req.query("user_code") ?? "").slice(0, 40)));
  });
  app.post("/device", async (c) => {
    const { pageRequest, form } = await openForm(service, c);
    return withAttempt(pageRequest, form, (attempt) =>
      form.get("choose") === "another" || chosenAccount(pageRequest) === undefined
        ? pageRequest.show(accountChooser(pageRequest, attempt))
        : showConsent(pageRequest, attempt),
    );
  });
  app.post("/device/account", async (c) => {
    const { pageRequest, form } = await openForm(service, c);
    return withAttempt(pageRequest, form, (attempt) => {
      const account = service.directory.accounts.get(form.get("account") ?? "");
      if (!account || account.disabled)
        return pageRequest.show(accountChooser(pageRequest, attempt), 400);
      return showConsent(signedIn(service, c, pageRequest, account.id), attempt);
    });
  });
  // A later step is the response to a form. If its address is opened, redirect to the first step.
  for (const step of ["account", "decision"])
    app.get(`/device/${step}`, (c) => c.redirect("/device", 303));
  app.post("/device/decision", async (c) => {
    const { pageRequest, form } = await openForm(service, c);
    return withAttempt(
      pageRequest,
      form,
      (attempt) => decide(pageRequest, form, attempt),
      (attempt) => decidedBefore(pageRequest, form, attempt),
    );
  });
}

/** Calls `found` for a pending attempt, and `decided` for others. Without a page, shows what is wrong with the code. */
function withAttempt(
  pageRequest: PageRequest,
  form: URLSearchParams,
  found: (attempt: Attempt) => Shown,
  decided: (attempt: Attempt) => Shown | undefined = () => undefined,
): Shown {
  const { service } = pageRequest;
  const nowMs = service.env.now();
  const wait = service.wrongCodes.waitSeconds(pageRequest.address, WRONG_CODES, nowMs);
  const typed = (form.get("user_code") ?? "").slice(0, 40);
  const tooMany = `Too many wrong codes. Try again in ${durationInWords(wait)}.`;
  if (wait > 0) return pageRequest.show(codeEntry(pageRequest, "", tooMany), 429);
  const attempt = service.attempts.findByUserCode(typed);
  const state = decidable(service, attempt);
  if (attempt && state === "pending") return found(attempt);
  const shown = attempt && decided(attempt);
  if (shown) return shown;
  // Do not count empty input as a wrong code.
  if (state === "unknown-code" && normalizeUserCode(typed) !== "")
    service.wrongCodes.take(pageRequest.address, WRONG_CODES, nowMs);
  const page = codeEntry(pageRequest, typed, codeProblem(typed, state));
  return pageRequest.show(page, codeStatus(state));
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

function chosenAccount({ service, accountId = "" }: PageRequest) {
  const account = service.directory.accounts.get(accountId);
  return account && !account.disabled ? account : undefined;
}

function accountChooser({ service, csrf }: PageRequest, attempt: Attempt): PageContent {
  const fields = { csrf, user_code: attempt.userCode };
  const accounts = [...service.directory.accounts.values()];
  return accountChoice(accounts, "/device/account", fields, false);
}

function showConsent(
  pageRequest: PageRequest,
  attempt: Attempt,
  requested: { chosen?: Choice; problem?: string } = {},
): Shown {
  const { service } = pageRequest;
  const account = chosenAccount(pageRequest);
  const client = service.directory.clients.get(attempt.clientId);
  if (!account || !client) return pageRequest.show(accountChooser(pageRequest, attempt), 400);
  const scopes = attempt.scopes.flatMap((id) => service.scopes.byId.get(id) ?? []);
  const data = { csrf: pageRequest.csrf, attempt, client, account, scopes, ...requested };
  return pageRequest.show(consent(data), requested.problem === undefined ? 200 : 400);
}

function decide(pageRequest: PageRequest, form: URLSearchParams, attempt: Attempt): Shown {
  const { service } = pageRequest;
  const account = chosenAccount(pageRequest);
  const scopes = form.getAll("scope").filter((scope) => attempt.scopes.includes(scope));
  const chosen = { scopes, access: form.get("access") ?? "" };
  // If the user has chosen another account in another tab, the decision must not apply to that account.
  if (!account || account.id !== form.get("account"))
    return showConsent(pageRequest, attempt, { chosen });
  const name = nameOf(pageRequest, attempt);
  if (form.get("decision") === "deny")
    return showOutcome(pageRequest, deny(service, attempt, account.id), name);
  if (form.get("decision") !== "allow") return showConsent(pageRequest, attempt, { chosen });
  if (scopes.length === 0) {
    const problem = "Choose at least one permission, or deny.";
    return showConsent(pageRequest, attempt, { chosen, problem });
  }
  const seconds = Number(form.get("access"));
  const accessSeconds = DURATIONS.includes(seconds) ? seconds : undefined;
  const outcome = approve(service, attempt, account, { scopes, accessSeconds });
  return showOutcome(pageRequest, outcome, name);
}

/**
 * Handles the form of a decision that this account has already made: after a double click, a reload, or going back. The
 * same decision shows its first outcome again. The grant does not change.
 */
function decidedBefore(
  pageRequest: PageRequest,
  form: URLSearchParams,
  attempt: Attempt,
): Shown | undefined {
  const account = chosenAccount(pageRequest);
  const isOwn = account && account.id === attempt.accountId && account.id === form.get("account");
  if (!isOwn || attempt.state === "pending") return undefined;
  const outcome = attempt.refusal ?? "granted";
  const denies = form.get("decision") === "deny";
  if (denies === (outcome === "access_denied"))
    return showOutcome(pageRequest, outcome, nameOf(pageRequest, attempt));
  return outcome === "granted"
    ? pageRequest.show(allowedBefore(nameOf(pageRequest, attempt)), 409)
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

function nameOf({ service }: PageRequest, attempt: Attempt): string {
  return service.directory.clients.get(attempt.clientId)?.name ?? "The app";
}

function showOutcome(pageRequest: PageRequest, outcome: DecisionOutcome, name: string): Shown {
  const { kind, title, text } = outcomeWords(outcome, name);
  const isValid = outcome === "granted";
  const next = isValid ? "Connect another device" : "Enter the new code";
  const page = messagePage(kind, title, text, html`<p><a href="/device">${next}</a></p>`);
  if (isValid || outcome === "access_denied") return pageRequest.show(page);
  return pageRequest.show(page, isRefusal(outcome) ? 403 : 409);
}

function isRefusal(outcome: DecisionOutcome): boolean {
  return outcome === "admin_policy_enforced" || outcome === "org_internal";
}
