// The three steps of a sign-in, of which one is lit; beside them the only strong button: what helps now. Where pressing
// it would fail again there is another one, or none and the reason.
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

type Seen = Pick<View, "device" | "faults" | "decision" | "call">;

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
const POLICY = { label: "have the organization allow it", does: "fault policy" };
const NEW_CODE = { label: "get a code", does: "press new-code" };
const SCAN = { label: "enter the code", does: "#scan" };
const USUAL_CLIENT = { label: "be the TV again", does: "client living-room-tv" };
const WHAT_CAN_GO_WRONG = { label: "What can go wrong?", does: "#faults" };

/** Why the next code would be refused as this one was, unless something else is done. */
const WRONG_CLIENT = ["invalid_client", "unauthorized_client", "invalid_scope"];
/** What ends a session, and not a sign-in. */
const SESSION_OVER = ["session_ended", "token_revoked", "invalid_token"];
/** Refusals of one account that another may not meet. */
const OTHER_ACCOUNT: Readonly<Record<string, string>> = {
  admin_policy_enforced:
    "This account's organization forbids it. Get a code, and take another account on the phone.",
  account_disabled:
    "The session is over: the account is disabled. Get a code, and take another account on the phone.",
  org_internal:
    "Only accounts of one organization may. Get a code, and take such an account on the phone.",
};

export function guideOf(seen: Seen, phone: PhonePage): Guide {
  const { device, faults } = seen;
  const obstacle = OBSTACLES.find(({ fault }) => faults.includes(fault));
  if (obstacle) return behind(obstacle, seen, phone);
  if (!device.on) {
    const next = { label: "switch the device on", does: "power" };
    return { step: 0, next, says: "The device is off." };
  }
  if (isSignedIn(seen)) return signedIn(seen, phone);
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
  const step = isSignedIn(seen) ? 3 : device.userCode === "" ? 0 : withCode(seen, phone).step;
  const next = { label, does: `fault ${fault}` };
  if (!device.on) return { step: 0, next, says: `${says}, and the device is off.` };
  return { step, next, says: `${says}: the device hears of nothing until that is mended.` };
}

function signedIn({ call }: Seen, phone: PhonePage): Guide {
  if (call?.reason) {
    const { name, mend } = call.reason;
    // A project without the API stays one.
    const next = name === "accessNotConfigured" && phone !== "none" ? USUAL_CLIENT : undefined;
    const [who = ""] = mend.split(":");
    const says = `Signed in, but the last call failed: ${name}. Who can mend it: ${who}.`;
    return { step: 3, next: next ?? WHAT_CAN_GO_WRONG, says };
  }
  const says = call
    ? "The device is signed in, and has got its user's data."
    : "The device is signed in.";
  return { step: 3, next: WHAT_CAN_GO_WRONG, says };
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
function failed({ device: { reason }, faults }: Seen, phone: PhonePage): Guide {
  const name = reason?.name ?? "";
  const what = SESSION_OVER.includes(name) ? "The session is over" : "The sign-in failed";
  const says = `${what}: ${name}. Below the device stands who can mend it.`;
  if (name === "admin_policy_enforced" && faults.includes("policy")) {
    return { step: 0, next: POLICY, says: "The organization forbids what the device asks for." };
  }
  if (WRONG_CLIENT.includes(name)) {
    // With somebody else's service there is no other client to take.
    if (phone === "none") return { step: 0, next: undefined, says };
    return { step: 0, next: USUAL_CLIENT, says: `The service refuses this device: ${name}.` };
  }
  return { step: 0, next: NEW_CODE, says: OTHER_ACCOUNT[name] ?? says };
}
