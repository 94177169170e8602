// What can happen to a device, each as a plain value: a sequence of them can be printed, replayed and
// made shorter. A step that makes no sense where it stands does nothing.

import type { Config } from "../../core/index.ts";

/** What the host's storage does with the commands that come while time passes. */
export enum StorageMode {
  WORKS = 0,
  /** It is left undone, for a step of its own. */
  HOLDS = 1,
  FAILS = 2,
  /** What is written is written, and what is there stays: nothing can be erased. */
  KEEPS = 3,
}

export type Step =
  /** Time passes: tick, whatever it asks for, tick again, until there is nothing more. */
  | { do: "run"; ms: number; storage?: StorageMode }
  /** Sleeps as long as wakeIn says (no longer than `most`), then runs. */
  | { do: "sleep"; most: number; storage?: StorageMode }
  /** One tick only. */
  | { do: "tick"; ms: number }
  /** The answer to the request under way: its head, some bytes of its body, its end. */
  | { do: "head"; status: number; retryAfterS: number; body: string; challenge?: string }
  | { do: "more"; bytes: number }
  | { do: "end" }
  | { do: "fail" }
  /** Something of an answer to a request of before, `back` of them ago. */
  | { do: "late"; back: number; status: number; body: string }
  /** The storage operation that the host is at ends. */
  | { do: "stored"; isDone: boolean }
  | { do: "verified"; isGenuine: boolean }
  | { do: "signIn" }
  | { do: "cancel" }
  | { do: "signOut" }
  /** The application's own request was answered 401. */
  | { do: "refused" }
  | { do: "status"; text: string }
  | { do: "endpoints"; bits: number }
  | { do: "discover"; issuer: string }
  | { do: "call"; parts: CallPart[]; endpoint: number; isGet: boolean; body?: string }
  | { do: "begin" }
  | { do: "add"; part: CallPart }
  | { do: "send"; endpoint: number; isGet: boolean; body?: string }
  | { do: "nextPage" }
  | { do: "offer"; names: string; body: string }
  | { do: "pollEvents" }
  | { do: "applyEvent"; claims: string }
  /** Another device is made, of a configuration in which this member has every value. */
  | { do: "configure"; member: keyof Config }
  /**
   * The power goes: of a write under way so many bytes were done. The next start has this much memory, and
   * its storage cannot read these slots.
   */
  | { do: "power"; done: number; memoryBytes: number; unreadable: number };

/** A part of a call's target: as it is, as a segment of the path, as a value of the query. */
export interface CallPart {
  as: "path" | "segment" | "value";
  text: string;
}

export interface Numbered {
  on: number;
  step: Step;
}
