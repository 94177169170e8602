// What the panel is connected with: the simulator at the other end of a network, or a world in this very page.
import type { ExchangeDetail } from "../../simulator/log/exchange-detail.ts";
import type { View } from "../../simulator/view.ts";

export interface Link {
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
