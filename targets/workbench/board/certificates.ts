// Certificates for the service that the emulated board talks to: an authority that the board trusts, and what a
// server must not get away with.

import { generateKeyPairSync } from "node:crypto";
import forge from "node-forge";

const DAY_MS = 86_400_000;

/** Key and certificate of a server, in PEM. */
export interface Identity {
  readonly key: string;
  readonly cert: string;
}

export type IdentityName = "trusted" | "next" | "untrusted" | "otherName" | "expired";

interface Authority {
  readonly key: forge.pki.rsa.PrivateKey;
  readonly certificate: forge.pki.Certificate;
}

function makeKeys() {
  return generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
}

/** A certificate without a signature, valid from ten days ago until `days` from now. */
function blank(publicKey: string, serial: string, days: number): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
  certificate.serialNumber = serial;
  certificate.validity.notBefore = new Date(Date.now() - 10 * DAY_MS);
  certificate.validity.notAfter = new Date(Date.now() + days * DAY_MS);
  return certificate;
}

function makeAuthority(name: string): Authority {
  const keys = makeKeys();
  const certificate = blank(keys.publicKey, "01", 30);
  const subject = [{ name: "commonName", value: name }];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  certificate.setExtensions([
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", keyCertSign: true, critical: true },
  ]);
  const key = forge.pki.privateKeyFromPem(keys.privateKey);
  certificate.sign(key, forge.md.sha256.create());
  return { key, certificate };
}

/** An authority's certificate in PEM, and identities of a server that has all these names. */
export function makeIdentities(...names: readonly string[]): {
  authority: string;
  /** The authority that follows the first one; it has signed `next`. */
  nextAuthority: string;
  identities: Readonly<Record<IdentityName, Identity>>;
} {
  const ours = makeAuthority("picogrant board authority");
  const strangers = makeAuthority("another authority");
  const successors = makeAuthority("picogrant board authority, the next");
  // One key for all of them: making keys is what takes the time.
  const keys = makeKeys();
  const issue = (by: Authority, hosts: readonly string[], days: number): Identity => {
    const certificate = blank(keys.publicKey, "02", days);
    certificate.setSubject([{ name: "commonName", value: hosts[0]! }]);
    certificate.setIssuer(by.certificate.subject.attributes);
    certificate.setExtensions([
      { name: "basicConstraints", cA: false },
      { name: "subjectAltName", altNames: hosts.map((value) => ({ type: 2, value })) },
    ]);
    certificate.sign(by.key, forge.md.sha256.create());
    return { key: keys.privateKey, cert: forge.pki.certificateToPem(certificate) };
  };
  return {
    authority: forge.pki.certificateToPem(ours.certificate),
    nextAuthority: forge.pki.certificateToPem(successors.certificate),
    identities: {
      trusted: issue(ours, names, 10),
      next: issue(successors, names, 10),
      untrusted: issue(strangers, names, 10),
      otherName: issue(ours, ["elsewhere.example"], 10),
      expired: issue(ours, names, -1),
    },
  };
}
