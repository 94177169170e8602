// The guide of the panel: the three steps of a sign-in, and a button for the next useful action.

import { deviceKind } from "../../simulator/device/kinds.ts";
import { sentenceOf } from "../../simulator/log/remedies.ts";
import type { View } from "../../simulator/view.ts";

/** The page on the phone. `none`: the panel has no phone. */
export type PhonePage = "none" | "home" | "type" | "code" | "consent" | "other";

export interface Guide {
  /** The current step (0, 1, 2), or 3 after the last one. */
  readonly step: number;
  /** The button; undefined if none is useful now. `does` is a step (steps.ts), or "#" and an action of the page. */
  readonly next: { readonly label: string; readonly does: string } | undefined;
  readonly description: string;
}

type Seen = Pick<View, "device" | "faults" | "decision" | "call" | "administrator">;

/** The labels of the three steps while `step` is the current one. */
export function wordsOf(step: number, isOn = true): readonly [string, string, string] {
  if (!isOn) return ["Switch the device on", "Enter it on the phone", "Allow"];
  if (step === 0) return ["Get a code", "Enter it on the phone", "Allow"];
  if (step === 1) return ["The device shows a code", "Enter it on the phone", "Allow"];
  if (step === 2) return ["The device shows a code", "Entered on the phone", "Allow"];
  return ["The device showed a code", "Entered on the phone", "Allowed"];
}

interface Obstacle {
  readonly fault: string;
  /** The beginning of a sentence. */
  readonly description: string;
  readonly label: string;
}

/** Faults that block every response, in order of priority. */
const OBSTACLES: readonly Obstacle[] = [
  { fault: "offline", description: "The network is unplugged", label: "plug the network in" },
  { fault: "drop", description: "Every packet is lost", label: "let the packets through" },
  {
    fault: "captive-portal",
    description: "A hotspot responds instead",
    label: "leave the hotspot",
  },
  { fault: "corrupt", description: "Every response is garbled", label: "fix the responses" },
  { fault: "unavailable", description: "The service is down", label: "bring the service back" },
];
const QUOTA = { label: "give it codes again", does: "fault quota" };
const POLICY = { label: "be the administrator: allow it", does: "fault policy" };
/** The administrator's action, by the name of the error. It is part of the button's label. */
const ADMINISTRATORS: Readonly<Record<string, string>> = {
  admin_policy_enforced: "allow it",
  account_disabled: "enable the account",
  org_internal: "admit the account",
};
const NEW_CODE = { label: "get a code", does: "press new-code" };
const SCAN = { label: "enter the code", does: "#scan" };
const WHAT_CAN_GO_WRONG = { label: "What can go wrong?", does: "#faults" };
/** If the list of faults is visible, this hint replaces the button that opens it. */
const TRY_ONE = " Next: anything under “What can go wrong”.";

/** Errors of the configuration: another sign-in with the same client and scope would fail in the same way. */
const WRONG_CLIENT = ["invalid_client", "unauthorized_client", "invalid_scope"];
/** Errors that end a session, not a sign-in. */
const SESSION_OVER = ["session_ended", "token_revoked", "invalid_token", "account_disabled"];
/** Matches the remedies that only an administrator can apply (simulator/log/remedies.ts). */
const FOR_ADMINISTRATOR = /^the administrator: /;

/** `seesFaults`: the list of faults is visible. */
export function guideOf(seen: Seen, phone: PhonePage, seesFaults = false): Guide {
  const { device, faults } = seen;
  const obstacle = OBSTACLES.find(({ fault }) => faults.includes(fault));
  if (obstacle) return behind(obstacle, seen, phone);
  if (!device.on) {
    const next = { label: "switch the device on", does: "power" };
    return { step: 0, next, description: "The device is off." };
  }
  if (isSignedIn(seen)) return signedIn(seen, phone, seesFaults);
  if (device.userCode !== "") return withCode(seen, phone);
  if (device.state === "revoking") {
    const description =
      "The device signs out: it requests the revocation of its tokens, and clears them in any case.";
    return { step: 0, next: undefined, description };
  }
  if (faults.includes("quota") && device.state !== "signed out") {
    return { step: 0, next: QUOTA, description: "The service gives this client no more codes." };
  }
  if (device.state === "failed") return failed(seen, phone);
  if (device.state === "signed out") {
    const description = "The device waits for a user who signs in.";
    return { step: 0, next: NEW_CODE, description };
  }
  const description = device.reason
    ? "The device retries by itself."
    : "The device requests a code.";
  return { step: 0, next: undefined, description };
}

function isSignedIn({ device }: Seen): boolean {
  return ["signed in", "refreshing"].includes(device.state);
}

/** While a fault blocks all responses, the user must fix it first. */
function behind({ fault, description, label }: Obstacle, seen: Seen, phone: PhonePage): Guide {
  const { device } = seen;
  const does = `fault ${fault}`;
  if (!device.on) {
    const order = `First ${label}, then switch the device on.`;
    const next = { label: `first, ${label}`, does };
    return { step: 0, next, description: `${description}, and the device is off. ${order}` };
  }
  const step = isSignedIn(seen) ? 3 : device.userCode === "" ? 0 : withCode(seen, phone).step;
  const next = { label, does };
  return {
    step,
    next,
    description: `${description}: the device receives nothing until that is fixed.`,
  };
}

function signedIn({ call, device }: Seen, phone: PhonePage, seesFaults: boolean): Guide {
  const next = seesFaults ? undefined : WHAT_CAN_GO_WRONG;
  if (call?.reason) {
    const { name, fix } = call.reason;
    const description = `Signed in, but the last call failed: ${name}. ${sentenceOf(fix)}`;
    // The API is not enabled for the client's project, so a new sign-in does not help. Another client does.
    if (name === "accessNotConfigured" && phone !== "none") {
      return { step: 3, next: usualClient(device), description };
    }
    return { step: 3, next, description };
  }
  const description = call
    ? "The device is signed in, and has received its user's data."
    : "The device is signed in.";
  return { step: 3, next, description: seesFaults ? description + TRY_ONE : description };
}

function usualClient({ kind }: Seen["device"]): Guide["next"] {
  return { label: "give it the right client", does: `client ${deviceKind(kind)!.client}` };
}

function withCode({ device, decision, faults }: Seen, phone: PhonePage): Guide {
  if (decision?.userCode === device.userCode) {
    const description = `Decided: ${decision.what}. The device learns it from its next poll.`;
    return { step: 2, next: undefined, description };
  }
  const warning = faults.includes("policy")
    ? "The organization forbids it: the service refuses accounts that allow it now."
    : "";
  const { description, ...rest } = onPhone(phone);
  return { ...rest, description: description + warning };
}

function onPhone(phone: PhonePage): Guide {
  switch (phone) {
    case "none": {
      const description = "The device shows a code: open its address with your own phone.";
      return { step: 1, next: undefined, description };
    }
    case "consent":
      return { step: 2, next: undefined, description: "Allow it on the phone, or deny it." };
    case "code":
      return { step: 1, next: undefined, description: "The phone has the code: continue there." };
    case "type":
      return {
        step: 1,
        next: SCAN,
        description: "Type the code on the phone, or have it entered:",
      };
    default:
      return {
        step: 1,
        next: SCAN,
        description: "The device shows a code; the phone takes it from there.",
      };
  }
}

function failed({ device, faults, administrator }: Seen, phone: PhonePage): Guide {
  const { name, fix } = device.reason ?? { name: "", fix: "" };
  const what = SESSION_OVER.includes(name) ? "The session is over" : "The sign-in failed";
  const description = `${what}: ${name}. ${sentenceOf(fix)}`;
  if (WRONG_CLIENT.includes(name)) {
    // With a real server, no other client can be selected.
    return { step: 0, next: phone === "none" ? undefined : usualClient(device), description };
  }
  if (name === "admin_policy_enforced" && faults.includes("policy")) {
    return { step: 0, next: POLICY, description };
  }
  if (administrator !== "") {
    const label = `be the administrator: ${ADMINISTRATORS[name] ?? "fix it"}`;
    return { step: 0, next: { label, does: "administrator" }, description };
  }
  if (!FOR_ADMINISTRATOR.test(fix)) return { step: 0, next: NEW_CODE, description };
  return {
    step: 0,
    next: NEW_CODE,
    description: `${what}: ${name}. The administrator has fixed it.`,
  };
}
