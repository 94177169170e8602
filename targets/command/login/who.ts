// Who has signed in: from the ID token, or by asking the server with the access token, where it is known whom to ask.

import { addressProblem, namedAddressProblem } from "../../../platform/address.ts";
import { metadataAddresses } from "../../../platform/discovery.ts";
import { LookedAtHttp } from "../../../platform/last-look.ts";
import { NodeHttp, type NodeHttpOptions } from "../../../platform/node/index.ts";
import { serverOf, type UserInfo } from "../../../platform/servers/index.ts";
import type { TokenResponse } from "../../../platform/session/answer-ear.ts";
import { objectIn, printable } from "../../../platform/text.ts";
import type { LoginSettings } from "./settings.ts";

/** Standard claims (OpenID Connect Core 1.0 §5.1), then what other servers call the same. */
const NAMES = ["name", "display_name", "preferred_username", "username", "login", "email"] as const;
const IDENTIFIERS = ["sub", "id"] as const;

export type Claims = Readonly<Record<string, unknown>>;

/** The claims of the ID token that came straight from the token endpoint (OpenID Connect Core 1.0 §2): to show them. */
export function claimsIn({ id_token: token }: TokenResponse = {}): Claims | undefined {
  if (typeof token !== "string") return undefined;
  return objectIn(Buffer.from(token.split(".")[1] ?? "", "base64url"));
}

/** A person in one line, "" where nothing says who it is. */
export function nameIn(claims: Claims | undefined): string {
  const text = (key: string): string => {
    const value = claims?.[key];
    return typeof value === "string" || typeof value === "number" ? printable(`${value}`) : "";
  };
  const names = [...new Set(NAMES.map(text).filter((name) => name !== ""))];
  const [first = "", second] = names;
  if (first !== "") return (second === undefined ? first : `${first} (${second})`).slice(0, 200);
  return (IDENTIFIERS.map(text).find((id) => id !== "") ?? "").slice(0, 200);
}

/** Asks the server. Whatever goes wrong, the login is none the worse for it: "" then. */
export async function askWho(
  login: LoginSettings,
  accessToken: string,
  options: NodeHttpOptions,
): Promise<string> {
  const asked = await userInfoOf(login, options);
  if (asked === undefined) return "";
  const { address, scheme = "Bearer" } = asked;
  const { allowHttp } = login;
  return nameIn(await getJson(address, allowHttp, `${scheme} ${accessToken}`, options));
}

/** From the server's profile, or from the metadata of its issuer. */
export async function userInfoOf(
  { server = "", serverParameters = {}, allowHttp }: LoginSettings,
  options: NodeHttpOptions,
): Promise<UserInfo | undefined> {
  if (server === "") return undefined;
  // Whether the client has a secret makes no difference here.
  if (!server.includes("://")) return serverOf(server, serverParameters, true).userInfo;
  if (addressProblem(server, allowHttp) !== "") return undefined;
  for (const metadata of metadataAddresses(server)) {
    const { issuer, userinfo_endpoint: found } =
      (await getJson(metadata, allowHttp, "", options)) ?? {};
    if (issuer !== server || typeof found !== "string") continue;
    return namedAddressProblem(found, server, allowHttp) === "" ? { address: found } : undefined;
  }
  return undefined;
}

function getJson(
  url: string,
  allowHttp: boolean,
  authorization: string,
  options: NodeHttpOptions,
): Promise<Claims | undefined> {
  const node = new NodeHttp({ ...options, timeLimitMs: 10_000 });
  const http = new LookedAtHttp(node, (address) => ({ address, allowHttp, secrets: [] }));
  http.address = url;
  const body: number[] = [];
  let isGood = false;
  return new Promise<Claims | undefined>((resolve) => {
    http.send(
      { method: "GET", url, contentType: "", authorization, body: [], bodyFrom: 0, bodyTo: 0 },
      {
        status: (status) => {
          isGood = status === 200;
        },
        body: (bytes, from, to) => {
          for (let at = from; at < to; at++) body.push(bytes[at]!);
        },
        end: () => resolve(isGood ? objectIn(body) : undefined),
        failed: () => resolve(undefined),
      },
    );
  }).finally(() => node.dispose());
}
