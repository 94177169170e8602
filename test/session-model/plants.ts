// Faults to be planted in driver, session and sealed storage: each is a text that stands once in a file, and what it is
// replaced by. The lives must find every one.

export interface Plant {
  readonly what: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** It is found where several programs share a session (shared-life.ts). */
  readonly isShared?: boolean;
  /** It is found where an older program and today's take turns. */
  readonly hasUpdates?: boolean;
}

const plant = (file: string, what: string, from: string, to: string): Plant => ({
  ...{ file: `platform/${file}`, what, from, to },
});

const shared = (...args: Parameters<typeof plant>): Plant => ({
  ...plant(...args),
  isShared: true,
});

export const PLANTS: readonly Plant[] = [
  {
    what: "what an older program kept under the server's former name is not found",
    file: "core/records/record-keeping.ts",
    from: "isDone = !isFormer || isRecord(device, device.formerBinding, result);",
    to: "isDone = !isFormer;",
    hasUpdates: true,
  },
  shared(
    "session/shared-state.ts",
    "a token is sent whose successor another program has",
    "        if (shared.isCurrent) http.send(request, sink);\n        else user.onStale();",
    "        http.send(request, sink);",
  ),
  shared(
    "session/shared-state.ts",
    "a program that reads anew does not hear of it",
    "        else user.onStale();",
    "",
  ),
  shared(
    "session/attempt.ts",
    "the records are never given back to others",
    "    if (isAtRest(this.driver.device)) this.settings.shared?.leave();\n",
    "",
  ),
  shared(
    "session/attempt.ts",
    "the records are given back while tokens are under way",
    "if (isAtRest(this.driver.device)) this.settings.shared?.leave();",
    "this.settings.shared?.leave();",
  ),
  shared(
    "session/attempt.ts",
    "the device that reads anew is not started",
    "      this.#driver.start();\n    });",
    "    });",
  ),
  shared(
    "session/attempt.ts",
    "a sealed storage is not told that others have written",
    "sharedStorage(shared.open(), shared, user)",
    "sharedStorage(((shared as unknown as { once?: Storage }).once ??= shared.open()), shared, user)",
  ),
  shared(
    "session/session.ts",
    "a sign-out is forgotten where another program has renewed the tokens",
    "    if (driver === this.#signedOut) return;",
    "    return;",
  ),
  shared(
    "session/session.ts",
    "a session that another program has ended goes on",
    "      else if (isWithoutSession(state)) this.#endBy(endedElsewhere());",
    "",
  ),
  plant("driver.ts", "stop leaves the request under way", "this.#http.abort());", "undefined);"),
  plant(
    "driver.ts",
    "stop leaves the alarm set",
    "this.#guard(() => this.#platform.timers.cancel());",
    "",
  ),
  plant(
    "driver.ts",
    "an adapter that throws is waited for",
    "      this.#faults.hold(error);\n      this.#giveUp();",
    "      this.#faults.hold(error);",
  ),
  plant(
    "driver.ts",
    "an adapter whose promise is rejected is waited for",
    "if (isThenable(result)) this.#await(result, command);",
    "",
  ),
  plant("driver.ts", "the alarm is not set", "    this.#guard(this.#setAlarm);", ""),
  plant(
    "driver.ts",
    "a write that failed counts as done",
    "this.#nextStored(0).written);\n      case Command.ERASE",
    "((done) => () => done(true))(this.#nextStored(0).written));\n      case Command.ERASE",
  ),
  plant(
    "driver/answer-sink.ts",
    "the end of an answer is told of no request",
    "this.#endedId = this.#id;",
    "",
  ),
  plant(
    "driver/storage-answer.ts",
    "what storage reports is dropped",
    "    this.#owner.report(this.#told);",
    "",
  ),
  plant(
    "session/attempt.ts",
    "nothing happens behind a sign-out that was interrupted",
    "else if (state === State.SIGNED_OUT) driver.signIn();",
    "",
  ),
  plant("session/attempt.ts", "the platform is not given back", "    this.#dispose();\n", ""),
  plant(
    "session/attempt.ts",
    "an abort listener leaks",
    'this.#handlers.signal?.removeEventListener("abort", this.#abort);',
    "",
  ),
  plant("session/attempt.ts", "the driver is not stopped", "    this.driver.stop();\n", ""),
  plant(
    "session/attempt.ts",
    "each code is told again and again",
    "this.#shownCode = userCode;",
    "",
  ),
  plant(
    "session/attempt.ts",
    "what onCode throws is swallowed",
    "      this.#fail(error);\n      return;",
    "      return;",
  ),
  plant(
    "session/attempt.ts",
    "what a promise of onCode is rejected with is swallowed",
    "if (isThenable(result)) result.then(undefined, (error) => this.#callbackFailed(error));",
    "if (isThenable(result)) result.then(undefined, () => {});",
  ),
  plant(
    "session/attempt.ts",
    "a sign-in that fails is not told",
    "void this.leave(last).then(() => this.#reject(reason));",
    "void this.leave(last);",
  ),
  plant(
    "session/session.ts",
    "whoever waits is not woken",
    "for (const wake of this.#waiting.splice(0)) wake();",
    "",
  ),
  plant(
    "session/session.ts",
    "the end of a session is not noticed",
    "      if (state === State.FAILED) {",
    "      if (state < 0) {",
  ),
  plant(
    "session/session.ts",
    "an access token that is not there is given out",
    'if (token !== "") return token;',
    "return token;",
  ),
  plant(
    "session/session.ts",
    "signOut says that everything is erased",
    "isStored: slotsUsed > 0 || watch.isSilent };",
    "isStored: false };",
  ),
  plant(
    "session/session.ts",
    "signOut says that something is left",
    "isStored: slotsUsed > 0 || watch.isSilent };",
    "isStored: true };",
  ),
  plant(
    "session/session.ts",
    "signOut says that the server has revoked",
    'isOver ? "" : "storage_silent"',
    '""',
  ),
  plant(
    "session/session.ts",
    "signOut does not wait for storage",
    "(this.#device.state !== State.SIGNED_OUT || watch.isAtStorage(this.#attempt.driver))",
    "this.#device.state !== State.SIGNED_OUT",
  ),
  plant("session/session.ts", "signOut is never begun", "    this.#signedOut.signOut();\n", ""),
  plant(
    "session/session.ts",
    "close gives nothing back",
    "    this.#left = this.#attempt.leave();\n",
    "",
  ),
  plant(
    "session/session.ts",
    "a listener of a signal leaks",
    'signal?.removeEventListener("abort", wake);',
    "",
  ),
  plant(
    "session/answer-ear.ts",
    "an abort does not reach the adapter",
    "return inner.abort();",
    "return undefined;",
  ),
  plant("session/answer-ear.ts", "the end of an answer is kept back", "        sink.end();\n", ""),
  plant(
    "driver/device.ts",
    "records belong to each start alone",
    "...serverNames(options.config.server, options.endpoints.token),",
    '...{ server: String(options.platform.timers.now()), formerServer: "" },',
  ),
  plant(
    "sealed-storage.ts",
    "an erasure erases nothing",
    "this.#inner.erase(slot, (ok) => {",
    "((_slot: number, done: (ok: boolean) => void) => done(true))(slot, (ok) => {",
  ),
  plant(
    "sealed-storage.ts",
    "a record is sealed for the other slot",
    "this.#message[MESSAGE_LEAD + 1] = slot;",
    "this.#message[MESSAGE_LEAD + 1] = 1 - slot;",
  ),
];
