// Opens the key of a program on Node: a file in the state directory, or the program's own signer.

import path from "node:path";
import type { Entropy, PublicJwk, Signer } from "../contracts.ts";
import { faultName } from "../exchange/callbacks.ts";
import type { KeySettings, Keys } from "../exchange/keys.ts";
import { SignInError, wrongOption } from "../session/sign-in-error.ts";
import { createOwn, readOwn } from "./files.ts";
import { StateDirectoryError } from "./platform.ts";

const FILE = "key.json";
const P256 = { name: "ECDSA", namedCurve: "P-256" };
const ES256 = { name: "ECDSA", hash: "SHA-256" };
const SIGNER_LIMIT_MS = 10_000;

export interface KeyOptions extends Pick<KeySettings, "clientId" | "dpop" | "audience"> {
  readonly entropy: Entropy;
  readonly signer?: Signer | undefined;
  readonly directory?: string | undefined;
}

/** @throws SignInError `signer_failed`; `wrong_option` if there is neither a signer nor a directory; StateDirectoryError */
export async function openKeys({ signer, directory, ...settings }: KeyOptions): Promise<Keys> {
  if (signer === undefined && directory === undefined)
    throw wrongOption("signer is missing: without state there is no file for a key");
  const own = signer ?? (await fileSigner(directory!));
  const limited = { ...own, publicJwk: own.publicJwk, sign: within(SIGNER_LIMIT_MS, own) };
  await check(limited);
  const { Keys } = await import("../exchange/keys.ts");
  return new Keys({ ...settings, signer: limited });
}

function within(limitMs: number, signer: Signer): Signer["sign"] {
  return async (bytes) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = Object.assign(new Error("no signature in time"), { code: "ETIMEDOUT" });
      timer = setTimeout(() => reject(error), limitMs);
    });
    try {
      return await Promise.race([signer.sign(bytes), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Signs a test message, so that a faulty signer is reported at the start and not by a server. */
async function check({ publicJwk, sign }: Signer): Promise<void> {
  const { subtle } = globalThis.crypto;
  let problem = "its signature is not that of its publicJwk";
  try {
    const key = await subtle.importKey("jwk", publicPart(publicJwk), P256, false, ["verify"]);
    const message = new Uint8Array(32);
    const signature = Uint8Array.from(await sign(message));
    if (await subtle.verify(ES256, key, signature, message)) return;
  } catch (error) {
    problem = `it has failed (${faultName(error)})`;
  }
  throw new SignInError("signer_failed", "developer", `the signer cannot be used: ${problem}`);
}

const publicPart = ({ kty, crv, x, y }: PublicJwk): PublicJwk => ({ kty, crv, x, y });

/** Returns the key in the directory's key.json, which only this user can read. Creates the file if it does not exist. */
export async function fileSigner(directory: string): Promise<Signer> {
  const { subtle } = globalThis.crypto;
  const file = path.join(directory, FILE);
  let stored = readOwn(file);
  if (stored === undefined) {
    const made = await subtle.generateKey(P256, true, ["sign", "verify"]);
    const { kty, crv, x, y, d } = await subtle.exportKey("jwk", made.privateKey);
    createOwn(file, JSON.stringify({ kty, crv, x, y, d }));
    stored = readOwn(file);
  }
  try {
    const jwk = JSON.parse(`${stored}`) as PublicJwk;
    const key = await subtle.importKey("jwk", jwk, P256, false, ["sign"]);
    const sign = async (bytes: Uint8Array) =>
      new Uint8Array(await subtle.sign(ES256, key, Uint8Array.from(bytes)));
    return { algorithm: "ES256", publicJwk: publicPart(jwk), sign };
  } catch {
    const advice = "restore it, or delete it and sign in again with a new key";
    throw new StateDirectoryError(`${file}: not a P-256 key; ${advice}`);
  }
}
