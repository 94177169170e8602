// Which address of a name to connect to. Node tries one after the other, so that a silent one costs the limit of an attempt.
// Here attempts run side by side (RFC 8305), and the address that accepts a connection first goes ahead of the others.

import dns, { type LookupAddress } from "node:dns";
import { once } from "node:events";
import net, { type LookupFunction } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** RFC 8305 §5: between two attempts. */
const ATTEMPT_DELAY_MS = 250;
/** How long a choice counts for all connections of the process. */
const CHOICE_MS = 60_000;

/** By name and port. */
const choices = new Map<string, Promise<string>>();

/** Looks a name up for a connection to this port. @param limitMs when attempts are given up */
export function look(
  port: number,
  limitMs: number,
  ...[name, options, done]: Parameters<LookupFunction>
): void {
  dns.lookup(name, { ...options, all: true }, async (error, found = []) => {
    const key = `${name}:${port}`;
    if (found.length > 1 && !choices.has(key)) {
      choices.set(key, fastestOf(found, port, limitMs));
      setTimeout(() => choices.delete(key), CHOICE_MS).unref();
    }
    const chosen = await choices.get(key);
    const sorted = [...found].sort((a, b) => +(b.address === chosen) - +(a.address === chosen));
    if (error || options.all) done(error, sorted);
    else done(null, sorted[0]!.address, sorted[0]!.family);
  });
}

/** The address that accepts a connection first; "" if none does. */
async function fastestOf(found: LookupAddress[], port: number, limitMs: number): Promise<string> {
  const end = new AbortController();
  const { signal } = end;
  setTimeout(() => end.abort(), limitMs).unref();
  const rank = (one: LookupAddress): number =>
    found.filter(({ family }) => family === one.family).indexOf(one);
  // RFC 8305 §4: the families take turns.
  const attempts = [...found]
    .sort((a, b) => rank(a) - rank(b))
    .map(async ({ address }, at) => {
      await pause(at * ATTEMPT_DELAY_MS, undefined, { signal });
      const socket = net.connect({ host: address, port, signal }).on("error", () => {});
      await once(socket, "connect");
      return address;
    });
  const fastest = await Promise.any(attempts).catch(() => "");
  end.abort();
  return fastest;
}
