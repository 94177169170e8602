// `fetch` for a session on Node: the global one, or where the program brings certificates or an agent of its own,
// which the global one does not take, the same over Node's client.

import { type NodeHttpOptions, tlsSettings } from "./http.ts";
import { KeptConnections } from "./kept-connections.ts";

/** @throws TypeError where the agent does not check certificates */
export function nodeFetch(options: NodeHttpOptions = {}): typeof fetch {
  const settings = tlsSettings(options);
  if (options.ca === undefined && options.agent === undefined) return checkedFetch;
  const kept = new KeptConnections();
  return async (input, init) => {
    const request = new Request(input, init);
    // What waits on a kept connection is read first: it is not the answer to what is asked now.
    await new Promise((done) => setImmediate(done));
    const { send } = await import("./agent-fetch.ts");
    return await send(request, init?.body, settings, kept);
  };
}

/** What Node's own switch turns off for the whole program must not be off for tokens. */
const checkedFetch: typeof fetch = (input, init) => {
  const isPlain = `${input}`.startsWith("http:");
  if (!isPlain && process.env.NODE_TLS_REJECT_UNAUTHORIZED === "0") {
    const why = "NODE_TLS_REJECT_UNAUTHORIZED=0 switches the checks of certificates off";
    return Promise.reject(
      new TypeError(`fetch: ${why}: leave it out, and give a CA of one's own as http.ca`),
    );
  }
  return fetch(input, init);
};
