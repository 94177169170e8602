// The preconditions of actions. If one is not met, the panel's button shows the reason.
import type { View } from "./view.ts";

type Seen = Pick<View, "administrator" | "device" | "faults" | "hasKeys" | "hasNextPage" | "slots">;

export const NO_KEYS = "there is no key in the playground: use npm start";
export const NOBODY = "nobody is signed in";
const NO_POWER = "the device has no power";
const CANCELLED = ["requesting", "pending", "revoking", "failed"];

function isSignedIn({ device }: Seen): boolean {
  return device.state === "signed in" || device.state === "refreshing";
}

/** Each returns the reason why an action is not available, or "". */
const NEEDS = {
  code: ({ device }) => (device.userCode ? "" : "there is no code on the display"),
  session: (seen) => (isSignedIn(seen) ? "" : NOBODY),
  power: ({ device }) => (device.on ? "" : NO_POWER),
  refusal: ({ administrator }) =>
    administrator ? "" : "there is nothing for an administrator to fix",
  keys: ({ hasKeys }) => (hasKeys ? "" : NO_KEYS),
  "no session": (seen) => {
    if (!seen.device.on) return NO_POWER;
    if (isSignedIn(seen)) return "somebody is signed in: sign out first";
    return seen.device.state === "revoking" ? "the device is signing out" : "";
  },
  attempt: ({ device }) => {
    if (!device.on) return NO_POWER;
    return CANCELLED.includes(device.state) ? "" : "there is nothing to cancel";
  },
  "to sign out": ({ device }) => {
    if (!device.on) return NO_POWER;
    return device.state === "signed out" ? NOBODY : "";
  },
  "next page": (seen) => {
    if (!isSignedIn(seen)) return NOBODY;
    return seen.hasNextPage ? "" : "there is no next page";
  },
  poll: ({ device }) =>
    device.poll.leftMs > 0 || device.inFlight ? "" : "the device is not waiting to send a request",
  "code life": ({ device }) => (device.code.leftMs > 0 ? "" : "there is no code on the display"),
  access: ({ device }) => (device.access.leftMs > 0 ? "" : "there is no access token"),
  record: ({ slots }) =>
    slots.some(({ bytes }) => bytes > 0) ? "" : "the device has stored nothing",
  fault: ({ faults }) => (faults.length > 0 ? "" : "there is no fault to fix"),
} as const satisfies Readonly<Record<string, (seen: Seen) => string>>;

export type Need = keyof typeof NEEDS;

export function whyNot(needs: Need | undefined, seen: Seen): string {
  return needs ? NEEDS[needs](seen) : "";
}
