// What each error means to whoever meets it, and what to do: one line each, for the page of errors.

import { readFileSync } from "node:fs";
import type { ErrorCode } from "../../../core/complete.ts";
import * as core from "../../../core/complete.ts";
import { errorRows } from "../../../core/tables/errors.ts";
import { markdownTable, spliced } from "../script-options.ts";

type Name = Exclude<keyof typeof ErrorCode, "NONE">;

/** The compiler asks for a line for every error there is. */
const ADVICE: Readonly<Record<Name, string>> = {
  AUTHORIZATION_PENDING: "Nobody has decided yet. Nothing to do: the device polls on.",
  SLOW_DOWN: "The server wants longer pauses, and gets them, until this code is over.",
  EXPIRED_TOKEN:
    "The code has run out. The device asks for another, as often as `renewalsMax` says.",
  INVALID_GRANT:
    "The server does not know this code or refresh token any more. A pending device asks for a new code; a session ends.",
  ACCESS_DENIED: "The user has said no. Signing in again asks once more.",
  ADMIN_POLICY_ENFORCED:
    "The organization of the user forbids one of the scopes. Its administrator can allow it; a device that asks for less is allowed.",
  ORG_INTERNAL:
    "The client is for members of one organization, and the user is not one. Its administrator can admit the account.",
  INVALID_CLIENT:
    "The server does not know the client, its secret is wrong, it comes in the wrong place, or the client is of the wrong type. Check `clientId`, `clientSecret` and `clientAuthentication`.",
  UNAUTHORIZED_CLIENT:
    "The client may not use this grant. Switch the device flow on where the client is registered.",
  INVALID_SCOPE: "The server does not know a scope, or does not give it to devices. Check `scope`.",
  INVALID_REQUEST:
    "The server misses a parameter, or does not take one. Compare its documentation with `deviceParameters` and `tokenParameters`; where it wants PKCE and does not say so in its refusal, set `pkce`.",
  UNSUPPORTED_GRANT_TYPE:
    "The token endpoint does not speak RFC 8628. Check its address; the profile of the server may translate.",
  RATE_LIMIT_EXCEEDED:
    "Too many codes were asked for. The device waits longer each time; raise the quota if it stays.",
  SERVER_ERROR: "The server has failed. The device tries again, with growing pauses.",
  TEMPORARILY_UNAVAILABLE:
    "The server asks for patience. The device tries again, with growing pauses.",
  INVALID_TOKEN:
    "The access token was refused even after it had been refreshed. The user signs in again.",
  INSUFFICIENT_SCOPE:
    "The API wants a scope that was not asked for, or not granted. Check `scope`.",
  UNSUPPORTED_TOKEN_TYPE:
    "The server gives tokens that are not Bearer, or does not revoke tokens of this kind. The device cannot use them.",
  UNREACHABLE:
    "No answer: no network, a name that does not resolve, a certificate that is refused, or a time limit. The device tries again; see [Troubleshooting](troubleshooting.md#no-connection).",
  UNAVAILABLE:
    "An answer with status 5xx, a redirect, or a refusal that names no error. The device tries again, with growing pauses.",
  MALFORMED_RESPONSE:
    "An answer that is no JSON, or lacks what is needed: often a captive portal, or an address that is not the endpoint's. `errorField` names the member that an answer of JSON lacks. The device tries again.",
  VALUE_TOO_LONG:
    "A value of the server does not fit. `errorField` says which, `memoryNeeded` how much memory would do; see [Sizing](sizing.md).",
  UNKNOWN_ERROR:
    "The server has refused by a name that nobody knows, its own word for which is on the display; or a refresh without naming anything. A session is tried again for a day.",
  RENEWALS_EXHAUSTED:
    "As many codes ran out as `renewalsMax` allows, and nobody came. Signing in again asks for one.",
  SESSION_ENDED:
    "The server has refused the refresh token: revoked, or unused for too long. The user signs in again.",
  MEMORY_TOO_SMALL:
    "A request, a record or an event does not fit into the memory. `memoryNeeded` says how much would do; see [Sizing](sizing.md).",
  TOKEN_REVOKED:
    "The server, or a security event, says that the token was revoked. The user signs in again.",
  ACCOUNT_DISABLED:
    "A security event says that the account was disabled. Its administrator can help.",
  UNEXPECTED_STATE:
    "An answer that nobody asked for, or a server that contradicts itself. Report it.",
  USELESS_ANSWERS:
    "Answers of no use, again and again: five with JSON and no code, ten with JSON and no access token, redirects or refusals that name no error, or three codes that the server did not know when they were polled. `errorField` names the member that was missing. The address is hardly that of the endpoint, or the client needs what the device does not do.",
  INTERACTION_REQUIRED:
    "The server wants the user to act there: sign in, consent, prove more. A session ends, and the user signs in again.",
  REQUEST_REFUSED:
    "Status 405, 406, 411, 413, 414 or 415: the server does not take such requests at this address. Check the addresses of the endpoints.",
  NO_CODE_CHALLENGE:
    "The server wants PKCE, and the host could not make a code verifier and its challenge (RFC 7636): it has no random source or no SHA-256. Nothing was sent without them.",
};

// The tables in pages, and the program that each first page has: made from the sources, and written into the pages between their marks, so that they
// can be read there as well. A test holds that they are today's.

/** Files with tables, and how each table is made, by the name in its marks. */
const TABLES: Readonly<Record<string, Readonly<Record<string, (root: string) => string>>>> = {
  "README.md": {
    "first program": (root) =>
      `<!-- run: by test/examples/examples.test.ts -->\n${firstProgram(root)}`,
  },
  "scripts/package/picogrant.md": { "first program": firstProgram },
  "targets/docs/node.md": { "first program": firstProgram },
  "targets/docs/errors.md": { errors: errorTable },
  "targets/docs/configuration.md": { configuration: configurationTable, create: createTable },
};

export const pagesWithTables: readonly string[] = Object.keys(TABLES);

/** A page as it should be. */
export function pageWithTables(root: string, file: string): string {
  let text = readFileSync(root + file, "utf8");
  for (const [name, make] of Object.entries(TABLES[file]!)) {
    text = spliced(text, name, make(root));
  }
  return text;
}

/** One and the same wherever somebody begins. */
function firstProgram(root: string): string {
  return `\`\`\`ts\n${readFileSync(`${root}targets/examples/first.mjs`, "utf8")}\`\`\`\n`;
}

const MENDED_BY: Readonly<Record<number, string>> = {
  [core.ErrorKind.TRANSIENT]: "passes by itself",
  [core.ErrorKind.RENEWABLE]: "a new code, by itself",
  [core.ErrorKind.USER]: "the user",
  [core.ErrorKind.ADMINISTRATOR]: "the administrator",
  [core.ErrorKind.MAKER]: "the maker",
};

function errorTable(): string {
  const texts = core.MESSAGES.split("\n");
  const rows = errorRows()
    .filter(({ error }) => error !== core.ErrorCode.NONE)
    .map(({ error, names, kind, message }) => {
      const name = core.ErrorCode[error]!;
      return [
        String(error),
        // Each error has an address of its own, by the name that programs know it by.
        `<a id="${name.toLowerCase()}"></a>\`${name}\``,
        names.map((one) => `\`${one}\``).join(", "),
        MENDED_BY[kind]!,
        texts[message]!.trim(),
        ADVICE[name as Name],
      ];
    });
  const head = ["", "error", "a server says", "mended by", "display", "what to do"];
  return markdownTable([head, ...rows]);
}

/** The members of the core's Config: name, type, and the comment above, which holds for all below it. */
function createTable(root: string): string {
  const source = readFileSync(`${root}core/device/config.ts`, "utf8");
  const from = source.indexOf("export interface Config {");
  const body = source.slice(from, source.indexOf("\n}", from));
  const member = /\/\*\*([\s\S]*?)\*\/|^ {2}(\w+)\??: (\w+);|^$/gm;
  const rows = [["member", "type", "what it is"]];
  let comment = "";
  for (const [whole, text, name, type] of body.matchAll(member)) {
    if (text !== undefined)
      comment = text
        .replaceAll(/\n\s*\*/g, " ")
        .replaceAll(/\s+/g, " ")
        .trim();
    else if (name !== undefined) rows.push([`\`${name}\``, type!, comment]);
    else if (whole === "") comment = "";
  }
  return markdownTable(rows);
}

interface Schema {
  readonly description?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

function configurationTable(root: string): string {
  const file = `${root}platform/configuration/device.schema.json`;
  const schema = JSON.parse(readFileSync(file, "utf8")) as Schema & {
    $defs: Record<string, Schema>;
  };
  const rows: string[][] = [];
  const walk = (part: Schema, prefix: string): void => {
    for (const [name, value] of Object.entries(part.properties ?? {})) {
      const own =
        value.$ref === undefined ? value : schema.$defs[value.$ref.replace("#/$defs/", "")]!;
      if (name === "$schema") continue;
      const description = (own.description ?? "").replaceAll("|", "\\|");
      if (value.properties === undefined) rows.push([`\`${prefix}${name}\``, description]);
      else walk(value, `${prefix}${name}.`);
    }
  };
  walk(schema, "");
  return markdownTable([["member", "what it takes"], ...rows]);
}
