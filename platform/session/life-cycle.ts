// The life cycle of a sign-in and its session: phases, and the events that change the phase. platform/README.md has a
// diagram.

export type Phase = "starting" | "waiting" | "signedIn" | "leaving" | "released";

export type PhaseEvent =
  /** `onCode` has received a code. */
  | "codeShown"
  /** Tokens have arrived and are stored. */
  | "tokensStored"
  /** Another program has changed the records. A new driver reads them. */
  | "recordsChanged"
  /** The sign-in or session has failed, or was aborted, closed, signed out, or ended by the server. */
  | "ended"
  /** No operation with a result that must not be lost is in progress, or the time limit has passed. */
  | "atRest";

/** The allowed events of each phase. Any other event is a bug of picogrant. */
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
