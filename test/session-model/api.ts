// An API that a program asks with the token of its session, and servers that it sends on to: what they were asked is
// held against the Fetch standard and RFC 6750, 9110 and 9470.

import type { Session } from "../../platform/session/session.ts";
import type { Random } from "../model/random.ts";
import { isAtEnd } from "./received-responses.ts";

export const API = "https://api.example.com";
const ELSEWHERE = "https://elsewhere.example";

interface Sent {
  readonly origin: string;
  readonly method: string;
  readonly body: string;
  readonly token: string;
  readonly hasOwnHeader: boolean;
  readonly hasType: boolean;
  readonly status: number;
}

/** What a program asks for. */
interface Question {
  readonly method: string;
  readonly body: "none" | "text" | "form" | "stream";
  readonly as: "string" | "URL" | "Request";
  /** The path says what the API does: a redirect has its status in it, and where it goes. */
  readonly path: string;
}

const TEXT = "name=value";

export class Api {
  /** Whether a token is one that the server would take now. */
  isValid: (token: string) => boolean = () => true;
  /** What the authorization server says of itself there. */
  document: (address: string) => object | undefined = () => undefined;
  readonly #requested = new Map<string, Sent[]>();
  #count = 0;

  readonly fetch: typeof fetch = async (input, init = {}) => {
    const url = new URL(`${input}`);
    const document = this.document(url.href);
    if (document !== undefined) return Response.json(document);
    const headers = new Headers(init.headers);
    const token = (headers.get("authorization") ?? "").replace("Bearer ", "");
    const body = init.body ? await new Response(init.body).text() : "";
    const status = this.#statusOf(url, token);
    this.#requested.get(url.searchParams.get("ask") ?? "")?.push({
      ...{ origin: url.origin, method: init.method ?? "", body, token, status },
      hasOwnHeader: headers.get("x-own") === "1",
      hasType: headers.has("content-type"),
    });
    const more = new Headers();
    if (url.pathname === "/weak") {
      more.set("www-authenticate", 'Bearer error="insufficient_user_authentication"');
    }
    const [, where] = /^\/\d+\/(.*)/.exec(url.pathname) ?? [];
    if (where !== undefined) more.set("location", `${PLACES[where as Place]}${url.search}#part`);
    return new Response(null, { status, headers: more });
  };

  #statusOf({ pathname, origin }: URL, token: string): number {
    if (origin !== API) return 200;
    const [, redirect] = /^\/(\d+)\//.exec(pathname) ?? [];
    if (redirect !== undefined) return Number(redirect);
    if (pathname === "/never" || pathname === "/weak") return 401;
    return this.isValid(token) ? 200 : 401;
  }

  /** Asks by the session's `fetch`. @param fault hears what was not as it must be, by then or later */
  async request(session: Session, random: Random, fault: (what: string) => void): Promise<void> {
    const question = drawn(random);
    const id = `${this.#count++}`;
    const sent: Sent[] = [];
    this.#requested.set(id, sent);
    const { method, body, as, path } = question;
    const url = `${path.startsWith("/") ? API : ""}${path}?ask=${id}`;
    const headers = { "x-own": "1", authorization: "Basic of-the-program" };
    const isUnsaid = method === "GET" && random.once(2);
    const spelt = random.once(3) ? method.toLowerCase() : method;
    const init = { ...(!isUnsaid && { method: spelt }), headers, ...bodyOf(body) } as RequestInit;
    // The Fetch standard: headers beside a Request stand in place of its own.
    const isBeside = as === "Request" && random.once(2);
    const request = new Request(url, isBeside ? { ...init, headers: { "x-own": "2" } } : init);
    const requested = { string: url, URL: new URL(url), Request: request }[as];
    const response = session.fetch(
      requested,
      as === "Request" ? (isBeside ? { headers } : {}) : init,
    );
    const outcome = await response.then(
      ({ status }) => status,
      (error: Error) => error.name,
    );
    const problem = problemOf(question, sent, outcome, isAtEnd(session));
    if (problem === "") return;
    const story = sent.map((one) => Object.values(one).join(" ")).join("; ");
    fault(`fetch: ${problem}: ${Object.values(question).join(" ")} => ${story} => ${outcome}`);
  }
}

const PLACES = {
  same: `${API}/echo`,
  other: `${ELSEWHERE}/echo`,
  plain: "http://elsewhere.example/echo",
  loop: "/307/loop",
} as const;
type Place = keyof typeof PLACES;

function drawn(random: Random): Question {
  const method = random.pick(["GET", "HEAD", "POST", "PUT"]);
  const isReading = method === "GET" || method === "HEAD";
  const redirect = (): string =>
    `/${random.pick([301, 302, 303, 307, 308])}/${random.pick(["same", "same", "other", "other", "plain", "loop"])}`;
  return {
    method,
    body: isReading ? "none" : random.pick(["none", "text", "form", "stream"] as const),
    as: random.pick(["string", "URL", "Request"] as const),
    path: random.pick(["/echo", "/echo", "/never", "/weak", `${ELSEWHERE}/echo`, redirect()]),
  };
}

function bodyOf(kind: Question["body"]): RequestInit & { readonly duplex?: "half" } {
  if (kind === "text") return { body: TEXT };
  if (kind === "form") return { body: new URLSearchParams(TEXT) };
  return kind === "stream" ? { body: new Response(TEXT).body!, duplex: "half" } : {};
}

/** Among others, the token never leaves the server that was asked. What was not as it must be, "" for nothing. The session may end meanwhile: then what was sent by then counts. */
function problemOf(
  question: Question,
  sent: readonly Sent[],
  outcome: number | string,
  isEnded: boolean,
): string {
  const { method, body, as, path } = question;
  if (!path.startsWith("/")) {
    return sent.length === 0 && (outcome === "TypeError" || isEnded) ? "" : "it went elsewhere";
  }
  let left = sent;
  for (let round = 1; ; round++) {
    const first = left[0];
    if (first === undefined) return outcome === "SignInError" ? "" : "nothing was sent";
    const text = body === "none" ? "" : TEXT;
    const expected: Partial<Sent>[] = [
      { origin: API, method, body: text, hasOwnHeader: true, token: first.token },
    ];
    const [, status = "", to = ""] = /^\/(\d+)\/(.*)/.exec(path) ?? [];
    const end = status === "" ? undefined : addRedirect(question, Number(status), to, expected);
    const round1 = left.slice(0, expected.length);
    left = left.slice(expected.length);
    for (const [at, one] of expected.entries()) {
      for (const [name, value] of Object.entries(one)) {
        if (round1[at]?.[name as keyof Sent] !== value) return `${name} of request ${at}`;
      }
    }
    if (first.token === "") return "no token was sent";
    const last = round1.at(-1)!;
    const result = end ?? last.status;
    const isRefused = result === 401 && last.token !== "" && path !== "/weak";
    const isAgain = isRefused && round === 1 && (as === "Request" || body !== "stream");
    if (isAgain && left.length > 0) {
      if (left[0]!.token === first.token) return "a refused token was sent again";
      continue;
    }
    if (left.length > 0) return "more was sent";
    if (isAgain && !isEnded) return "it was not sent again";
    return outcome === result ? "" : `the outcome is not ${result}`;
  }
}

/** Adds what goes out behind the redirect. @returns the outcome where it is none of the last answer's */
function addRedirect(
  { method, body, as }: Question,
  status: number,
  to: string,
  expected: Partial<Sent>[],
): number | string | undefined {
  const isReading = method === "GET" || method === "HEAD";
  const isGet = !isReading && (status === 303 || (status < 303 && method === "POST"));
  const first = expected[0]!;
  const isUsedUp = body === "stream" && as !== "Request";
  if (to === "other" || to === "plain") {
    if (!isReading && !isGet) return status;
    if (to === "plain") return "TypeError";
    const token = "";
    expected.push({ origin: ELSEWHERE, method: isGet ? "GET" : method, body: "", token });
    Object.assign(expected[1]!, { hasOwnHeader: false, hasType: false });
    return undefined;
  }
  if (!isGet && isUsedUp) return status;
  const next = isGet ? { ...first, method: "GET", body: "", hasType: false } : first;
  expected.push(next);
  if (to === "same") return undefined;
  // From there on the answer is always a 307: 20 redirects are followed, and the next is one too many.
  for (let count = 2; count <= 20; count++) expected.push(next);
  return "TypeError";
}
