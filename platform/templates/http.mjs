// HTTP: one request at a time, over TLS. The largest adapter, and the one where mistakes cost the user's session.
// What goes wrong most often, each with a case in the conformance suite:
//
//   - a redirect is followed: report the 3xx, the core decides
//   - a body that was cut off is taken for complete
//   - a client library sends a POST again after a reset: the first one may have been answered, with tokens
//   - the time limit is for each piece, not for the whole exchange
//   - the certificate's chain, its name or its dates are not checked
//   - an answer is reported after `abort`
//
// Nothing of a request or an answer may be logged: targets, headers and bodies hold secrets.

/**
 * @param limits `timeLimitMs` for the whole exchange (30000 is a good number), `sizeLimitBytes` for the body of
 *   an answer (65536), and `ca`: certificates to trust, for the tests
 */
export function makeHttp(limits) {
  return {
    /**
     * Sends `request` and reports to `sink`. Never throws for what the network does.
     *
     * request.method         "GET" or "POST"
     * request.url            absolute, https: or http:
     * request.contentType    value of `Content-Type`; "" for no such header
     * request.authorization  value of `Authorization`; "" for no such header
     * request.headers        further headers as [name, value], or undefined
     * request.body           bodyFrom..bodyTo of it; an empty range of a POST says `Content-Length: 0`
     *
     * And always `Accept: application/json`. The request stays as it is until the exchange is over.
     *
     * sink.status(status, retryAfterSeconds)  once, when the head has come; -1 without `Retry-After`; where the device
     *                                         calls APIs a third argument: `WWW-Authenticate`, "" without
     *                                         (`retryAfterSeconds` of picogrant/driver reads the header)
     * sink.body(bytes, from, to)              pieces of the body, any size, in order; copied before it returns
     * sink.end()                              the answer is complete, as its framing promised; the last call
     * sink.failed("unreachable")              no answer, or no whole one; the last call, at any time. Also
     *                                         "timeout", or "too-large": a body beyond the size
     *                                         limit, or a head beyond what your client takes
     */
    send(request, sink) {
      sink.failed("unreachable");
    },

    /** Ends the exchange under way, if there is one. Its sink hears nothing more. */
    abort() {},
  };
}
