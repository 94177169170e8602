// The developer's own server. It receives security events about the users of the devices (device spec §6), verifies
// them, and passes them to the device. The device can also poll for events itself, with the token of this server.
import nacl from "tweetnacl";
import type { Bytes } from "../../../../platform/contracts.ts";
import { asciiOf } from "../../../../platform/text/text.ts";
import type { FixtureInput } from "../../../service/fixture.ts";
import type { Service } from "../../../service/service.ts";
import type { Moment, Moments } from "../log/timeline.ts";
import type { SimulatedClock } from "./simulated-clock.ts";

const DELIVERY = "https://schemas.openid.net/secevent/risc/delivery-method/";
/** No request is sent there, because the simulator itself is the receiver. */
const PUSH_URL = "http://127.0.0.1/security-events";
const STORED = 30;
const NOTHING = new Uint8Array(0);

export interface SecurityEvent extends Moment {
  readonly how: "pushed" | "polled";
  readonly types: readonly string[];
  /** Contains no secrets. */
  readonly claims: string;
  readonly verdict: string;
}

interface Keys {
  keys?: { kid: string; x: string }[];
}

interface Claims {
  iss?: unknown;
  aud?: unknown;
  events?: Record<string, unknown>;
}

/** Passes verified claims to the device. Returns the device's result; undefined if the device is off. */
export type HandOn = (claims: Uint8Array) => string | undefined;

export class ManufacturerServer {
  readonly events: SecurityEvent[] = [];
  count = 0;
  #service: Service | undefined;
  #receivers: NonNullable<FixtureInput["receivers"]> = [];
  #clientId = "";
  #moments: Moments | undefined;
  #handOn: HandOn = () => undefined;

  readonly #clock: SimulatedClock;

  constructor(clock: SimulatedClock) {
    this.#clock = clock;
  }

  /** For the service: retries run in simulated time, and pushed events arrive here. */
  readonly environment = {
    schedule: (delayMs: number, task: () => void): void => {
      this.#clock.after(delayMs, task);
    },
    push: async ({ body }: { body: string }): Promise<{ status: number; body: string }> => {
      // The clock stops until the service has received the response.
      const release = this.#clock.hold();
      setTimeout(release, 0);
      return { status: this.#pushed(body), body: "" };
    },
  };

  /** Connects the server with a simulation. The client of the device determines the receiver. */
  attach(service: Service, fixture: FixtureInput, moments: Moments, handOn: HandOn): void {
    this.#service = service;
    this.#receivers = fixture.receivers ?? [];
    this.#moments = moments;
    this.#handOn = handOn;
  }

  set clientId(clientId: string) {
    this.#clientId = clientId;
  }

  get #receiver() {
    return this.#receivers.find(({ clients }) => clients.includes(this.#clientId));
  }

  get authorization(): string {
    const receiver = this.#receiver;
    return receiver ? `Bearer ${receiver.token}` : "";
  }

  /** Sets the event stream up, or disables it. Returns "", or the reason for a failure. */
  setUp(delivery: "poll" | "push" | "off"): string {
    if (delivery === "off")
      return this.#request("/events/v1/stream/status:update", { status: "disabled" });
    const url = delivery === "push" ? { url: PUSH_URL } : {};
    const method = { delivery: { delivery_method: DELIVERY + delivery, ...url } };
    return (
      this.#request("/events/v1/stream:update", method) ||
      this.#request("/events/v1/stream/status:update", { status: "enabled" })
    );
  }

  verifyStream(): string {
    return this.#request("/events/v1/stream:verify", { state: "picogrant" });
  }

  /** Verifies an event that the device has polled. */
  verifyPolled(bytes: Bytes, from: number, to: number): boolean {
    const token = asciiOf(bytes, from, to);
    const claims = this.#verified(token);
    this.#note("polled", token, claims === undefined ? "refused: not verified" : "verified");
    return claims !== undefined;
  }

  #pushed(token: string): number {
    const claims = this.#verified(token);
    if (claims === undefined) {
      this.#note("pushed", token, "refused: not verified");
      return 400;
    }
    // Take the event's place in the log first, so that the log shows the cause before its effect.
    const moment = this.#moments!.next();
    const verdict = this.#handOn(claims);
    this.#note("pushed", token, verdict ?? "the device is off: the service retries", moment);
    return verdict === undefined ? 503 : 202;
  }

  /** The claims; undefined if signature, issuer or audience are wrong. */
  #verified(token: string): Uint8Array | undefined {
    const [header = "", payload = "", signature = ""] = token.split(".");
    const service = this.#service;
    if (service === undefined) return undefined;
    const published = { method: "GET", path: "/keys", query: "", headers: {}, body: NOTHING };
    const { keys = [] } = JSON.parse(utf8(service.handle(published).body)) as Keys;
    try {
      const { kid } = JSON.parse(utf8(decode(header))) as { kid: string };
      const key = keys.find((one) => one.kid === kid);
      const signed = new TextEncoder().encode(`${header}.${payload}`);
      const isSigned =
        key !== undefined && nacl.sign.detached.verify(signed, decode(signature), decode(key.x));
      const claims = decode(payload);
      const { iss, aud } = JSON.parse(utf8(claims)) as Claims;
      const isMeant = Array.isArray(aud) && aud.includes(this.#clientId);
      return isSigned && isMeant && iss === service.issuer ? claims : undefined;
    } catch {
      return undefined;
    }
  }

  #note(
    how: SecurityEvent["how"],
    token: string,
    verdict: string,
    moment = this.#moments!.next(),
  ): void {
    let claims = "(not a token)";
    let types: string[] = [];
    try {
      const value = JSON.parse(utf8(decode(token.split(".")[1] ?? ""))) as Claims;
      claims = JSON.stringify(value, null, 2);
      types = Object.keys(value.events ?? {}).map((type) => type.split("/").at(-1)!);
    } catch {}
    this.count++;
    this.events.push({ ...moment, how, types, claims, verdict });
    if (this.events.length > STORED) this.events.shift();
  }

  #request(path: string, body: object): string {
    const service = this.#service;
    if (service === undefined) return "only with the simulated service";
    if (this.#receiver === undefined)
      return `no receiver is registered for the client ${this.#clientId}`;
    const headers = { authorization: this.authorization, "content-type": "application/json" };
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    const response = service.handle({ method: "POST", path, query: "", headers, body: bytes });
    if (response.status === 200) return "";
    const { error } = JSON.parse(utf8(response.body)) as { error?: { message?: string } };
    return error?.message ?? `the service responds with ${response.status}`;
  }
}

function utf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function decode(text: string): Uint8Array {
  const base64 = text.replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
