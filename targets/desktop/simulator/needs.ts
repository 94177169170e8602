// Why an action is of no use now: the same rules for the panel's buttons, which say so before they are pressed.
import type { View } from "./view.ts";

type Seen = Pick<View, "administrator" | "device" | "faults" | "hasNextPage" | "slots">;

const NOBODY = "nobody is signed in";
const NO_CODE = "there is no code on the display";
const NO_POWER = "the device has no power";

function isSignedIn({ device }: Seen): boolean {
  return device.state === "signed in" || device.state === "refreshing";
}

function needsCode({ device }: Seen): string {
  return device.userCode ? "" : NO_CODE;
}

function needsSession(seen: Seen): string {
  return isSignedIn(seen) ? "" : NOBODY;
}

/** By the first words of what an action does; the longest that fits decides. */
const NEEDS: Readonly<Record<string, (seen: Seen) => string>> = {
  allow: needsCode,
  deny: needsCode,
  administrator: ({ administrator }) =>
    administrator ? "" : "there is nothing for an administrator to mend",
  "press new-code": (seen) => {
    if (!seen.device.on) return NO_POWER;
    if (isSignedIn(seen)) return "somebody is signed in: sign out first";
    return seen.device.state === "revoking" ? "the device is signing out" : "";
  },
  "press cancel": ({ device }) => {
    if (!device.on) return NO_POWER;
    return ["pending", "requesting"].includes(device.state) ? "" : "there is nothing to cancel";
  },
  "press list": needsSession,
  "press sign-out": (seen) => {
    if (!seen.device.on) return NO_POWER;
    return seen.device.state === "signed out" ? NOBODY : "";
  },
  "call discover": ({ device }) => (device.on ? "" : NO_POWER),
  "call next-page": (seen) => {
    if (!isSignedIn(seen)) return NOBODY;
    return seen.hasNextPage ? "" : "there is no next page";
  },
  call: needsSession,
  "jump poll": ({ device }) =>
    device.poll.leftMs > 0 || device.inFlight ? "" : "the device waits for no request",
  "jump code": ({ device }) => (device.code.leftMs > 0 ? "" : NO_CODE),
  "jump access": ({ device }) => (device.access.leftMs > 0 ? "" : "there is no access token"),
  // What strikes the next poll, or what the service knows of the code, wants a code; what strikes a session wants one.
  "fault slow-down": needsCode,
  "fault repeat-poll": needsCode,
  "fault wrong-grant-type": needsCode,
  "fault cut-poll": needsCode,
  "fault restart": needsCode,
  "fault revoke": needsSession,
  "fault lose-answer": needsSession,
  "fault flip-bit": ({ slots }) =>
    slots.some(({ bytes }) => bytes > 0) ? "" : "the device has stored nothing",
  mend: ({ faults }) => (faults.length > 0 ? "" : "there is no fault to mend"),
};

/** @returns why it is of no use now; "" where it can be done */
export function whyNot(command: string, seen: Seen): string {
  const words = command.split(" ");
  const need = NEEDS[words.slice(0, 2).join(" ")] ?? NEEDS[words[0]!];
  return need?.(seen) ?? "";
}
