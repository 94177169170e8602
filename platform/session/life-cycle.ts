// The life cycle of a sign-in and its session: phases, and the events that move it from one to the next. README.md has the
// diagram of this table.

export type Phase = "starting" | "waiting" | "signedIn" | "leaving" | "released";

export type PhaseEvent =
  /** The user is prompted with a code. */
  | "codeShown"
  /** There are tokens, and they are stored. */
  | "tokensStored"
  /** Another program has changed the records: a new driver reads them. */
  | "recordsChanged"
  /** Failed, aborted, closed, signed out, or ended by the server. */
  | "ended"
  /** No operation that must not be lost is in progress, or the time limit has passed. */
  | "atRest";

/** Any other event in a phase is a fault of picogrant. */
export const TRANSITIONS: Readonly<Record<Phase, Partial<Record<PhaseEvent, Phase>>>> = {
  starting: {
    codeShown: "waiting",
    tokensStored: "signedIn",
    recordsChanged: "starting",
    ended: "leaving",
  },
  waiting: { tokensStored: "signedIn", recordsChanged: "starting", ended: "leaving" },
  signedIn: { recordsChanged: "signedIn", ended: "leaving" },
  leaving: { recordsChanged: "leaving", atRest: "released" },
  released: {},
};
