// A program on Node with an API of its own: signs in, reads a list page by page, and knows what to do when the
// token is refused or the session ends.

import { SignInError, signIn } from "picogrant";
import { clientId, clientSecret, scope, server, state } from "./settings.mjs";

const api = process.env.API ?? "http://127.0.0.1:8629";

/** A list that comes in pages: each names the next. */
async function* items(session) {
  let page = "";
  do {
    const answer = await session.fetch(`${api}/items?page=${encodeURIComponent(page)}`);
    // A token that was refused has been renewed by now, and the request sent a second time. Still 401: either the
    // session has ended, and asking for the token throws the SignInError that says so; or this API does not take
    // this client's tokens, and asking again would not change that.
    if (answer.status === 401) await session.accessToken();
    if (!answer.ok) throw new Error(`the API answered ${answer.status}`);
    const { items, next } = await answer.json();
    yield* items;
    page = next ?? "";
  } while (page !== "");
}

try {
  // These five lines are the whole sign-in. After a restart nobody is asked again.
  const session = await signIn({
    ...{ server, clientId, clientSecret, scope, state },
    onCode: ({ userCode, verificationUri }) =>
      console.log(`Open ${verificationUri} and enter ${userCode}`),
  });

  for await (const item of items(session)) console.log(`item ${item}`);

  // For a client of another library: the token, renewed first where it is about to expire.
  console.log(`the token has ${(await session.accessToken()).length} characters`);
  session.close();
} catch (error) {
  if (!(error instanceof SignInError)) throw error;
  // The session is over: revoked by the user or the server, or never begun. `remedy` says who can mend it.
  console.log(`${error.code}: ${error.remedy}`);
  process.exitCode = 1;
}
