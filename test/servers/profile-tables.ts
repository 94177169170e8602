// The tables of platform/servers/README.md, made from what was tried just now.

import type { ServerProfile } from "../../platform/servers/index.ts";
import { table } from "../../targets/command/sizing/sizing-tables.ts";
import { HAPPENINGS, outcome } from "./outcomes.ts";

export { sizingTable, sizingTableOfServers } from "../../targets/command/sizing/sizing-tables.ts";

const SOURCES: Readonly<Record<ServerProfile["source"], string>> = {
  documentation: "read",
  clients: "read in clients",
  memory: "from memory, unverified",
  running: "the server runs in the tests",
};

const SECRETS: Readonly<Record<ServerProfile["secret"], string>> = {
  never: "none",
  optional: "may have one",
  required: "must have one",
};

/** What a maker fills in, and where the facts are from. */
export function profileTable(profiles: readonly ServerProfile[]): string {
  const words = ({ parameters }: ServerProfile): string =>
    Object.entries(parameters)
      .map(([name, { default: standard }]) =>
        standard === undefined ? `\`${name}\`` : `\`${name}\` (${standard})`,
      )
      .join(", ");
  return table(
    ["`server`", "server", "`serverParameters`", "secret", "authenticates by", "documentation"],
    profiles.map((profile) => [
      `\`${profile.name}\``,
      profile.title,
      words(profile),
      SECRETS[profile.secret],
      profile.secret === "never" ? "`none`" : `\`${profile.withSecret}\``,
      documentation(profile),
    ]),
  );
}

function documentation({ source, documentation: page, alsoRead = [] }: ServerProfile): string {
  const others = alsoRead.map((address, i) => `[${i + 2}](${address})`);
  return [`[${SOURCES[source]}](${page})`, ...others].join(", ");
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
