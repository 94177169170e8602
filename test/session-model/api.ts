// A simulated API that a program calls with its access token, and the servers to which it redirects. Checks each
// request against the Fetch standard and RFC 6750, 9110 and 9470.

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

interface ApiRequest {
  readonly method: string;
  readonly body: "none" | "text" | "form" | "stream";
  readonly as: "string" | "URL" | "Request";
  /** Determines the API's response. The path of a redirect contains its status and destination. */
  readonly path: string;
}

const TEXT = "name=value";

export class Api {
  isValid: (token: string) => boolean = () => true;
  /** Checks how a token was sent. @returns why its proof is refused, or "" */
  checkToken: (
    scheme: string,
    token: string,
    proof: string,
    method: string,
    url: string,
  ) => string = () => "";
  /** Returns the document of the issuer at an address: its metadata or its keys. */
  document: (address: string) => object | undefined = () => undefined;
  nonce: () => string = () => "";
  readonly #requested = new Map<string, Sent[]>();
  readonly #rejected = new Map<readonly Sent[], string>();
  #count = 0;

  readonly fetch: typeof fetch = async (input, init = {}) => {
    const url = new URL(`${input}`);
    const document = this.document(url.href);
    if (document !== undefined) return Response.json(document);
    const headers = new Headers(init.headers);
    const [scheme = "", token = ""] = (headers.get("authorization") ?? "").split(" ");
    const proof = headers.get("dpop") ?? "";
    const problem = this.checkToken(scheme, token, proof, init.method ?? "GET", url.href);
    const body = init.body ? await new Response(init.body).text() : "";
    const sent = this.#requested.get(url.searchParams.get("ask") ?? "");
    const isRepeatable = sent?.length === 0 && !(init.body instanceof ReadableStream);
    const rejected = sent && this.#rejected.get(sent);
    // The API has rejected only the proof, so the repeated request must have the same token (RFC 9449 §9).
    if (rejected !== undefined && sent?.length === 0 && rejected !== token) throw new Error(token);
    if (problem === "use_dpop_nonce" && isRepeatable && rejected === undefined) {
      this.#rejected.set(sent, token);
      const challenge = `Bearer, DPoP algs="ES256", error="${problem}"`;
      const required = { "www-authenticate": challenge, "dpop-nonce": this.nonce() };
      return new Response(null, { status: 401, headers: required });
    }
    const isProven = problem !== "invalid_dpop_proof";
    const status = this.#statusOf(url, isProven && this.isValid(token));
    sent?.push({
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

  #statusOf({ pathname, origin }: URL, isValid: boolean): number {
    if (origin !== API) return 200;
    const [, redirect] = /^\/(\d+)\//.exec(pathname) ?? [];
    if (redirect !== undefined) return Number(redirect);
    if (pathname === "/never" || pathname === "/weak") return 401;
    return isValid ? 200 : 401;
  }

  /** Sends a random request with the session's `fetch`. @param fault called with the violation, if there is one */
  async request(session: Session, random: Random, fault: (what: string) => void): Promise<void> {
    const planned = drawn(random);
    const id = `${this.#count++}`;
    const sent: Sent[] = [];
    this.#requested.set(id, sent);
    const { method, body, as, path } = planned;
    const url = `${path.startsWith("/") ? API : ""}${path}?ask=${id}`;
    const headers = { "x-own": "1", authorization: "Basic of-the-program" };
    const isDefaultMethod = method === "GET" && random.once(2);
    const spelt = random.once(3) ? method.toLowerCase() : method;
    const init = {
      ...(!isDefaultMethod && { method: spelt }),
      headers,
      ...bodyOf(body),
    } as RequestInit;
    // Fetch standard: headers in the second argument replace those of the Request.
    const isBeside = as === "Request" && random.once(2);
    const request = new Request(url, isBeside ? { ...init, headers: { "x-own": "2" } } : init);
    const input = { string: url, URL: new URL(url), Request: request }[as];
    const response = session.fetch(input, as === "Request" ? (isBeside ? { headers } : {}) : init);
    const outcome = await response.then(
      ({ status }) => status,
      (error: Error) => error.name,
    );
    const problem = problemOf(planned, sent, outcome, isAtEnd(session));
    if (problem === "") return;
    const story = sent.map((one) => Object.values(one).join(" ")).join("; ");
    fault(`fetch: ${problem}: ${Object.values(planned).join(" ")} => ${story} => ${outcome}`);
  }
}

const PLACES = {
  same: `${API}/echo`,
  other: `${ELSEWHERE}/echo`,
  plain: "http://elsewhere.example/echo",
  loop: "/307/loop",
} as const;
type Place = keyof typeof PLACES;

function drawn(random: Random): ApiRequest {
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

function bodyOf(kind: ApiRequest["body"]): RequestInit & { readonly duplex?: "half" } {
  if (kind === "text") return { body: TEXT };
  if (kind === "form") return { body: new URLSearchParams(TEXT) };
  return kind === "stream" ? { body: new Response(TEXT).body!, duplex: "half" } : {};
}

/**
 * Compares the received requests with the expected ones, and checks that only the API's own server gets the token. If
 * the session ends early, the later requests may be missing. @returns the violation, or ""
 */
function problemOf(
  planned: ApiRequest,
  sent: readonly Sent[],
  outcome: number | string,
  isEnded: boolean,
): string {
  const { method, body, as, path } = planned;
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
    const end = status === "" ? undefined : addRedirect(planned, Number(status), to, expected);
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

/** Adds the requests that a redirect must cause. @returns the outcome; undefined: the status of the last response */
function addRedirect(
  { method, body, as }: ApiRequest,
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
  // Each later response is a 307. fetch follows 20 redirects, and fails at the next one.
  for (let count = 2; count <= 20; count++) expected.push(next);
  return "TypeError";
}
