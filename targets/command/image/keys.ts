// The maker's keys: made, read, and never shown. Their files' format is in FORMAT.md.

import { rmSync, statSync } from "node:fs";
import nacl from "tweetnacl";
import { UsageError } from "../../desktop/usage-error.ts";
import { keyIdOf } from "../../image/check.ts";
import { keyText, parsePublicKey, parseSecretKey } from "../../image/key-file.ts";
import { createFile, readInput } from "./files.ts";

/** An image's name of a key, in hexadecimal digits. */
export function keyName(publicKey: Uint8Array): string {
  return Buffer.from(keyIdOf(publicKey)).toString("hex");
}

/**
 * Makes a pair of keys: `name.key`, which only its owner can read, and `name.pub`.
 * @returns a line for the person who asked
 * @throws UsageError where either file exists: a lost key locks devices out of updates
 */
export function newKey(name: string): string {
  const { publicKey, secretKey } = nacl.sign.keyPair();
  createFile(`${name}.key`, keyText(secretKey), 0o600);
  secretKey.fill(0);
  try {
    createFile(`${name}.pub`, keyText(publicKey), 0o644);
  } catch (error) {
    // A secret key without its public one is of no use to anybody yet.
    rmSync(`${name}.key`, { force: true });
    throw error;
  }
  return (
    `${name}.key: secret, keep it off devices and out of repositories, and keep a copy safe\n` +
    `${name}.pub: goes onto every device; key id ${keyName(publicKey)}`
  );
}

/** @throws UsageError */
export function readPublicKey(path: string): Uint8Array {
  const key = parsePublicKey(readInput(path));
  if (key !== undefined) return key;
  throw new UsageError(`${path}: holds no public key (64 hexadecimal digits, or 32 bytes)`);
}

/**
 * Reads a secret key; whoever gets it clears it after use.
 * @throws UsageError where it is none, or others can read it
 */
export function readSecretKey(path: string): Uint8Array {
  const file = readInput(path);
  if (parsePublicKey(file) !== undefined) {
    throw new UsageError(
      `${path}: is a public key; an image is signed with the secret one, NAME.key`,
    );
  }
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new UsageError(`${path}: other users can read this secret key; run chmod 600 on it`);
  }
  const key = parseSecretKey(file);
  file.fill(0);
  if (key === undefined) {
    throw new UsageError(`${path}: holds no secret key; --new-key makes one`);
  }
  const { publicKey } = nacl.sign.keyPair.fromSeed(key.subarray(0, 32));
  if (!nacl.verify(publicKey, key.subarray(32))) {
    throw new UsageError(`${path}: the secret key is damaged: its halves do not belong together`);
  }
  return key;
}
