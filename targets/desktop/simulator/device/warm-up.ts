// Lives a few short lives on a device that nobody sees, so that V8 has compiled the core's functions
// before their allocations are counted: what it keeps for itself would pass for the core's.

import {
  accessTokenRefused,
  addPath,
  beginCall,
  CallState,
  Command,
  cancel,
  create,
  createOffer,
  type Device,
  Endpoint,
  nextPage,
  pollEvents,
  responseBody,
  responseEnd,
  responseFailed,
  responseStart,
  State,
  sendCall,
  setStatus,
  signIn,
  signOut,
  storageDone,
  tick,
  wakeIn,
} from "../../../../core/complete.ts";
import { deviceConfig } from "../../../../platform/fake/config.ts";

const LIVES = 60;
/** More than any of these lives has steps. */
const STEPS = 400;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const CODE = bytes(
  '{"device_code":"0123456789","user_code":"ABCD-EFGH","interval":5,"expires_in":1800,' +
    '"verification_url":"http://127.0.0.1/device"}',
);
const PENDING = bytes('{"error":"authorization_pending","error_description":"\\u0050ending"}');
const DENIED = bytes('{"error":"access_denied","error_description":"Forbidden"}');
const TOKENS = bytes(
  '{"access_token":"a.b-c","refresh_token":"d/e","token_type":"Bearer","expires_in":3600}',
);
const EMPTY = bytes("{}");
const TARGET = bytes("?part=id,snippet&mine=true");
const NAMES = bytes("test.picogrant.player\npremium\nmonthly\nspring\n2025/03");
const OFFER = bytes(
  '{"packageName":"test.picogrant.player","productId":"premium","basePlanId":"monthly"}',
);

/** What one life keeps, the next one finds. */
class Slots {
  readonly #records = new Map<number, Uint8Array>();

  load({ slot, data, dataLength }: Device, memory: Uint8Array): number {
    const record = this.#records.get(slot)?.subarray(0, dataLength);
    if (record) memory.set(record, data);
    return record?.length ?? 0;
  }

  store({ slot, data, dataLength }: Device, memory: Uint8Array): number {
    this.#records.set(slot, memory.slice(data, data + dataLength));
    return 1;
  }

  erase({ slot }: Device): number {
    this.#records.delete(slot);
    return 1;
  }
}

/** Codes, polls, tokens, calls, refreshes, sign-outs; a code is given up now and then. Adds the states to `lived`. */
function live(memory: Uint8Array, slots: Slots, lived: Set<State>): void {
  const device: Device | null = create(memory, deviceConfig);
  if (!device) return;
  let requests = 0;
  let elapsedMs = 0;
  for (let step = 0; step < STEPS; step++) {
    const command = tick(device, elapsedMs);
    lived.add(device.state);
    elapsedMs = 0;
    if (command === Command.LOAD) storageDone(device, slots.load(device, memory));
    else if (command === Command.STORE) storageDone(device, slots.store(device, memory));
    else if (command === Command.ERASE) storageDone(device, slots.erase(device));
    else if (command === Command.SEND) answer(device, ++requests);
    else if (command === Command.NONE) elapsedMs = wakeIn(device);
    lived.add(device.state);
    const isSignedIn = device.state === State.SIGNED_IN;
    if (isSignedIn && step % 150 === 149) signOut(device);
    else if (isSignedIn && step % 10 === 7) accessTokenRefused(device);
    else if (isSignedIn && device.callState !== CallState.WAITING) ask(device, step);
    if (device.state === State.PENDING && step % 50 === 0) cancel(device);
    if (device.state === State.SIGNED_OUT || device.state === State.FAILED) signIn(device);
  }
}

/** What the deeds of the panel ask for, one after the other. */
function ask(device: Device, step: number): void {
  if (step % 4 === 0) pollEvents(device);
  else if (step % 4 === 1) createOffer(device, NAMES, 0, NAMES.length, OFFER, 0, OFFER.length);
  else if (step % 4 === 2) nextPage(device);
  else if (beginCall(device)) {
    addPath(device, TARGET, 0, TARGET.length);
    sendCall(device, Endpoint.RESOURCE, 1, null, 0, 0);
  }
  setStatus(device, TARGET, 0, TARGET.length);
}

/** Now and then there is none. Of the polls at every eighth request one is denied and the next brings tokens. */
function answer(device: Device, request: number): void {
  if (request % 16 === 5) {
    responseFailed(device, device.requestId);
    return;
  }
  const isPoll = device.state === State.PENDING;
  const isDenied = isPoll && request % 16 === 8;
  const waits = isPoll && request % 8 !== 0;
  const body = isDenied ? DENIED : bodyFor(device.state, waits);
  const status = isDenied ? 403 : waits ? 428 : 200;
  responseStart(device, device.requestId, status, -1);
  responseBody(device, device.requestId, body, 0, body.length);
  responseEnd(device, device.requestId);
}

function bodyFor(state: State, waits: boolean): Uint8Array {
  if (state === State.REQUESTING) return CODE;
  if (waits) return PENDING;
  return state === State.PENDING || state === State.REFRESHING ? TOKENS : EMPTY;
}

/** Takes some tens of milliseconds. Returns the states that were lived through. */
export function warmUp(): ReadonlySet<State> {
  const memory = new Uint8Array(4096);
  const lived = new Set<State>();
  const slots = new Slots();
  for (let life = 0; life < LIVES; life++) live(memory, slots, lived);
  return lived;
}
