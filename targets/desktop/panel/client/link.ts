// What the panel is connected with: the simulator at the other end of a network, or a world in this very page.
import type { Begun } from "../../scenarios/stage.ts";
import type { ExchangeDetail } from "../../simulator/log/exchange-detail.ts";
import type { View } from "../../simulator/view.ts";

/** What has been recorded, or why nothing has been. */
export interface Recorded {
  readonly text: string;
  readonly problem: string;
}

/** Scenarios: played in a world of their own, in the place of the one that goes by itself. */
export interface Scenarios {
  /** Those that there are, by their names. */
  all(): Promise<readonly { readonly name: string; readonly text: string }[]>;
  begin(text: string): Promise<Begun>;
  /** The next line. @returns what was not as expected; "" where all was */
  step(): Promise<string>;
  /** Back to the world that goes by itself. @returns a line about it */
  live(): Promise<string>;
  /** What has been done in that world since it began. */
  recorded(): Promise<Recorded>;
}

export interface Link {
  readonly scenarios: Scenarios;
  /** Accounts, clients and the rest of the service as they are now, as text. */
  fixture(): Promise<string>;
  /** Has the service begin anew with others, or only looks at them. @returns "" or what is wrong, in one line */
  useFixture(text: string, deed: "apply" | "check"): Promise<string>;
  /** Calls `show` with each view of the world, and `lost` where there will be none any more. */
  watch(show: (view: View) => void, lost: (why: string) => void): void;
  /** Does what a button says. @returns "" or why it could not be sent */
  send(command: string): Promise<string>;
  /** Request and answer in full, masked; undefined where they are no longer remembered. */
  exchange(id: number): Promise<ExchangeDetail | undefined>;
  /** Opens a page of the service on the phone. */
  openPhone(target: string): void;
  /** What may be said below the QR code. */
  hintFor(verificationUri: string): string;
}
