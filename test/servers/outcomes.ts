// The outcomes of the five scenarios with a recorded server, as a word for the table.

import { ErrorCode, State } from "../../core/index.ts";
import type { ServerProfile } from "../../platform/servers/index.ts";
import { table } from "../../targets/command/sizing.ts";
import { HAPPENINGS, type Happening } from "../peers/scenarios.ts";
import { Conversation } from "./conversation.ts";
import { recording } from "./recording.ts";

export { HAPPENINGS, type Happening };

/**
 * "yes", or what the server does not have: "not reported", "no refresh token", "not revoked".
 * @throws Error if the conversation differs from the recording
 */
export function outcome(server: string, happening: Happening): string {
  const recorded = recording(server);
  const start = (...script: ConstructorParameters<typeof Conversation>[1]): Conversation =>
    new Conversation(recorded, script).play();
  switch (happening) {
    case "sign-in":
      return ended(start("code", "pending", "slow_down", "tokens"), State.SIGNED_IN);
    case "denial": {
      if (!recorded.exchanges.has("denied")) return "not reported";
      const conversation = start("code", "pending", "denied");
      if (conversation.driver.device.error !== ErrorCode.ACCESS_DENIED) {
        throw new Error(`${server}: the device did not recognize the denial`);
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
      return revokes ? "yes" : "not revoked";
    }
  }
}

function ended(conversation: Conversation, state: State): string {
  const { differences, remaining, driver, server } = conversation;
  const wrong = [...differences, ...remaining.map((name) => `${name} was not requested`)];
  if (driver.device.state !== state) wrong.push(`the device is ${State[driver.device.state]}`);
  if (wrong.length > 0) throw new Error(`${server.profile.name}: ${wrong.join("; ")}`);
  return "yes";
}

// The tables of platform/servers/README.md, from the outcomes.

/** The lines of a profile, as `source` in a recording names them. */
const LINES: Readonly<Record<string, (profile: ServerProfile) => boolean>> = {
  code: () => true,
  token: () => true,
  revocation: ({ revocation }) => revocation !== "",
  userinfo: ({ userInfo }) => userInfo !== undefined,
  secret: ({ secret }) => secret !== "never",
  scope: () => true,
  pkce: ({ pkce }) => pkce !== undefined,
  lengths: () => true,
};

const SECRETS = { never: "none", required: "must have one" };

export function profileTable(profiles: readonly ServerProfile[]): string {
  const words = ({ parameters }: ServerProfile): string =>
    Object.entries(parameters)
      .map(([name, { default: standard }]) =>
        standard === undefined ? `\`${name}\`` : `\`${name}\` (${standard})`,
      )
      .join(", ");
  return table(
    ["`server`", "server", "`serverParameters`", "secret", "authenticates by"],
    profiles.map((profile) => [
      `\`${profile.name}\``,
      profile.title,
      words(profile),
      profile.secret === undefined ? "may have one" : SECRETS[profile.secret],
      profile.secret === "never" ? "`none`" : `\`${profile.withSecret}\``,
    ]),
  );
}

/** Source and day of each verified line of each profile; and the lines that are not verified. */
export function sourceTable(profiles: readonly ServerProfile[]): string {
  return table(
    ["`server`", "read", "not checked"],
    profiles.map((profile) => {
      const { sources } = recording(profile.name);
      const read = new Set(sources.flatMap(({ lines }) => lines));
      const unknown = [...read].filter((line) => !Object.hasOwn(LINES, line));
      if (unknown.length > 0) throw new Error(`${profile.name}: no line is called ${unknown[0]}`);
      const has = Object.keys(LINES).filter((line) => LINES[line]!(profile));
      const unread = has.filter((line) => !read.has(line));
      return [
        `\`${profile.name}\``,
        sources.map(({ day, page, lines }) => `[${lines.join(", ")}](${page}) ${day}`).join("; ") ||
          "nothing",
        unread.length === has.length ? "all of it: from memory" : unread.join(", "),
      ];
    }),
  );
}

/** The scenarios that succeed with each recorded server. @throws Error if a conversation fails */
export function outcomeTable(profiles: readonly ServerProfile[]): string {
  return table(
    ["server", "language", ...HAPPENINGS],
    profiles.map(({ name, translate }) => [
      `\`${name}\``,
      translate === undefined ? "RFC 8628" : "translated",
      ...HAPPENINGS.map((happening) => outcome(name, happening)),
    ]),
  );
}

export function notesList(profiles: readonly ServerProfile[]): string {
  return profiles.map(({ name, notes }) => `- \`${name}\`: ${notes.join(" ")}`).join("\n");
}
