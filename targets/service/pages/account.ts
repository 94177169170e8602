// The account page: the applications that have access, and ways to end it.
import type { Hono } from "hono";
import { html } from "hono/html";
import type { ServiceContext } from "../context.ts";
import { disableAccount, enableAccount, removeApp, signOutEverywhere } from "../decisions.ts";
import type { Account } from "../fixture.ts";
import type { Grant } from "../grants.ts";
import { accountChoice } from "./consent-views.ts";
import { badge, type Html, hidden, note, type PageContent } from "./layout.ts";
import { openForm, openPageRequest, type PageRequest, signedIn } from "./page-request.ts";

// Messages after an action. The query contains only the name of a message, so that a link cannot show other text.
const NEWS = new Map([
  ["removed", "The app no longer has access."],
  ["signed-out", "Every device and browser of the account was signed out."],
  ["disabled", "The account is disabled. Everything it allowed has stopped working."],
  ["enabled", "The account is enabled again. Connect each device again."],
]);

export function addAccountPages(app: Hono, service: ServiceContext): void {
  app.get("/account", (c) => {
    const pageRequest = openPageRequest(service, c);
    const account = service.directory.accounts.get(pageRequest.accountId ?? "");
    const news = NEWS.get(c.req.query("done") ?? "");
    return pageRequest.show(
      account ? overview(pageRequest, account, news) : chooser(pageRequest, news),
    );
  });
  app.post("/account/choose", async (c) => {
    const { pageRequest, form } = await openForm(service, c);
    const account = service.directory.accounts.get(form.get("account") ?? "");
    if (account) signedIn(service, c, pageRequest, account.id);
    else service.sessions.signOut(pageRequest.sessionId);
    return c.redirect("/account", 303);
  });
  /** Each action, with the name of its message. */
  const actions: Record<string, [done: string, (id: string, form: URLSearchParams) => unknown]> = {
    remove: ["removed", (id, form) => removeApp(service, id, form.get("client") ?? "")],
    "sign-out-everywhere": ["signed-out", (id) => signOutEverywhere(service, id)],
    disable: ["disabled", (id) => disableAccount(service, id)],
    enable: ["enabled", (id) => enableAccount(service, id)],
  };
  for (const [name, [done, act]] of Object.entries(actions))
    app.post(`/account/${name}`, async (c) => {
      const { pageRequest, form } = await openForm(service, c);
      // The user may have chosen another account in another tab. The action must not apply to that account.
      if (pageRequest.accountId === undefined || pageRequest.accountId !== form.get("account"))
        return c.redirect("/account", 303);
      act(pageRequest.accountId, form);
      return c.redirect(`/account?done=${done}`, 303);
    });
}

function chooser({ service, csrf }: PageRequest, news: string | undefined): PageContent {
  const accounts = [...service.directory.accounts.values()];
  const choice = accountChoice(accounts, "/account/choose", { csrf }, true);
  return news === undefined
    ? choice
    : { title: choice.title, body: html`${note("good", news)}${choice.body}` };
}

function overview(
  { service, csrf }: PageRequest,
  account: Account,
  news: string | undefined,
): PageContent {
  const fields = { csrf, account: account.id };
  const body = html`
<h1>Your account</h1>
${news === undefined ? "" : note("good", news)}
<form class="inline" method="post" action="/account/choose">
${hidden({ csrf })}
<div class="who row">${badge(account.name)}<span class="grow">${account.name}<br><span class="soft">${
    account.email
  }</span></span><button class="small plain" type="submit">Change</button></div>
</form>
${account.disabled ? disabledPart(fields) : enabledPart(service, account, fields)}`;
  return { title: "Your account", body };
}

function disabledPart(fields: Readonly<Record<string, string>>): Html {
  return html`${note("warn", "This account is disabled.")}
<form method="post" action="/account/enable">${hidden(fields)}
<button class="main wide" type="submit">Enable the account</button></form>`;
}

function enabledPart(
  service: ServiceContext,
  account: Account,
  fields: Readonly<Record<string, string>>,
): Html {
  const byClient = new Map<string, Grant[]>();
  for (const grant of service.grants.ofAccount(account.id))
    byClient.set(grant.clientId, [...(byClient.get(grant.clientId) ?? []), grant]);
  const apps = [...byClient].map(([clientId, grants]) =>
    appItem(service, clientId, grants, fields),
  );
  return html`<h2>Apps with access</h2>
${apps.length > 0 ? html`<ul class="list">${apps}</ul>` : html`<p class="soft">No app has access.</p>`}
<h2>Security</h2>
<form method="post" action="/account/sign-out-everywhere">${hidden(fields)}
<p><button class="wide" type="submit">Sign out everywhere</button></p></form>
<details><summary>Disable the account</summary>
<form method="post" action="/account/disable">${hidden(fields)}
<p>Nothing that this account allowed works any more until you connect each device anew.</p>
<button class="wide danger" type="submit">Disable it now</button></form></details>`;
}

function appItem(
  service: ServiceContext,
  clientId: string,
  grants: readonly Grant[],
  fields: Readonly<Record<string, string>>,
): Html {
  const name = service.directory.clients.get(clientId)?.name ?? clientId;
  const scopes = new Set(grants.flatMap((grant) => grant.scopes));
  const words = [...scopes].map((id) => service.scopes.byId.get(id)?.words ?? id);
  const devices = grants.length === 1 ? "1 device" : `${grants.length} devices`;
  const ends = grants.flatMap((grant) => grant.expiresAtMs ?? []);
  const until = ends.length > 0 ? `, until ${new Date(Math.max(...ends)).toUTCString()}` : "";
  return html`<li><form class="inline" method="post" action="/account/remove">
${hidden({ ...fields, client: clientId })}
<div class="row"><span class="grow"><strong>${name}</strong> <span class="soft">(${devices}${until})</span><br><span class="soft">${words.join(
    "; ",
  )}</span></span><button class="small danger" type="submit" aria-label="Remove access of ${name}">Remove</button></div>
</form></li>`;
}
