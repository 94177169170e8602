// Storage step by step: how often an operation is tried, which slots are
// touched, and what a host's surplus call does.

import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { Command, State } from "../../core/index.ts";
import { deviceConfig } from "../../platform/fake/config.ts";

const CODE = {
  device_code: "d",
  user_code: "BCDF-GHJK",
  verification_uri: "https://x.test",
  expires_in: 300,
};
const TOKENS = { access_token: "a", refresh_token: "r", token_type: "Bearer", expires_in: 3600 };
const TRIES = 3;
const READ_TRIES = 7;

class Host {
  readonly device = core.create(new Uint8Array(4096), deviceConfig)!;
  /** Every storage command with its slot, such as `5:0`; and `1` for a request. */
  trace: string[] = [];
  loadResult = 0;
  result = 1;
  answerErases = true;
  answerStores = true;

  pass(ms: number): void {
    let command = core.tick(this.device, ms);
    for (let count = 0; command !== Command.NONE && count < 64; count++) {
      const isStorage = command >= Command.LOAD && command <= Command.ERASE;
      if (isStorage) this.trace.push(`${command}:${this.device.slot}`);
      if (command === Command.SEND) this.trace.push("send");
      if (command === Command.LOAD) core.storageDone(this.device, this.loadResult);
      else if (command === Command.ERASE && !this.answerErases) core.storageDone(this.device, 0);
      else if (isStorage && (command !== Command.STORE || this.answerStores)) {
        core.storageDone(this.device, this.result);
      }
      command = core.tick(this.device, 0);
    }
  }

  /** Both slots, the waits between their tries included. */
  start(): void {
    this.pass(0);
    while (this.device.state === State.STARTING) this.pass(core.wakeIn(this.device));
  }

  answer(members: object): void {
    for (let s = 0; s < 60 && !this.device.inFlight; s++) this.pass(1000);
    const body = Buffer.from(JSON.stringify(members));
    const id = this.device.requestId;
    core.responseStart(this.device, id, 200, -1);
    core.responseBody(this.device, id, body, 0, body.length);
    core.responseEnd(this.device, id);
    this.pass(0);
  }

  signIn(): void {
    this.answer(CODE);
    this.answer(TOKENS);
    expect(this.device.state).toBe(State.SIGNED_IN);
    this.trace = [];
  }
}

function ofKind(trace: readonly string[], command: Command): string[] {
  return trace.filter((entry) => entry.startsWith(`${command}:`));
}

describe("storage jobs", () => {
  it("a slot that cannot be read is tried seven times within seconds, an empty one once", () => {
    const broken = new Host();
    broken.loadResult = -1;
    broken.start();
    expect(ofKind(broken.trace, Command.LOAD)).toEqual(
      [0, 1].flatMap((slot) => Array<string>(READ_TRIES).fill(`${Command.LOAD}:${slot}`)),
    );
    const empty = new Host();
    empty.pass(0);
    expect(ofKind(empty.trace, Command.LOAD)).toEqual(
      [0, 1].map((slot) => `${Command.LOAD}:${slot}`),
    );
  });

  it("a slot that could not be read is written over or erased: its record must not win later", () => {
    const host = new Host();
    host.loadResult = -1;
    host.start();
    host.loadResult = 0;
    host.trace = [];
    host.answer(CODE);
    const written = Number(ofKind(host.trace, Command.STORE)[0]!.slice(-1));
    expect(ofKind(host.trace, Command.ERASE)).toEqual([`${Command.ERASE}:${1 - written}`]);
    host.trace = [];
    host.answer(TOKENS);
    // The code that brought them is spent.
    expect(ofKind(host.trace, Command.ERASE)).toEqual([`${Command.ERASE}:${written}`]);
    expect(host.device.notSaved).toBe(0);
  });

  it("the first write of all, failed for good, is not called saved by an erase behind it", () => {
    const host = new Host();
    host.result = 0;
    host.answer(CODE);
    expect(host.device.notSaved).toBe(1);
    expect(ofKind(host.trace, Command.ERASE)).toEqual([]);
  });

  it("a write that fails is tried three times, in the same slot", () => {
    const host = new Host();
    host.answer(CODE);
    host.trace = [];
    host.result = 0;
    host.answer(TOKENS);
    const stores = ofKind(host.trace, Command.STORE);
    expect(stores).toHaveLength(TRIES);
    expect(new Set(stores).size).toBe(1);
    expect(host.device.notSaved).toBe(1);
  });

  it("signing out: revocation record, older slot erased, request, then only what is still used", () => {
    const host = new Host();
    host.signIn();
    core.signOut(host.device);
    host.pass(0);
    const written = Number(ofKind(host.trace, Command.STORE)[0]!.slice(-1));
    expect(host.trace).toEqual([
      `${Command.STORE}:${written}`,
      `${Command.ERASE}:${1 - written}`,
      "send",
    ]);
    host.trace = [];
    host.answer({});
    expect(host.device.state).toBe(State.SIGNED_OUT);
    expect(host.trace).toEqual([`${Command.ERASE}:${written}`]);
  });

  it("an erase that fails is tried three times", () => {
    const host = new Host();
    host.answer(CODE);
    host.trace = [];
    host.result = 0;
    core.cancel(host.device);
    host.pass(0);
    expect(ofKind(host.trace, Command.ERASE)).toHaveLength(TRIES);
  });

  it("a revocation record stays where the token behind it cannot be erased", () => {
    const host = new Host();
    host.signIn();
    host.answerErases = false;
    core.signOut(host.device);
    host.pass(0);
    host.trace = [];
    host.answer({});
    expect(host.device.state).toBe(State.SIGNED_OUT);
    expect(new Set(ofKind(host.trace, Command.ERASE)).size).toBe(1);
  });

  it("slots that were empty at the start and never written are not erased", () => {
    const host = new Host();
    host.answer(CODE);
    const written = ofKind(host.trace, Command.STORE)[0]!.slice(-1);
    expect(ofKind(host.trace, Command.ERASE)).toEqual([]);
    host.trace = [];
    core.cancel(host.device);
    host.pass(0);
    expect(host.trace).toEqual([`${Command.ERASE}:${written}`]);
  });

  it("a write that failed for good may have left anything: it is erased with the attempt", () => {
    const host = new Host();
    host.result = 0;
    host.answer(CODE);
    const written = ofKind(host.trace, Command.STORE)[0]!.slice(-1);
    host.result = 1;
    host.trace = [];
    core.cancel(host.device);
    host.pass(0);
    expect(host.trace).toContain(`${Command.ERASE}:${written}`);
  });

  it.each([1, 0])(
    "a wipe that begins during a write comes behind it, whatever becomes of it: %i",
    (result) => {
      const host = new Host();
      host.answerStores = false;
      host.answer(CODE);
      const written = ofKind(host.trace, Command.STORE)[0]!.slice(-1);
      host.trace = [];
      core.cancel(host.device);
      host.pass(0);
      expect(host.trace).toEqual([]);
      core.storageDone(host.device, result);
      host.pass(0);
      expect(host.trace).toContain(`${Command.ERASE}:${written}`);
      expect(ofKind(host.trace, Command.STORE)).toEqual([]);
      expect(host.device.state).toBe(State.SIGNED_OUT);
    },
  );

  it("storageDone that nobody waits for changes nothing", () => {
    const host = new Host();
    host.signIn();
    const before = JSON.stringify(host.device);
    core.storageDone(host.device, 1);
    core.storageDone(host.device, 0);
    expect(JSON.stringify(host.device)).toBe(before);
  });
});
