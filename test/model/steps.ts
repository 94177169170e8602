// The steps of a sequence are plain values, so they can be printed, replayed and shrunk. A step that is impossible in
// the current state has no effect.

import type { Config } from "../../core/index.ts";

/** How the host's storage handles commands while time passes. */
export enum StorageMode {
  WORKS = 0,
  /** An operation lasts until a "stored" step. */
  HOLDS = 1,
  FAILS = 2,
  /** Writes succeed, erases fail. */
  KEEPS = 3,
}

export type Step =
  /** Time passes. The host calls tick and carries out its commands until there are none. */
  | { do: "run"; ms: number; storage?: StorageMode }
  /** The host sleeps as long as wakeIn says, at most `most`, and then runs. */
  | { do: "sleep"; most: number; storage?: StorageMode }
  | { do: "tick"; ms: number }
  /** "head", "more", "end": a response to the current request arrives: its head, bytes of its body, its end. */
  | { do: "head"; status: number; retryAfterS: number; body: string; challenge?: string }
  | { do: "more"; bytes: number }
  | { do: "end" }
  | { do: "fail" }
  /** A response to the request that was sent `back` requests ago. It must have no effect. */
  | { do: "late"; back: number; status: number; body: string }
  | { do: "stored"; isDone: boolean }
  | { do: "verified"; isGenuine: boolean }
  | { do: "signIn" }
  | { do: "cancel" }
  | { do: "signOut" }
  /** A resource server refused the application's own request with a 401. */
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
  | { do: "configure"; member: keyof Config }
  /** A power cut after `done` bytes of a write or erase. The next start has this memory and these unreadable slots. */
  | { do: "power"; done: number; memoryBytes: number; unreadable: number };

/** A part of a call's target. "path" leaves it unchanged; the others encode it as a path segment or as a query value. */
export interface CallPart {
  as: "path" | "segment" | "value";
  text: string;
}

export interface Numbered {
  on: number;
  step: Step;
}
