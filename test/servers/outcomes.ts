// What becomes of the five happenings with a recorded server, in a word for the table.

import { ErrorCode, State } from "../../core/index.ts";
import { HAPPENINGS, type Happening } from "../peers/scenarios.ts";
import { Conversation } from "./conversation.ts";
import { recording } from "./recording.ts";

export { HAPPENINGS, type Happening };

/**
 * "yes", or what the server does not have: "not told", "no refresh token", "forgets".
 * @throws Error where the conversation does not go as recorded
 */
export function outcome(server: string, happening: Happening): string {
  const recorded = recording(server);
  const start = (...script: ConstructorParameters<typeof Conversation>[1]): Conversation =>
    new Conversation(recorded, script).play();
  switch (happening) {
    case "sign-in":
      return ended(start("code", "pending", "slow_down", "tokens"), State.SIGNED_IN);
    case "denial": {
      if (!recorded.exchanges.has("denied")) return "not told";
      const conversation = start("code", "pending", "denied");
      if (conversation.driver.device.error !== ErrorCode.ACCESS_DENIED) {
        throw new Error(`${server}: the denial was not understood`);
      }
      return ended(conversation, State.FAILED);
    }
    case "expiry":
      return ended(start("code", "expired", "code", "tokens"), State.SIGNED_IN);
    case "refresh":
      if (!recorded.exchanges.has("refresh")) return "no refresh token";
      return ended(start("code", "tokens").refresh("refresh"), State.SIGNED_IN);
    default: {
      const conversation = start("code", "tokens");
      const revokes = recorded.exchanges.has("revocation");
      if (revokes) conversation.append("revocation");
      if (recorded.exchanges.has("access_revocation")) conversation.append("access_revocation");
      conversation.driver.signOut();
      conversation.play();
      ended(conversation, State.SIGNED_OUT);
      return revokes ? "yes" : "forgets";
    }
  }
}

function ended(conversation: Conversation, state: State): string {
  const { differences, remaining, driver } = conversation;
  const wrong = [...differences, ...remaining.map((name) => `${name} was not asked for`)];
  if (driver.device.state !== state) wrong.push(`the device is ${State[driver.device.state]}`);
  if (wrong.length > 0) throw new Error(wrong.join("; "));
  return "yes";
}
