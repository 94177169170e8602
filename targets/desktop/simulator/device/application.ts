// What this device is for: once signed in it asks for its user's live broadcasts (part=id,snippet) and
// shows what it got on the line that belongs to the application.
import { CallState, Endpoint, State } from "../../../../core/complete.ts";
import type { Bytes } from "../../../../platform/contracts.ts";
import type { Driver } from "../../../../platform/driver.ts";
import { bytesOf } from "../../../../platform/text.ts";
import { clean, reasonOf } from "../log/mask.ts";
import { errorName } from "../log/timeline.ts";

const TARGET = bytesOf("?part=id,snippet&mine=true");
const BODY_MAX = 65_536;

export class Application {
  #chunks: number[] = [];
  #status: "to call" | "calling" | "done" = "to call";

  /** @param wanted false for a server without that API: there is nothing to call then */
  constructor(private readonly wanted: boolean) {}

  /** Whether everything that follows a sign-in has been done. */
  get isDone(): boolean {
    return !this.wanted || this.#status === "done";
  }

  body(bytes: Bytes, from: number, to: number): void {
    for (let at = from; at < to && this.#chunks.length < BODY_MAX; at++) {
      this.#chunks.push(bytes[at]!);
    }
  }

  /** Asks again. */
  refresh(): void {
    if (this.#status === "done") this.#status = "to call";
  }

  /** To be called after anything that happened to the device; returns whether it did something. */
  attend(driver: Driver): boolean {
    const { device } = driver;
    if (!this.wanted) return false;
    if (!driver.isSignedIn) {
      this.#status = "to call";
      return false;
    }
    if (this.#status === "to call" && device.state === State.SIGNED_IN) return this.#call(driver);
    if (this.#status === "calling" && device.callState === CallState.DONE) {
      this.#status = "done";
      driver.setStatus(describe(device.callError, device.callStatus, this.#chunks));
      return true;
    }
    return false;
  }

  #call(driver: Driver): boolean {
    const { core, device } = driver;
    if (!core.beginCall || !core.addPath || !core.sendCall || !core.beginCall(device)) return false;
    this.#chunks = [];
    core.addPath(device, TARGET, 0, TARGET.length);
    if (!core.sendCall(device, Endpoint.RESOURCE, 1, null, 0, 0)) return false;
    this.#status = "calling";
    driver.run();
    return true;
  }
}

/** Why there is no list: the API's own word for it, or what the device found. */
function failure(error: number, status: number, chunks: readonly number[]): string {
  try {
    const answer = JSON.parse(new TextDecoder().decode(Uint8Array.from(chunks))) as {
      error?: object;
    };
    const reason = answer.error ? reasonOf(answer.error) : "";
    if (reason !== "") return reason;
  } catch {
    // No JSON: the device's own name says as much.
  }
  const name = errorName(error);
  return status >= 400 ? `${status} ${name}` : name;
}

/** One line for the display. */
function describe(error: number, status: number, chunks: readonly number[]): string {
  if (error !== 0) return `Broadcasts: ${failure(error, status, chunks)}`;
  try {
    const text = new TextDecoder().decode(Uint8Array.from(chunks));
    const { items } = JSON.parse(text) as { items: { snippet: { title: string } }[] };
    const first = items[0];
    if (first === undefined) return "No broadcasts";
    return `${items.length} broadcast${items.length === 1 ? "" : "s"}: ${clean(first.snippet.title)}`;
  } catch {
    return "Broadcasts: no list";
  }
}
