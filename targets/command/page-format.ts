// Makes settings pages (layout: targets/host/portable/page.h). Each page is read back and compared.

import { randomBytes, X509Certificate } from "node:crypto";
import { crc32 } from "node:zlib";
import { create, Endpoint } from "../../core/index.ts";
import {
  completeConfig,
  coreConfigOf,
  type DeviceConfig,
  deviceServer,
  parseDeviceConfig,
} from "../../platform/configuration/device-config.ts";
import type { ServerSettings } from "../../platform/configuration/settings.ts";
import { reasonTexts } from "../../platform/display/reasons.ts";

/** The limits of a device (targets/host/portable/page.h). */
const PAGE_MAX = 16_384;
const AUTHORITIES_MAX = 8;
const SEED_BYTES = 32;
const HEAD = 12;

/** The number of addresses. The index of an address is that of its endpoint in the core. */
const ADDRESSES = Endpoint.RESOURCE + 1;

export interface PageContent {
  readonly madeAt: number;
  readonly numbers: Readonly<Record<keyof typeof NUMBERS, number>>;
  readonly texts: Readonly<Record<keyof typeof TEXTS, string>>;
  readonly addresses: readonly string[];
  readonly seed: Uint8Array;
  readonly key: Uint8Array;
  /** Each entry has a certificate, and the positions of the parts that a board reads. */
  readonly authorities: readonly Uint8Array[];
  /** "" for none. */
  readonly timeServer: string;
  /** The sum of 1 for DPoP, and of 2 or 4 for private_key_jwt with the issuer or the token endpoint as audience. */
  readonly keyUses: number;
  readonly signingKey: Uint8Array;
}

/** The numbers that BearSSL gives the curves. In a page, 0 in place of a curve means an RSA key. */
const CURVES: Readonly<Record<string, number>> = { "P-256": 23, "P-384": 24 };

export class PageError extends Error {}

/** A number of `size` bytes, little-endian. */
function number(value: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntLE(value, 0, size);
  return bytes;
}

const sized = (bytes: Uint8Array, sizeBytes: number): Buffer =>
  Buffer.concat([number(bytes.length, sizeBytes), bytes]);

/** The start and end of the content of a DER element. */
function element(der: Buffer, at: number): { content: number; end: number } {
  const first = der[at + 1]!;
  if (first < 0x80) return { content: at + 2, end: at + 2 + first };
  const digits = first & 0x7f;
  const content = at + 2 + digits;
  return { content, end: content + der.readUIntBE(at + 2, digits) };
}

function subjectIn(certificate: Buffer): [at: number, size: number] {
  const toBeSigned = element(certificate, element(certificate, 0).content);
  let at = toBeSigned.content;
  // Certificates of version 1 have no version element.
  if (certificate[at] === 0xa0) at = element(certificate, at).end;
  // Skip serial number, signature algorithm, issuer and validity (RFC 5280 §4.1).
  for (let skipped = 0; skipped < 4; skipped++) at = element(certificate, at).end;
  return [at, element(certificate, at).end - at];
}

function authorityOf(pem: string): Buffer {
  const certificate = new X509Certificate(pem);
  const { raw } = certificate;
  const key = certificate.publicKey.export({ format: "jwk" });
  const bytes = (text: string | undefined): Buffer => Buffer.from(text ?? "", "base64url");
  const curve = key.kty === "RSA" ? 0 : CURVES[key.crv ?? ""];
  if (curve === undefined || (key.kty !== "RSA" && key.kty !== "EC")) {
    const name = certificate.subject.replaceAll("\n", ", ");
    throw new PageError(`the key of ${name} is neither RSA nor on P-256 or P-384`);
  }
  const subject = subjectIn(raw);
  const part = (what: Buffer, from: number): [at: number, size: number] => {
    const at = raw.indexOf(what, from);
    if (at < 0) throw new PageError(`the key of ${certificate.subject} is written in another form`);
    return [at, what.length];
  };
  const point = Buffer.concat([Buffer.of(4), bytes(key.x), bytes(key.y)]);
  const main = part(curve === 0 ? bytes(key.n) : point, subject[0] + subject[1]);
  // The exponent follows the modulus, after a tag and a length of one byte each.
  const exponent = curve === 0 ? part(bytes(key.e), main[0] + main[1] + 2) : ([0, 0] as const);
  const places = [subject, main, exponent].flat().map((place) => number(place, 2));
  return Buffer.concat([sized(raw, 2), number(curve, 1), ...places]);
}

function authoritiesOf(texts: readonly string[]): Buffer[] {
  const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
  const certificates = texts.flatMap((all) => all.match(pem) ?? []);
  if (certificates.length > AUTHORITIES_MAX) {
    throw new PageError(`${certificates.length} authorities; at most ${AUTHORITIES_MAX} fit`);
  }
  return certificates.map(authorityOf);
}

const headerLines = (headers: Readonly<Record<string, string>> = {}): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");

/** The addresses by endpoint. `completeConfig` has checked them. */
function addressesOf({ endpoints }: ServerSettings): string[] {
  const addresses = Array.from({ length: ADDRESSES }, () => "");
  addresses[Endpoint.DEVICE_AUTHORIZATION] = endpoints.deviceAuthorization;
  addresses[Endpoint.TOKEN] = endpoints.token;
  addresses[Endpoint.REVOCATION] = endpoints.revocation;
  addresses[Endpoint.RESOURCE] = endpoints.resources[0] ?? "";
  const missing = (["deviceAuthorization", "token"] as const).find((name) => !endpoints[name]);
  if (missing !== undefined)
    throw new PageError(`endpoints.${missing} is missing: such a device does no discovery`);
  return addresses;
}

function checkMemory(server: ServerSettings, columns: number, rows: number, bytes: number): void {
  const own = { ...coreConfigOf(server), columns, rows, seed: 1, pkce: server.pkce ? 1 : 0 };
  if (create(new Uint8Array(bytes), own) !== null) return;
  throw new PageError("limits.memoryBytes is too small for this configuration");
}

/** Returns a value of a page. Undefined stands for 0 or "". */
type Of<Value> = (config: DeviceConfig, driver: ServerSettings) => Value | undefined;

/** In the order of enum pg_page_number. */
const NUMBERS = {
  columns: ({ display }) => display?.columns ?? 20,
  rows: ({ display }) => display?.rows ?? 4,
  memoryBytes: (_, { memoryBytes }) => memoryBytes ?? 4096,
  connectSeconds: ({ limits }) => limits?.connectSeconds ?? 10,
  exchangeSeconds: ({ limits }) => limits?.exchangeSeconds ?? 30,
  responseBytes: ({ limits }) => limits?.responseBytes ?? 65_536,
  renewals: (_, { config }) => config.renewalsMax,
  startSpreadMs: (_, { config }) => config.startSpreadMs,
  autoStart: (_, { config }) => config.autoStart,
  clientAuthentication: (_, { config }) => config.clientAuthentication,
  pkce: ({ pkce }) => (pkce ? 1 : 0),
  jsonBodies: ({ bodies }) => (bodies === "json" ? 1 : 0),
} as const satisfies Readonly<Record<string, Of<number>>>;
/** In the order of enum pg_page_text. */
const TEXTS = {
  clientId: ({ clientId }) => clientId,
  clientSecret: ({ clientSecret }) => clientSecret,
  scope: ({ scope }) => scope,
  deviceParameters: (_, { config }) => config.deviceParameters,
  tokenParameters: (_, { config }) => config.tokenParameters,
  messages: (_, { config }) => config.messages,
  reasons: ({ reasons }) => reasonTexts(reasons),
  server: ({ issuer }) => issuer,
  userAgent: ({ http }) => http?.userAgent ?? "picogrant-host",
  grantHeaders: ({ headers }) => headerLines(headers?.grant),
  resourceHeaders: ({ headers }) => headerLines(headers?.resource),
  directory: ({ storage }) => storage?.directory,
} as const satisfies Readonly<Record<string, Of<string>>>;

type Content = Pick<PageContent, "numbers" | "texts" | "addresses" | "timeServer">;

function contentOf(config: DeviceConfig): Content {
  const server = deviceServer(config);
  const valuesOf = <Value>(table: Readonly<Record<string, Of<Value>>>, absent: Value) =>
    Object.fromEntries(
      Object.entries(table).map(([name, of]) => [name, of(config, server) ?? absent]),
    );
  const numbers = valuesOf(NUMBERS, 0) as PageContent["numbers"];
  const texts = valuesOf(TEXTS, "") as PageContent["texts"];
  checkMemory(server, numbers.columns, numbers.rows, numbers.memoryBytes);
  return { numbers, texts, addresses: addressesOf(server), timeServer: config.timeServer ?? "" };
}

function written(content: PageContent): Buffer {
  const { madeAt, numbers, texts, addresses, seed, key, authorities, timeServer } = content;
  const { keyUses, signingKey } = content;
  const all = [...Object.values(texts), ...addresses];
  const body = Buffer.concat([
    number(madeAt, 4),
    ...Object.values(numbers).map((value) => number(value, 4)),
    ...all.map((text) => Buffer.from(`${text}\0`)),
    sized(seed, 1),
    sized(key, 1),
    number(authorities.length, 2),
    ...authorities,
    Buffer.from(timeServer || keyUses ? `${timeServer}\0` : ""),
    ...(keyUses ? [number(keyUses, 1), sized(signingKey, 1)] : []),
  ]);
  const page = Buffer.concat([
    Buffer.from("PGS1"),
    number(body.length, 4),
    number(crc32(body), 4),
    body,
  ]);
  if (page.length <= PAGE_MAX) return page;
  throw new PageError(`the page has ${page.length} bytes; at most ${PAGE_MAX} fit`);
}

/** @throws PageError if it is not a valid settings page */
export function readPage(page: Uint8Array): PageContent {
  const bytes = Buffer.from(page);
  const length = bytes.length >= HEAD ? bytes.readUInt32LE(4) : -1;
  const body = bytes.subarray(HEAD, HEAD + length);
  const isPage = bytes.toString("latin1", 0, 4) === "PGS1" && body.length === length;
  if (!isPage || crc32(body) !== bytes.readUInt32LE(8)) {
    throw new PageError("it is no settings page, or damaged");
  }
  let at = 0;
  const take = (size: number): Buffer => {
    at += size;
    return body.subarray(at - size, at);
  };
  const takeNumber = (size: number): number => take(size).readUIntLE(0, size);
  const takeText = (): string => {
    const text = body.toString("utf8", at, body.indexOf(0, at));
    at = body.indexOf(0, at) + 1;
    return text;
  };
  const content = {
    madeAt: takeNumber(4),
    numbers: Object.fromEntries(Object.keys(NUMBERS).map((name) => [name, takeNumber(4)])),
    texts: Object.fromEntries(Object.keys(TEXTS).map((name) => [name, takeText()])),
    addresses: Array.from({ length: ADDRESSES }, takeText),
    seed: take(takeNumber(1)),
    key: take(takeNumber(1)),
    authorities: Array.from({ length: takeNumber(2) }, () => {
      const begin = at;
      // Skip certificate, curve, and position and size of subject, key and exponent (`authorityOf`).
      take(takeNumber(2) + 1 + 12);
      return body.subarray(begin, at);
    }),
    timeServer: at < body.length ? takeText() : "",
    keyUses: at < body.length ? takeNumber(1) : 0,
    signingKey: at < body.length ? take(takeNumber(1)) : Buffer.of(),
  };
  if (at !== body.length) throw new PageError("the page ends elsewhere than it says");
  return content as unknown as PageContent;
}

export interface PageSettings {
  /** Texts with at most 8 PEM certificates in all. Without any, the device trusts no server. */
  readonly authorities: readonly string[];
  /** Seconds since 1970. The device never sets its clock before this time. Of two pages, it uses the later one. */
  readonly madeAt?: number;
  /** The random seed. Default: a new one. Pass an empty one if the device has a random number generator. */
  readonly seed?: Uint8Array;
  /** The use of the device's key for client assertions, and for a board its private key (32 bytes). */
  readonly keys?:
    | {
        /** The audience of client assertions. */
        privateKeyJwt?: "issuer" | "token_endpoint" | undefined;
        signingKey?: Uint8Array;
      }
    | undefined;
}

/** `config` is the text of device.json. @throws PageError if a setting does not fit a page, ConfigError */
export function makePage(config: string, settings: PageSettings): Buffer {
  const { authorities, madeAt = Math.floor(Date.now() / 1000), keys = {} } = settings;
  const read = parseDeviceConfig(config);
  if (read.dpop === "auto") throw new PageError("dpop cannot be auto in a table of devices");
  const whole = completeConfig(read, deviceServer(read));
  const page = written({
    ...contentOf(whole),
    madeAt,
    seed: settings.seed ?? randomBytes(SEED_BYTES),
    key: Buffer.from(whole.storage?.deviceKey ?? "", "hex"),
    authorities: authoritiesOf(authorities),
    keyUses:
      (whole.dpop ? 1 : 0) +
      { none: 0, issuer: 2, token_endpoint: 4 }[keys.privateKeyJwt ?? "none"],
    signingKey: keys.signingKey ?? Buffer.of(),
  });
  if (written(readPage(page)).equals(page)) return page;
  throw new PageError("the page does not read back as it was written");
}
