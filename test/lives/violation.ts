// The invariants by name, what each of them means exactly, and the error that says which one broke.

/** Name and meaning of every invariant; SPEC of the simulation. */
export const INVARIANTS = {
  "display-code":
    "A frame with a user code shows exactly the code that is being polled, and only while it is: " +
    "unaltered, not after an answer that ended it, not after its lifetime. The lifetime counts from " +
    "the end of the answer that brought it. A code read back from storage is shown only after a poll " +
    "of this power-on was answered authorization_pending or slow_down. The device has no calendar, so " +
    "from then on its age is unknown: it may stay until the next answer says otherwise, at the most " +
    "until the lifetime that its record names has passed since it was read back.",
  "display-text": "A frame holds printable ASCII only.",
  "poll-interval":
    "A poll leaves no earlier than the interval after the end of the exchange before it (or after " +
    "the code's arrival, or power-on): the server's, at least 1 s, 5 s where it names none, 5 s more " +
    "for each slow_down of this power-on; and no earlier than a Retry-After (at most 3600 s) asks.",
  "request-pace": "After a failed exchange no other request leaves within a second, but a user's.",
  "one-in-flight": "A request leaves only once the one before has ended or was aborted.",
  "request-stable": "The bytes of a request do not change while it is under way.",
  "own-address":
    "A request goes to an address that the device was given for it; servers move while the power is off.",
  "own-secrets":
    "What is polled, refreshed, revoked or shown as bearer was issued to this device; a code is polled with " +
    "the verifier of its challenge (RFC 7636).",
  "store-before-use":
    "Neither access token nor rotated refresh token is used before the pair's record is durable (or " +
    "storage has refused it three times); no revocation is sent before its record is durable.",
  "recovers-newest":
    "After a loss of power the device goes on from the newest record that is whole in its slots.",
  "unread-goes":
    "At rest, with a record written since power-on: a slot that could not be read has been written " +
    "over or erased, since its record might count as the newer one later.",
  "pair-kept":
    "A granted pair that reached storage stays there, newest, until a final answer, the user or a " +
    "security event ends the session, or storage itself lost it (bit rot).",
  "wipe-cause":
    "A session ends by a final answer (invalid_grant, or what some servers call it; 401 without a refresh token), the end of the " +
    "only token's life, a security event whose signature is right, or the user; by nothing else.",
  "sign-out-wipes":
    "Signed out, and at rest with erases that worked: no slot holds a token, nor do raw bytes of one.",
  "no-resurrection": "After a durable revocation record the session is never taken up again.",
  "next-page": "A further page of a list is asked for as the answer before it has named it.",
  "late-answer": "An answer to a request that was given up changes nothing.",
  transition: "Every move is a row of the transition table, and none is made unseen.",
  "not-stuck":
    "With faults switched off and a user who helps, the device is signed in, its tokens alive and " +
    "stored, within three hours of virtual time.",
  "no-busy-loop": "The device comes to rest at every moment.",
  "no-secret":
    "No token, device code or client secret in a frame, an error or the service's access log; no " +
    "user code in the log.",
  arena: "Nothing is written outside the memory or outside its bytes 0..255, nothing read outside.",
  "small-integers": "Every number of the device is an integer within 28 bits, at every step.",
  "no-allocation": "The device's arrays stay the same objects of the same length after create.",
  "flash-budget":
    "One record write for each code, each new pair, each rotation and each sign-out, none for a " +
    "poll; erases only behind a record, at a start, and at the end of an attempt or session; one more for each that " +
    "failed.",
  "spent-code": "At rest in a session no slot holds the code that brought its tokens.",
  "sealed-records": "In a life with sealed records no byte of a token or code reaches the medium.",
  "offered-again":
    "At rest and signed in, with tokens that storage has refused: they are offered to it again " +
    "within a minute.",
  crash: "Nothing throws.",
} as const;

export type Invariant = keyof typeof INVARIANTS;

/** An invariant broke. The message may be shown to anyone: it names no secret. */
export class Violation extends Error {
  constructor(
    readonly invariant: Invariant,
    readonly what: string,
  ) {
    super(`${invariant}: ${what}`);
  }
}

/** The power is gone: thrown through whatever the device was at. */
export class PowerCut {}
