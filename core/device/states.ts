// The states of a device, and the table of all transitions. Release builds do not contain the table. Assertions check
// every transition against it (moves.ts), and the diagram in SPEC.md is generated from it.

/** The states of a device. `transitions` returns the transitions between them. */
export enum State {
  /** The records are being read. */
  STARTING = 0,
  /** There is no code and no token; the device waits for the user. */
  SIGNED_OUT = 1,
  /** A device authorization request is in flight, or waits to be sent. */
  REQUESTING = 2,
  /** A code has been received; the token endpoint is polled. */
  PENDING = 3,
  /** The device has tokens. */
  SIGNED_IN = 4,
  /** The device has tokens, and refreshes the access token. */
  REFRESHING = 5,
  /** The user has signed out, and the tokens are being revoked. */
  REVOKING = 6,
  /** An error has ended the session or sign-in. The display shows it until the user acts. */
  FAILED = 7,
}

/** An action of the user while the records are being read. The device carries it out afterwards. */
export enum Noted {
  NOTHING = 0,
  CANCEL = 1,
  SIGN_OUT = 2,
}

/** The causes of transitions. */
export enum Event {
  NONE = 0,
  // Events of records that are found at the start.
  /** No record was found at the start. */
  NO_RECORD = 1,
  /** A code was found at the start. */
  CODE_FOUND = 2,
  /** Tokens were found at the start. */
  TOKENS_FOUND = 3,
  /** An unfinished revocation was found at the start. */
  REVOCATION_FOUND = 4,
  // Events of the user.
  SIGN_IN = 5,
  CANCEL = 6,
  SIGN_OUT = 7,
  // Events of the server.
  /** The server has sent a code. */
  CODE_RECEIVED = 8,
  /** The server has sent tokens. */
  TOKENS_RECEIVED = 9,
  /** An error has ended the sign-in, for example a rejection of the request for a code. */
  FINAL_ERROR = 10,
  /** The access token was refreshed. */
  REFRESHED = 11,
  REVOKED = 12,
  /** An API has rejected the access token. */
  TOKEN_REFUSED = 13,
  // Events of time.
  CODE_EXPIRED = 14,
  /** A code has expired or was rejected, and the device had already requested `renewalsMax` further codes. */
  RENEWALS_EXHAUSTED = 15,
  /** The access token is about to expire, or the application has reported that an API has rejected the token. */
  REFRESH_DUE = 16,
  /** The session has ended: it has expired, was revoked or rejected, or its account was disabled. */
  SESSION_ENDED = 17,
  // Security events.
  /** All sessions were revoked, or a token that the device cannot compare with its own. A refresh tests its tokens. */
  SESSIONS_REVOKED = 18,
}

/** A transition: in `from`, `event` leads to `to`. */
export interface Transition {
  readonly from: State;
  readonly event: Event;
  readonly to: State;
}

/** A transition as an integer, because lists contain only integers: five bits for the event, three for each state. */
function move(from: State, event: Event, to: State): number {
  return (from << 8) | (event << 3) | to;
}

/** All transitions, for assertions, documentation and tests. */
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

export function transitions(): Transition[] {
  var codes = moves();
  var result: Transition[] = [];
  for (var i = 0; i < codes.length; i++) {
    var code = codes[i]!;
    result.push({ from: code >> 8, event: (code >> 3) & 31, to: code & 7 });
  }
  return result;
}

export function isTransition(from: State, event: Event, to: State): boolean {
  var codes = moves();
  for (var i = 0; i < codes.length; i++) if (codes[i] === move(from, event, to)) return true;
  return false;
}
