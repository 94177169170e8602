// The three steps of a sign-in, of which one is lit; beside them the only strong button: what to press next.
import type { View } from "../../simulator/view.ts";

/** Where the person is on the phone. */
export type PhonePage = "home" | "code" | "consent" | "other";

export interface Guide {
  /** 0, 1, 2: the step that is lit; 3: all have been taken. */
  readonly step: number;
  /** What to press next, a command or something of the page's own; undefined where it is on the phone, or time passes. */
  readonly next: { readonly label: string; readonly does: string } | undefined;
  /** What happens now, in a sentence. */
  readonly says: string;
}

export function guideOf({ device }: Pick<View, "device">, phone: PhonePage): Guide {
  if (!device.on) {
    const next = { label: "switch the device on", does: "power" };
    return { step: 0, next, says: "The device is off." };
  }
  if (["signed in", "refreshing"].includes(device.state)) {
    const next = { label: "What can go wrong?", does: "#faults" };
    return { step: 3, next, says: "The device is signed in, and has got its user's data." };
  }
  if (device.userCode !== "") return onPhone(phone);
  if (["signed out", "failed"].includes(device.state)) {
    const next = { label: "get a code", does: "press new-code" };
    const why = device.state === "failed" ? "The sign-in failed: below the device stands why." : "";
    return { step: 0, next, says: why || "The device waits for somebody who wants to sign in." };
  }
  if (device.state === "revoking") {
    const says =
      "The device signs out: it has its tokens revoked, and forgets them whatever comes of it.";
    return { step: 0, next: undefined, says };
  }
  const says = device.reason ? "The device tries again by itself." : "The device asks the service.";
  return { step: 0, next: undefined, says };
}

function onPhone(phone: PhonePage): Guide {
  if (phone === "consent") {
    return { step: 2, next: undefined, says: "Allow it on the phone, or deny it." };
  }
  if (phone === "code") {
    return { step: 1, next: undefined, says: "Continue on the phone." };
  }
  const next = { label: "enter the code", does: "#scan" };
  return { step: 1, next, says: "The device shows a code; the phone takes it from there." };
}
