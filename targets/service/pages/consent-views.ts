// The HTML of the consent pages: code entry, choice of account, consent. consent.ts handles the forms.

import { html } from "hono/html";
import type { Attempt } from "../attempts.ts";
import type { DecisionOutcome } from "../decisions.ts";
import type { Account, Client } from "../fixture.ts";
import type { Scope } from "../scopes.ts";
import { badge, durationInWords, type Html, hidden, note, type PageContent } from "./layout.ts";

/** The page for the user code. `problem` is the error of the previous code. */
export function codeEntry(
  { csrf }: { readonly csrf: string },
  typed: string,
  problem?: string,
): PageContent {
  const fromLink = problem === undefined && typed !== "";
  const body = html`
<h1>Connect a device</h1>
${problem === undefined ? "" : note("warn", problem)}
<form method="post" action="/device">
${hidden({ csrf })}
<label for="user_code">${
    fromLink ? "Is this the code on your device’s screen?" : "Enter the code your device shows"
  }</label>
<input class="code" id="user_code" name="user_code" value="${typed}" required maxlength="40"
 autocomplete="off" autocapitalize="characters" autocorrect="off" spellcheck="false" autofocus
 aria-describedby="code-help"${problem === undefined ? "" : html` aria-invalid="true"`}>
<p id="code-help" class="soft">${
    fromLink
      ? "Compare it letter by letter. Go on only if it is the same."
      : "Type capital letters as shown; spaces and dashes may be left out."
  }</p>
<button class="main wide" type="submit">Continue</button>
</form>`;
  const title = problem === undefined ? "Connect a device" : "Error: check the code";
  return { title, body };
}

export function accountChoice(
  accounts: readonly Account[],
  action: string,
  fields: Readonly<Record<string, string>>,
  allowDisabled: boolean,
): PageContent {
  const buttons = accounts.map(
    (account) =>
      html`<button class="account" name="account" value="${account.id}"${
        account.disabled && !allowDisabled ? html` disabled` : ""
      }><span class="row">${badge(account.name)}<span class="grow">${account.name}<br><span class="soft">${
        account.email
      }${account.disabled ? " · disabled" : ""}</span></span></span></button>`,
  );
  const body = html`
<h1>Choose an account</h1>
<form method="post" action="${action}">
${hidden(fields)}
${buttons}
</form>`;
  return { title: "Choose an account", body };
}

export interface ConsentData {
  csrf: string;
  attempt: Attempt;
  client: Client;
  account: Account;
  scopes: readonly Scope[];
  /** The user's choices, if the page is shown again. By default, everything is selected. */
  chosen?: Choice | undefined;
  problem?: string | undefined;
}

export interface Choice {
  scopes: readonly string[];
  /** The duration in seconds, as in the form; "" for no limit. */
  access: string;
}

const DURATIONS = [3_600, 86_400, 604_800, 2_592_000];

export function consent(data: ConsentData): PageContent {
  const { attempt, client, account, csrf, scopes, chosen, problem } = data;
  const fields = { csrf, user_code: attempt.userCode, account: account.id };
  const body = html`
<h1>${client.name} wants to use your account</h1>
${problem === undefined ? "" : note("warn", problem)}
<form class="inline" method="post" action="/device">
${hidden({ csrf, user_code: attempt.userCode, choose: "another" })}
<div class="who row">${badge(account.name)}<span class="grow">${account.name}<br><span class="soft">${
    account.email
  }</span></span><button class="small plain" type="submit">Change</button></div>
</form>
<div class="note hint" role="note">
<p><strong>Is this device in front of you?</strong> It must show this code: <span class="code">${
    attempt.userCode
  }</span></p>
<p>If someone sent you this code or link, choose Deny.</p>
</div>
<form method="post" action="/device/decision">
${hidden(fields)}
${scopeChoice(client, scopes, chosen?.scopes)}
${durationChoice(account, chosen?.access)}
<div class="buttons">
<button type="submit" name="decision" value="deny">Deny</button>
<button class="main" type="submit" name="decision" value="allow">Allow</button>
</div>
</form>`;
  const title = `Allow ${client.name}?`;
  return { title: problem === undefined ? title : `Error: ${title}`, body };
}

function scopeChoice(
  client: Client,
  scopes: readonly Scope[],
  chosen: readonly string[] = scopes.map(({ id }) => id),
): Html {
  const several = scopes.length > 1;
  const items = scopes.map(({ id, words }) =>
    several
      ? html`<li><label class="scope"><input type="checkbox" name="scope" value="${id}"${
          chosen.includes(id) ? html` checked` : ""
        }>
<span>${words}</span></label></li>`
      : html`<li>${words}${hidden({ scope: id })}</li>`,
  );
  return html`<fieldset><legend>${client.name} will be able to:</legend>
<ul class="list">${items}</ul></fieldset>`;
}

function durationChoice(account: Account, chosen = ""): Html {
  if (account.timeBasedAccess !== undefined)
    return html`<p class="soft">Access ends by itself after ${durationInWords(account.timeBasedAccess)}: a rule of this account.</p>`;
  const options = DURATIONS.map(
    (seconds) =>
      html`<option value="${seconds}"${chosen === String(seconds) ? html` selected` : ""}>For ${durationInWords(seconds)}</option>`,
  );
  return html`<label for="access">How long?</label>
<select id="access" name="access"><option value="">Until I remove it</option>${options}</select>`;
}

export { DURATIONS };

interface OutcomeWords {
  readonly kind: "good" | "hint" | "warn";
  readonly title: string;
  readonly text: string;
}

/** `name` is that of the application. */
export function outcomeWords(outcome: DecisionOutcome, name: string): OutcomeWords {
  switch (outcome) {
    case "granted":
      return {
        kind: "good",
        title: "Connected",
        text: `Go back to your device: ${name} continues by itself.`,
      };
    case "access_denied":
      return {
        kind: "hint",
        title: "Not connected",
        text: `${name} got no access to your account. If that was a mistake, get a new code on your device.`,
      };
    case "admin_policy_enforced":
      return {
        kind: "warn",
        title: "Your organization does not allow this",
        text: "Ask your administrator to allow what the app requests. Then get a new code on your device.",
      };
    case "org_internal":
      return {
        kind: "warn",
        title: "Only for one organization",
        text: "Ask your administrator to admit the account. Then get a new code on your device.",
      };
    default:
      return {
        kind: "warn",
        title: "This did not work",
        text: "The code is no longer valid. Get a new one on your device.",
      };
  }
}
