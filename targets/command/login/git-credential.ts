// `picogrant git-credential`: git's protocol for credential helpers (gitcredentials(7)).

import { text } from "node:stream/consumers";
import { Exit } from "../exit-codes.ts";
import { commandLine, type Part } from "../option-parser.ts";
import { withPlace } from "./open.ts";
import { type SessionFlags, timeoutOption, withSession } from "./stored-session.ts";

const HELP = `
Sign in first, then:
  git config --global credential.https://github.com.helper '!picogrant git-credential'

git gets the token for the host of the login's server only, and for those of --host.`;

interface Flags extends SessionFlags {
  readonly host?: readonly string[];
}

export const gitCredential: Part = {
  line: () =>
    withPlace(commandLine("git-credential", "Gives git the access token, as a credential helper."))
      // git may introduce others, which a helper ignores.
      .argument("<operation>", "get, store or erase")
      .option("--host <host>", "another host that may get the token, repeatable", allOf)
      .addOption(timeoutOption("give up when it cannot be renewed by then", 60))
      .addHelpText("after", HELP),
  act: async (line) => {
    const { host: more = [], ...flags } = line.opts<Flags>();
    const isRefused = line.args[0] === "erase";
    if (line.args[0] !== "get" && !isRefused) return Exit.DONE;
    const { protocol, host, username = "oauth2" } = fieldsOf(await text(process.stdin));
    await withSession({ ...flags, fresh: isRefused }, async ({ session, ready }, accessToken) => {
      const { token, deviceAuthorization } = ready.driver.endpoints;
      const origins = [token, deviceAuthorization].map((endpoint) => new URL(endpoint).origin);
      const allowed = [...origins, ...more.map((name) => `https://${name}`)];
      if (!allowed.includes(`${protocol}://${host}`)) return;
      const fields = [`username=${username}`, `password=${await accessToken()}`];
      const { expiresInS } = session;
      if (expiresInS !== undefined) {
        fields.push(`password_expiry_utc=${Math.floor(Date.now() / 1000) + expiresInS}`);
      }
      if (!isRefused) process.stdout.write(`${fields.join("\n")}\n`);
    });
    return Exit.DONE;
  },
};

const allOf = (host: string, before: readonly string[] = []): string[] => [...before, host];

function fieldsOf(input: string): Record<string, string | undefined> {
  return Object.fromEntries(
    input.split("\n").map((line) => [line.split("=", 1)[0], line.slice(line.indexOf("=") + 1)]),
  );
}
