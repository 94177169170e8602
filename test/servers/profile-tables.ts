// The tables of platform/servers/README.md, made from what was tried just now.

import type { ServerProfile } from "../../platform/servers/index.ts";
import { table } from "../../targets/command/sizing/sizing-tables.ts";
import { HAPPENINGS, outcome } from "./outcomes.ts";
import { recording } from "./recording.ts";

export { sizingTable, sizingTableOfServers } from "../../targets/command/sizing/sizing-tables.ts";

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

const SECRETS: Readonly<Record<ServerProfile["secret"], string>> = {
  never: "none",
  optional: "may have one",
  required: "must have one",
};

/** What a maker fills in. */
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
      SECRETS[profile.secret],
      profile.secret === "never" ? "`none`" : `\`${profile.withSecret}\``,
    ]),
  );
}

/** Which lines of each profile were read where, and on which day; and which ones nobody has checked. */
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

/** What completes with each recorded server. @throws Error where a conversation goes wrong */
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
