// The three steps of a sign-in, of which one is lit; beside them the only strong button: what helps now. Where pressing
// it would fail again there is another one, or none and the reason.

import { deviceKind } from "../../simulator/device/kinds.ts";
import { sentenceOf } from "../../simulator/log/remedies.ts";
import type { View } from "../../simulator/view.ts";

/**
 * Where the person is on the phone: a page that wants the code, one that has the right one, or asks whether to allow
 * it; `none` where the person's own phone is the only one.
 */
export type PhonePage = "none" | "home" | "type" | "code" | "consent" | "other";

export interface Guide {
  /** 0, 1, 2: the step that is lit; 3: all have been taken. */
  readonly step: number;
  /** What to press next, a command or something of the page's own; undefined where it is on the phone, or time passes. */
  readonly next: { readonly label: string; readonly does: string } | undefined;
  /** What happens now, in a sentence. */
  readonly says: string;
}

type Seen = Pick<View, "device" | "faults" | "decision" | "call" | "administrator">;

/** What the steps are called before, while and after they are taken: what is not there yet is not said to be. */
export function wordsOf(step: number, isOn = true): readonly [string, string, string] {
  if (!isOn) return ["Switch the device on", "Enter it on the phone", "Allow"];
  if (step === 0) return ["Get a code", "Enter it on the phone", "Allow"];
  if (step === 1) return ["The device shows a code", "Enter it on the phone", "Allow"];
  if (step === 2) return ["The device shows a code", "Entered on the phone", "Allow"];
  return ["The device showed a code", "Entered on the phone", "Allowed"];
}

interface Obstacle {
  readonly fault: string;
  /** What is in the way, as the beginning of a sentence. */
  readonly says: string;
  readonly label: string;
}

/** Faults that keep every answer from the device, the one to mend first at the top. */
const OBSTACLES: readonly Obstacle[] = [
  { fault: "offline", says: "The network is unplugged", label: "plug the network in" },
  { fault: "drop", says: "Every packet is lost", label: "let the packets through" },
  { fault: "captive-portal", says: "A hotspot answers instead", label: "leave the hotspot" },
  { fault: "corrupt", says: "Every answer is garbled", label: "mend the answers" },
  { fault: "unavailable", says: "The service is down", label: "bring the service back" },
];
const QUOTA = { label: "give it codes again", does: "fault quota" };
const POLICY = { label: "be the administrator: allow it", does: "fault policy" };
/** What an administrator does about a refusal, in two or three words. */
const ADMINISTRATORS: Readonly<Record<string, string>> = {
  admin_policy_enforced: "allow it",
  account_disabled: "enable the account",
  org_internal: "admit the account",
};
const NEW_CODE = { label: "get a code", does: "press new-code" };
const SCAN = { label: "enter the code", does: "#scan" };
const WHAT_CAN_GO_WRONG = { label: "What can go wrong?", does: "#faults" };
/** Where the list of faults is in sight already. */
const TRY_ONE = " Next: anything under “What can go wrong”.";

/** Why the next code would be refused as this one was, unless something else is done. */
const WRONG_CLIENT = ["invalid_client", "unauthorized_client", "invalid_scope"];
/** What ends a session, and not a sign-in. */
const SESSION_OVER = ["session_ended", "token_revoked", "invalid_token", "account_disabled"];
/** What a person has to be told who cannot mend it alone: one person, one act (core/tables/remedies.ts). */
const ASKS_ADMINISTRATOR = /^the administrator: /;

/**
 * @param phone where the person is there
 * @param seesFaults whether the list of what can go wrong is open and in sight
 */
export function guideOf(seen: Seen, phone: PhonePage, seesFaults = false): Guide {
  const { device, faults } = seen;
  const obstacle = OBSTACLES.find(({ fault }) => faults.includes(fault));
  if (obstacle) return behind(obstacle, seen, phone);
  if (!device.on) {
    const next = { label: "switch the device on", does: "power" };
    return { step: 0, next, says: "The device is off." };
  }
  if (isSignedIn(seen)) return signedIn(seen, phone, seesFaults);
  if (device.userCode !== "") return withCode(seen, phone);
  if (device.state === "revoking") {
    const says =
      "The device signs out: it has its tokens revoked, and forgets them whatever comes of it.";
    return { step: 0, next: undefined, says };
  }
  if (faults.includes("quota") && device.state !== "signed out") {
    return { step: 0, next: QUOTA, says: "The service gives this client no more codes." };
  }
  if (device.state === "failed") return failed(seen, phone);
  if (device.state === "signed out") {
    const says = "The device waits for somebody who wants to sign in.";
    return { step: 0, next: NEW_CODE, says };
  }
  const says = device.reason ? "The device tries again by itself." : "The device asks the service.";
  return { step: 0, next: undefined, says };
}

function isSignedIn({ device }: Seen): boolean {
  return ["signed in", "refreshing"].includes(device.state);
}

/** Nothing reaches the device: whatever else is to be done, this comes first. */
function behind({ fault, says, label }: Obstacle, seen: Seen, phone: PhonePage): Guide {
  const { device } = seen;
  const does = `fault ${fault}`;
  if (!device.on) {
    const order = `First ${label}, then switch the device on.`;
    const next = { label: `first, ${label}`, does };
    return { step: 0, next, says: `${says}, and the device is off. ${order}` };
  }
  const step = isSignedIn(seen) ? 3 : device.userCode === "" ? 0 : withCode(seen, phone).step;
  const next = { label, does };
  return { step, next, says: `${says}: the device hears of nothing until that is mended.` };
}

function signedIn({ call, device }: Seen, phone: PhonePage, seesFaults: boolean): Guide {
  const next = seesFaults ? undefined : WHAT_CAN_GO_WRONG;
  if (call?.reason) {
    const { name, mend } = call.reason;
    const says = `Signed in, but the last call failed: ${name}. ${sentenceOf(mend)}`;
    // A project without the API stays one.
    if (name === "accessNotConfigured" && phone !== "none") {
      return { step: 3, next: usualClient(device), says };
    }
    return { step: 3, next, says };
  }
  const says = call
    ? "The device is signed in, and has got its user's data."
    : "The device is signed in.";
  return { step: 3, next, says: seesFaults ? says + TRY_ONE : says };
}

/** Back to the client that such a device is by itself. */
function usualClient({ kind }: Seen["device"]): Guide["next"] {
  return { label: "give it the right client", does: `client ${deviceKind(kind)!.client}` };
}

function withCode({ device, decision, faults }: Seen, phone: PhonePage): Guide {
  if (decision?.userCode === device.userCode) {
    const says = `Decided: ${decision.what}. The device hears of it when it asks next.`;
    return { step: 2, next: undefined, says };
  }
  const warning = faults.includes("policy")
    ? " The organization forbids it: who allows it now is refused."
    : "";
  const { says, ...rest } = onPhone(phone);
  return { ...rest, says: says + warning };
}

function onPhone(phone: PhonePage): Guide {
  switch (phone) {
    case "none": {
      const says = "The device shows a code: open its address with your own phone.";
      return { step: 1, next: undefined, says };
    }
    case "consent":
      return { step: 2, next: undefined, says: "Allow it on the phone, or deny it." };
    case "code":
      return { step: 1, next: undefined, says: "The phone has the code: continue there." };
    case "type":
      return { step: 1, next: SCAN, says: "Type the code on the phone, or have it entered:" };
    default:
      return {
        step: 1,
        next: SCAN,
        says: "The device shows a code; the phone takes it from there.",
      };
  }
}

/** Another code is of use where the next sign-in may end otherwise. */
function failed({ device, faults, administrator }: Seen, phone: PhonePage): Guide {
  const { name, mend } = device.reason ?? { name: "", mend: "" };
  const what = SESSION_OVER.includes(name) ? "The session is over" : "The sign-in failed";
  const says = `${what}: ${name}. ${sentenceOf(mend)}`;
  if (WRONG_CLIENT.includes(name)) {
    // With somebody else's service there is no other client to take.
    return { step: 0, next: phone === "none" ? undefined : usualClient(device), says };
  }
  if (name === "admin_policy_enforced" && faults.includes("policy")) {
    return { step: 0, next: POLICY, says };
  }
  if (administrator !== "") {
    const label = `be the administrator: ${ADMINISTRATORS[name] ?? "mend it"}`;
    return { step: 0, next: { label, does: "administrator" }, says };
  }
  if (!ASKS_ADMINISTRATOR.test(mend)) return { step: 0, next: NEW_CODE, says };
  return { step: 0, next: NEW_CODE, says: `${what}: ${name}. The administrator has mended it.` };
}
