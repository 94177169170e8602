// What the device keeps without power, in words for a person who looks on.
import type { SlotView } from "./metered-storage.ts";

const WORDS: Readonly<Record<SlotView["kind"], string>> = {
  empty: "nothing",
  code: "the code",
  token: "the refresh token",
  "access token": "the access token",
  revocation: "what is to be revoked",
  unknown: "nothing that can be read",
};

export function keptWords({ kind, bytes }: SlotView): string {
  return bytes > 0 ? WORDS[kind] : WORDS.empty;
}
