// Certificates for a simulated service with TLS, and for the TLS cases of the conformance suite.

import { generateKeyPairSync } from "node:crypto";
import forge from "node-forge";
import type { TlsIdentities, TlsIdentity } from "../command/conform/conformance-server.ts";

const DAY_MS = 86_400_000;

interface KeyPair {
  key: string;
  public: forge.pki.rsa.PublicKey;
  private: forge.pki.rsa.PrivateKey;
}

/**
 * Returns the certificate of a new authority as PEM, and server identities. Another authority has signed `untrusted`.
 * @param name the server's name; undefined: 127.0.0.1 and localhost
 */
export function makeTlsIdentities(name?: string): { ca: string; identities: TlsIdentities } {
  const ours = makeAuthority("picogrant test authority");
  const otherAuthority = makeAuthority("another authority");
  // All identities share the key of `otherAuthority`, because generating keys takes most of the time.
  const keys: KeyPair = otherAuthority;
  const issue = (by: Authority, host: "here" | "elsewhere", days: number): TlsIdentity => ({
    key: keys.key,
    cert: sign(keys, by, host === "elsewhere" ? "elsewhere.example" : name, days),
  });
  return {
    ca: ours.pem,
    identities: {
      trusted: issue(ours, "here", 1),
      untrusted: issue(otherAuthority, "here", 1),
      otherName: issue(ours, "elsewhere", 1),
      expired: issue(ours, "here", -1),
    },
  };
}

interface Authority extends KeyPair {
  pem: string;
  subject: forge.pki.CertificateField[];
}

function makeAuthority(name: string): Authority {
  const keys = makeKeys();
  const subject: forge.pki.CertificateField[] = [{ name: "commonName", value: name }];
  const certificate = blank(keys, subject, subject, 1);
  certificate.setExtensions([
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", keyCertSign: true, critical: true },
  ]);
  certificate.sign(keys.private, forge.md.sha256.create());
  return { ...keys, subject, pem: forge.pki.certificateToPem(certificate) };
}

function sign(keys: KeyPair, by: Authority, name: string | undefined, days: number): string {
  const certificate = blank(keys, [{ name: "commonName", value: "server" }], by.subject, days);
  const altNames =
    name === undefined
      ? [
          { type: 7, ip: "127.0.0.1" },
          { type: 2, value: "localhost" },
        ]
      : [{ type: 2, value: name }];
  certificate.setExtensions([
    { name: "basicConstraints", cA: false },
    { name: "subjectAltName", altNames },
  ]);
  certificate.sign(by.private, forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate);
}

/** A certificate that is valid from ten days ago until `days` from now. With a negative `days`, it has expired. */
function blank(
  keys: KeyPair,
  subject: forge.pki.CertificateField[],
  issuer: forge.pki.CertificateField[],
  days: number,
): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = keys.public;
  certificate.serialNumber = `01${Math.floor(Math.random() * 1e12)
    .toString(16)
    .padStart(12, "0")}`;
  certificate.validity.notBefore = new Date(Date.now() - 10 * DAY_MS);
  certificate.validity.notAfter = new Date(Date.now() + days * DAY_MS);
  certificate.setSubject(subject);
  certificate.setIssuer(issuer);
  return certificate;
}

export function makeKeys(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  return {
    key: privateKey,
    public: forge.pki.publicKeyFromPem(publicKey),
    private: forge.pki.privateKeyFromPem(privateKey),
  };
}
