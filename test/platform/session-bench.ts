// What the session's tests begin with: worlds whose server answers otherwise, sessions in them, and what comes of promises.

import type { FakeAnswer, SeenRequest } from "../../platform/fake/http.ts";
import type { Session } from "../../platform/session/session.ts";
import type { SignInHandlers } from "../../platform/session/sign-in.ts";
import type { SignInError } from "../../platform/session/sign-in-error.ts";
import { type SETTINGS, SessionWorld, type Start } from "../session-model/world.ts";

/** A world whose server's answers to a path are others. */
export function worldWith(path: string, change: (answer: FakeAnswer) => FakeAnswer): SessionWorld {
  const world = new SessionWorld();
  world.server.allowsAfterPolls = 0;
  world.http.handler = (request: SeenRequest) => {
    const answer = world.server.handle(request);
    return request.url.endsWith(path) ? change(answer) : answer;
  };
  return world;
}

export const adding = (more: object) => (answer: FakeAnswer) => ({
  ...answer,
  body: { ...(answer.body as object), ...more },
});

export async function started(
  world: SessionWorld,
  handlers: SignInHandlers = {},
  more: Partial<typeof SETTINGS> & object = {},
): Promise<{ start: Start; session: Session }> {
  const start = world.start(handlers, undefined, more);
  await world.until(() => start.isSettled);
  if (start.session === undefined) throw start.error ?? new Error("no session");
  return { start, session: start.session };
}
/** As a program sees an error: what it compares, and what a person reads. */
export const told = ({ code, remedy, message, lacks, answer }: SignInError): unknown[] => [
  code,
  remedy,
  message.replace(/in \d+ s$/, "in N s"),
  lacks,
  answer?.status,
];

/** What comes of a promise in so many seconds of the world; undefined: nothing. */
export async function outcomeOf<T>(
  world: SessionWorld,
  promise: Promise<T>,
  seconds = 600,
): Promise<{ value?: T; error?: unknown } | undefined> {
  let outcome: { value?: T; error?: unknown } | undefined;
  promise.then(
    (value) => {
      outcome = { value };
    },
    (error: unknown) => {
      outcome = { error };
    },
  );
  await world.until(() => outcome !== undefined, seconds);
  return outcome;
}

export const refuse = (operation: "write" | "erase") => (asked: string) => asked === operation;
