// The states of a device and the table of every move between them. What ships does not have it: with assertions every
// move is held against it (moves.ts), and the diagram in SPEC.md is made from it.

/** What a device is doing. The moves between the states are in `transitions`. */
export enum State {
  /** The records are being read back. */
  STARTING = 0,
  /** Nothing is kept; the device waits for its user. */
  SIGNED_OUT = 1,
  /** A device authorization request is under way, or waits for its backoff. */
  REQUESTING = 2,
  /** A code is there; the token endpoint is polled. */
  PENDING = 3,
  /** Tokens are there. */
  SIGNED_IN = 4,
  /** Tokens are there, and the access token is being refreshed. */
  REFRESHING = 5,
  /** The user signs out: the token is being revoked. */
  REVOKING = 6,
  /** Something final happened; it is shown until the user acts. */
  FAILED = 7,
}

/** What the user asks for while the device starts, to be done once it is known what there is. */
export enum Noted {
  NOTHING = 0,
  CANCEL = 1,
  SIGN_OUT = 2,
}

/** What leads from one state to another. */
export enum Event {
  /** Nothing yet. */
  NONE = 0,
  // records found at the start
  /** No record was found at the start. */
  NO_RECORD = 1,
  /** A code was found at the start. */
  CODE_FOUND = 2,
  /** Tokens were found at the start. */
  TOKENS_FOUND = 3,
  /** A revocation that was not finished was found at the start. */
  REVOCATION_FOUND = 4,
  // the user
  /** The user signs in. */
  SIGN_IN = 5,
  /** The user gives the code up. */
  CANCEL = 6,
  /** The user signs out. */
  SIGN_OUT = 7,
  // the server
  /** The server has sent a code. */
  CODE_RECEIVED = 8,
  /** The server has sent tokens. */
  TOKENS_RECEIVED = 9,
  /** The server has refused a code for good. */
  FINAL_ERROR = 10,
  /** The access token was refreshed. */
  REFRESHED = 11,
  /** The revocation is over. */
  REVOKED = 12,
  /** An API has refused the access token. */
  TOKEN_REFUSED = 13,
  // time
  /** The code has run out. */
  CODE_EXPIRED = 14,
  /** It was the last of `renewalsMax`. */
  RENEWALS_EXHAUSTED = 15,
  /** The access token is about to expire. */
  REFRESH_DUE = 16,
  /** The session is over: revoked, refused, or its account disabled. */
  SESSION_ENDED = 17,
  // security events
  /** A security event: the sessions were revoked; the refresh token is tried. */
  SESSIONS_REVOKED = 18,
}

/** One move: in `from`, `event` leads to `to`. */
export interface Transition {
  readonly from: State;
  readonly event: Event;
  readonly to: State;
}

/**
 * A move as one number, since the core's lists are of integers: five bits for the event, three for the state it leads to,
 * and above them the one before.
 */
function move(from: State, event: Event, to: State): number {
  return (from << 8) | (event << 3) | to;
}

/**
 * Every move there is. With assertions a move that is not in it ends the test; it is for them, for documentation and
 * tests: what ships does not have it.
 */
function moves(): number[] {
  return [
    move(State.STARTING, Event.NO_RECORD, State.SIGNED_OUT),
    move(State.STARTING, Event.SIGN_IN, State.REQUESTING),
    move(State.STARTING, Event.CODE_FOUND, State.PENDING),
    move(State.STARTING, Event.TOKENS_FOUND, State.REFRESHING),
    move(State.STARTING, Event.TOKENS_FOUND, State.SIGNED_IN),
    move(State.STARTING, Event.REVOCATION_FOUND, State.REVOKING),
    move(State.SIGNED_OUT, Event.SIGN_IN, State.REQUESTING),
    move(State.REQUESTING, Event.SIGN_IN, State.REQUESTING),
    move(State.REQUESTING, Event.CODE_RECEIVED, State.PENDING),
    move(State.REQUESTING, Event.FINAL_ERROR, State.FAILED),
    move(State.REQUESTING, Event.CANCEL, State.SIGNED_OUT),
    move(State.PENDING, Event.SIGN_IN, State.REQUESTING),
    move(State.PENDING, Event.CODE_EXPIRED, State.REQUESTING),
    move(State.PENDING, Event.RENEWALS_EXHAUSTED, State.FAILED),
    move(State.PENDING, Event.TOKENS_RECEIVED, State.SIGNED_IN),
    move(State.PENDING, Event.FINAL_ERROR, State.FAILED),
    move(State.PENDING, Event.CANCEL, State.SIGNED_OUT),
    move(State.SIGNED_IN, Event.REFRESH_DUE, State.REFRESHING),
    move(State.SIGNED_IN, Event.TOKEN_REFUSED, State.REFRESHING),
    move(State.SIGNED_IN, Event.SESSIONS_REVOKED, State.REFRESHING),
    move(State.SIGNED_IN, Event.SESSION_ENDED, State.FAILED),
    move(State.SIGNED_IN, Event.SIGN_OUT, State.REVOKING),
    move(State.REFRESHING, Event.REFRESHED, State.SIGNED_IN),
    move(State.REFRESHING, Event.SESSIONS_REVOKED, State.REFRESHING),
    move(State.REFRESHING, Event.SESSION_ENDED, State.FAILED),
    move(State.REFRESHING, Event.SIGN_OUT, State.REVOKING),
    move(State.REFRESHING, Event.SIGN_IN, State.REQUESTING),
    move(State.REFRESHING, Event.CANCEL, State.SIGNED_OUT),
    move(State.REVOKING, Event.REVOKED, State.SIGNED_OUT),
    move(State.REVOKING, Event.CANCEL, State.SIGNED_OUT),
    move(State.FAILED, Event.SIGN_IN, State.REQUESTING),
    move(State.FAILED, Event.CANCEL, State.SIGNED_OUT),
  ];
}

/** Every move there is. */
export function transitions(): Transition[] {
  var codes = moves();
  var result: Transition[] = [];
  for (var i = 0; i < codes.length; i++) {
    var code = codes[i]!;
    result.push({ from: code >> 8, event: (code >> 3) & 31, to: code & 7 });
  }
  return result;
}

/** Whether the table has this move. */
export function isTransition(from: State, event: Event, to: State): boolean {
  var codes = moves();
  for (var i = 0; i < codes.length; i++) if (codes[i] === move(from, event, to)) return true;
  return false;
}
