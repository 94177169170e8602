// Listens in on the grant's requests: who the ID token says has signed in, and whether the revocation was answered.
// The core needs neither. Tokens that can be used go by and are not kept.

import type { Http, HttpRequest, HttpSink } from "../../../platform/contracts.ts";
import type { Endpoints, Translate } from "../../../platform/driver.ts";
import { textOf } from "../../../platform/text.ts";

export type Claims = Readonly<Record<string, unknown>>;

export class HttpEar {
  /** Of the newest ID token (OpenID Connect Core 1.0 §2), which came straight from the token endpoint. */
  claims: Claims | undefined;
  /** Status of the newest answer to a revocation; 0: none came. */
  revocationStatus = 0;

  /** A `translate` for a driver, around the one that the server needs, if any. */
  around(translate: Translate | undefined, endpoints: Endpoints): Translate {
    return (http, client) => {
      const inner = translate?.(http, client) ?? http;
      return {
        send: (request, sink) => inner.send(request, this.#listen(request, sink, endpoints)),
        abort: () => inner.abort(),
      } satisfies Http;
    };
  }

  #listen(request: HttpRequest, sink: HttpSink, endpoints: Endpoints): HttpSink {
    const isToken = request.url.startsWith(endpoints.token);
    const isRevocation =
      endpoints.revocation !== "" && request.url.startsWith(endpoints.revocation);
    const body: number[] = [];
    let status = 0;
    return {
      status: (code, retryAfterSeconds) => {
        status = code;
        if (isRevocation) this.revocationStatus = code;
        sink.status(code, retryAfterSeconds);
      },
      body: (bytes, from, to) => {
        if (isToken && status === 200) for (let at = from; at < to; at++) body.push(bytes[at]!);
        sink.body(bytes, from, to);
      },
      end: () => {
        if (body.length > 0) this.claims = claimsIn(textOf(body) ?? "") ?? this.claims;
        body.fill(0);
        sink.end();
      },
      failed: (failure) => sink.failed(failure),
    };
  }
}

/** The claims of the ID token in an answer of the token endpoint; only for showing them. */
export function claimsIn(answer: string): Claims | undefined {
  try {
    const { id_token: token } = JSON.parse(answer) as { id_token?: unknown };
    if (typeof token !== "string") return undefined;
    const claims: unknown = JSON.parse(
      Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"),
    );
    return typeof claims === "object" && claims !== null ? (claims as Claims) : undefined;
  } catch {
    return undefined;
  }
}
