// The page of flash that the factory programs (layout: targets/host/ports/board/factory.h): the device's
// configuration, and the certificate authorities that it trusts, taken apart for BearSSL.

import { X509Certificate } from "node:crypto";

/** Bytes of the page, of the configuration, and authorities, as factory.c has room for them. */
const PAGE_MAX = 16_384;
const CONFIG_MAX = 1535;
const AUTHORITIES_MAX = 8;

const KIND_RSA = 1;
const KIND_EC = 2;
/** BearSSL's numbers of curves. */
const CURVES: Readonly<Record<string, number>> = { "P-256": 23, "P-384": 24 };

export class FactoryPageError extends Error {}

/** A number of `size` bytes, little-endian. */
export function number(value: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntLE(value, 0, size);
  return bytes;
}

const sized = (bytes: Uint8Array): Buffer => Buffer.concat([number(bytes.length, 2), bytes]);

/** CRC-32 (IEEE 802.3). */
export function crc32Of(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** Where an element of DER begins to have content, and where it ends. */
function element(der: Buffer, at: number): { content: number; end: number } {
  const first = der[at + 1]!;
  if (first < 0x80) return { content: at + 2, end: at + 2 + first };
  const digits = first & 0x7f;
  const content = at + 2 + digits;
  return { content, end: content + der.readUIntBE(at + 2, digits) };
}

/** The subject of a certificate as it stands there, in DER (RFC 5280 §4.1). */
function subjectOf(certificate: Buffer): Buffer {
  const toBeSigned = element(certificate, element(certificate, 0).content);
  let at = toBeSigned.content;
  // The version is left out of certificates of version 1.
  if (certificate[at] === 0xa0) at = element(certificate, at).end;
  // Serial number, signature algorithm, issuer, validity.
  for (let skipped = 0; skipped < 4; skipped++) at = element(certificate, at).end;
  return certificate.subarray(at, element(certificate, at).end);
}

function keyOf(certificate: X509Certificate): Buffer {
  const key = certificate.publicKey.export({ format: "jwk" });
  const bytes = (text: string | undefined): Buffer => Buffer.from(text ?? "", "base64url");
  if (key.kty === "RSA") {
    return Buffer.concat([number(KIND_RSA, 1), sized(bytes(key.n)), sized(bytes(key.e))]);
  }
  const curve = CURVES[key.crv ?? ""];
  if (key.kty !== "EC" || curve === undefined) {
    const name = certificate.subject.replaceAll("\n", ", ");
    throw new FactoryPageError(`the key of ${name} is neither RSA nor on P-256 or P-384`);
  }
  const point = Buffer.concat([Buffer.of(4), bytes(key.x), bytes(key.y)]);
  return Buffer.concat([number(KIND_EC, 1), number(curve, 1), sized(point)]);
}

/**
 * Makes the page.
 * @param config the text of device.json
 * @param authorities certificates of authorities in PEM, any number in each text
 * @param updates the address below which new images are; "" for none
 * @throws FactoryPageError with one line: what does not fit the board
 */
export function makeFactoryPage(
  config: string,
  authorities: readonly string[],
  updates = "",
): Buffer {
  const text = Buffer.from(config);
  if (text.length > CONFIG_MAX) {
    throw new FactoryPageError(`device.json has ${text.length} bytes; at most ${CONFIG_MAX} fit`);
  }
  const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
  const certificates = authorities.flatMap((all) => all.match(pem) ?? []);
  if (certificates.length > AUTHORITIES_MAX) {
    throw new FactoryPageError(
      `${certificates.length} certificate authorities; at most ${AUTHORITIES_MAX} fit`,
    );
  }
  const anchors = certificates.map((one) => {
    const certificate = new X509Certificate(one);
    return Buffer.concat([sized(subjectOf(certificate.raw)), keyOf(certificate)]);
  });
  const content = Buffer.concat([
    number(text.length, 4),
    text,
    number(anchors.length, 2),
    ...anchors,
    sized(Buffer.from(`${updates}\0`)),
  ]);
  const head = [Buffer.from("PGFP"), number(content.length, 4), number(crc32Of(content), 4)];
  const page = Buffer.concat([...head, content]);
  if (page.length > PAGE_MAX) {
    throw new FactoryPageError(`the page has ${page.length} bytes; at most ${PAGE_MAX} fit`);
  }
  return page;
}
