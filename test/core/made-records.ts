// Records made by hand, and a device that finds them.

import { Region } from "../../core/complete.ts";
import { Bench } from "./bench.ts";
import { Kind, recordOf } from "./record-bytes.ts";

export const EMPTY = new Uint8Array();
export const token = (value: string, sequence: number): Uint8Array =>
  recordOf({ kind: Kind.REFRESH_TOKEN, sequence, values: [value] });
export const found = (slots: Uint8Array[], settings: object = {}): Bench =>
  new Bench([], { slots, autoStart: 0, ...settings });
export const present = (bench: Bench): string => bench.text(Region.REFRESH_TOKEN);
