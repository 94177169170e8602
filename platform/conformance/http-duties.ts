// The duties of an HTTP adapter and of a host in C: the section that requires each, and what tests it.
// targets/docs/firmware-in-c.md describes them. A test compares them with the cases of the conformance suite, whose names
// begin with the duty, and with the rows of the bench for complete devices.

/** A duty of an HTTP adapter. */
export interface HttpDuty {
  readonly section: string;
  /** "suite": the conformance suite of adapters; "bench": `picogrant conform --device`. */
  readonly tried: readonly ("suite" | "bench")[];
}

const duty = (section: string, ...tried: HttpDuty["tried"]): HttpDuty => ({
  section,
  tried: tried.length > 0 ? tried : ["suite", "bench"],
});

export const httpDuties = {
  trust: duty("RFC 9325 §3.1.1, RFC 9525 §6"),
  handshake: duty("RFC 8446 §4.4.2.4, §6.2"),
  destination: duty("RFC 6750 §5.3", "bench"),
  request: duty("RFC 9110 §5.5, §8.6, §12.5.1"),
  once: duty("RFC 9110 §9.2.2"),
  redirects: duty("RFC 9110 §15.4, RFC 9700 §4.11"),
  connection: duty("RFC 9112 §9.3"),
  time: duty("RFC 8628 §3.5"),
  size: duty("RFC 9110 §5.4"),
  report: duty("RFC 9110 §15"),
  framing: duty("RFC 9112 §6.3"),
  closure: duty("RFC 9112 §9.8"),
  coding: duty("RFC 9110 §8.4, §12.5.3"),
  retryAfter: duty("RFC 9110 §10.2.3"),
  challenge: duty("RFC 9470 §3", "suite"),
  secrecy: { section: "RFC 6819 §5.1.6", tried: [] },
} as const;

export type HttpDutyName = keyof typeof httpDuties;
