// The meaning of each error and what to do about it: one line each, for the errors page.

import { readFileSync } from "node:fs";
import type { ErrorCode } from "../../../core/complete.ts";
import * as core from "../../../core/complete.ts";
import { errorRows } from "../../../core/tables/errors.ts";
import { FIXED_BY } from "../../desktop/simulator/log/remedies.ts";
import { markdownTable, spliced } from "../script-options.ts";

type Name = Exclude<keyof typeof ErrorCode, "NONE">;

/** The type demands a line for every error. */
const ADVICE: Readonly<Record<Name, string>> = {
  AUTHORIZATION_PENDING:
    "The user has not decided yet. Nothing to do: the device continues to poll.",
  SLOW_DOWN:
    "The server wants longer pauses. The device polls more slowly until this code expires.",
  EXPIRED_TOKEN:
    "The code has expired. The device requests another one, up to `renewalsMax` times.",
  INVALID_GRANT:
    "The server does not recognize this code or refresh token any more. A pending device requests a new code; a session ends.",
  ACCESS_DENIED: "The user has denied the request. Signing in again shows a new code.",
  ADMIN_POLICY_ENFORCED:
    "The user's organization forbids one of the scopes. Its administrator can allow it; a device that requests fewer scopes is allowed.",
  ORG_INTERNAL:
    "The client is for members of one organization, and the user is not a member. Its administrator can admit the account.",
  INVALID_CLIENT:
    "The server does not know the client, its secret is wrong, the credentials are in the wrong place, or the client is of the wrong type. Check `clientId`, `clientSecret` and `clientAuthentication`.",
  UNAUTHORIZED_CLIENT:
    "The client may not use this grant. Enable the device flow where the client is registered.",
  INVALID_SCOPE:
    "The server does not know a scope, or does not grant it to devices. Check `scope`.",
  INVALID_REQUEST:
    "A parameter is missing, or the server rejects one. Compare the server's documentation with `deviceParameters` and `tokenParameters`. If the server requires PKCE and its error does not say so, set `pkce`.",
  UNSUPPORTED_GRANT_TYPE:
    "The token endpoint does not support RFC 8628. Check its address; the profile of the server may translate.",
  RATE_LIMIT_EXCEEDED:
    "Too many codes were requested. The device waits longer each time; if the error stays, raise the quota.",
  SERVER_ERROR: "The server has failed. The device retries with growing pauses.",
  TEMPORARILY_UNAVAILABLE:
    "The server is temporarily unavailable. The device retries with growing pauses.",
  INVALID_TOKEN: "The access token was rejected even after a refresh. The user signs in again.",
  INSUFFICIENT_SCOPE:
    "The API requires a scope that was not requested or not granted. Check `scope`.",
  UNSUPPORTED_TOKEN_TYPE:
    "The server issues tokens that are not Bearer, or does not revoke tokens of this kind. The device cannot use them.",
  UNREACHABLE:
    "No response: no network, a name that does not resolve, a rejected certificate, or a timeout. The device retries; see [Troubleshooting](troubleshooting.md#no-connection).",
  UNAVAILABLE:
    "A response with status 5xx, a redirect, or a rejection without an error code. The device retries with growing pauses.",
  MALFORMED_RESPONSE:
    "A response that is not JSON, or lacks a required member: often a captive portal, or a wrong endpoint address. `errorField` names the member that a JSON response lacks. The device retries.",
  VALUE_TOO_LONG:
    "A value from the server does not fit. `errorField` names it, `memoryNeeded` says how much memory is needed; see [Sizing](sizing.md).",
  UNKNOWN_ERROR:
    "The server has rejected the request with an unknown error code, which is on the display, or a refresh without an error code. A session is retried for a day.",
  RENEWALS_EXHAUSTED:
    "`renewalsMax` codes have expired without a decision. Signing in again requests a new one.",
  SESSION_ENDED:
    "The server has rejected the refresh token: revoked, or unused for too long. The user signs in again.",
  MEMORY_TOO_SMALL:
    "A request, a record or an event does not fit into the memory. `memoryNeeded` says how much is needed; see [Sizing](sizing.md).",
  TOKEN_REVOKED:
    "The server, or a security event, reports that the token was revoked. The user signs in again.",
  ACCOUNT_DISABLED:
    "A security event reports that the account was disabled. Its administrator can help.",
  UNEXPECTED_STATE: "A response without a request, or a server that contradicts itself. Report it.",
  UNUSABLE_RESPONSES:
    "Repeated unusable responses: five with JSON and no code, ten with JSON and no access token, redirects or rejections without an error code, or three codes that the server did not recognize when they were polled. `errorField` names the missing member. The address is probably not that of the endpoint, or the client needs a feature that the device does not support.",
  INTERACTION_REQUIRED:
    "The server requires user interaction: sign-in, consent, or stronger authentication. A session ends, and the user signs in again.",
  REQUEST_REFUSED:
    "Status 405, 406, 411, 413, 414 or 415: the server does not accept such requests at this address. Check the addresses of the endpoints.",
  NO_CODE_CHALLENGE:
    "The server requires PKCE, and the host could not make a code verifier and its challenge (RFC 7636): it has no random source or no SHA-256. No request was sent without them.",
};

// The generated tables of pages, and the program on each first page, written between their marks. A test checks that
// the pages are up to date.

/** Files with tables, and the function for each table, by the name in its marks. */
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

export function pageWithTables(root: string, file: string): string {
  let text = readFileSync(root + file, "utf8");
  for (const [name, make] of Object.entries(TABLES[file]!)) {
    text = spliced(text, name, make(root));
  }
  return text;
}

/** The same program on every first page. */
function firstProgram(root: string): string {
  return `\`\`\`ts\n${readFileSync(`${root}targets/examples/first.mjs`, "utf8")}\`\`\`\n`;
}

function errorTable(): string {
  const texts = core.MESSAGES.split("\n");
  const rows = errorRows()
    .filter(({ error }) => error !== core.ErrorCode.NONE)
    .map(({ error, names, kind, message }) => {
      const name = core.ErrorCode[error]!;
      return [
        String(error),
        // Each error has an anchor: its name in programs.
        `<a id="${name.toLowerCase()}"></a>\`${name}\``,
        names.map((one) => `\`${one}\``).join(", "),
        FIXED_BY[kind],
        texts[message]!.trim(),
        ADVICE[name as Name],
      ];
    });
  const head = ["", "error", "error code of the server", "fixed by", "display", "what to do"];
  return markdownTable([head, ...rows]);
}

/** The members of the core's Config: name, type, and the comment above, which applies to all members below it. */
function createTable(root: string): string {
  const source = readFileSync(`${root}core/device/config.ts`, "utf8");
  const from = source.indexOf("export interface Config {");
  const body = source.slice(from, source.indexOf("\n}", from));
  const member = /\/\*\*([\s\S]*?)\*\/|^ {2}(\w+)\??: (\w+);|^$/gm;
  const rows = [["member", "type", "meaning"]];
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
