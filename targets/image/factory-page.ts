// What the maker of a board sets (layout: targets/host/ports/board/factory.h): the device's configuration, and the
// certificate authorities that it trusts, taken apart for BearSSL. The factory programs such a page; a later one, which
// need not say everything, goes to devices in the field in a signed image. What is made is read back and compared.

import { X509Certificate } from "node:crypto";
import { create, Endpoint } from "../../core/index.ts";
import {
  coreConfigOf,
  type DeviceConfig,
  driverConfigOf,
  endpointsOf,
  expandedConfig,
  parseDeviceConfig,
} from "../../platform/configuration/device-config.ts";
import { reasonTexts } from "../../platform/reasons.ts";
import { NO_BORDER } from "./format.ts";
import { makeImage } from "./make.ts";

/** Bytes of the page, and authorities, as the board has room for them. */
const PAGE_MAX = 16_384;
const AUTHORITIES_MAX = 8;
/** What the firmware has for the device. */
const MEMORY_MAX = 6144;

/** Added to the number of clientAuthentication: each code has a code challenge (FACTORY_PKCE). */
const PKCE = 256;
/** The same: parameters of the grant go out as JSON (FACTORY_JSON_BODIES). */
const JSON_BODIES = 512;

/** For the number, the text and the list that stay what the factory's page says. */
const NUMBER_AS_BEFORE = 0xffff_ffff;
const TEXT_AS_BEFORE = "\x01";
const AUTHORITIES_AS_BEFORE = 0xffff;

/** In the order of enum factory_number and enum factory_text. */
const NUMBERS = [
  "columns",
  "rows",
  "memoryBytes",
  "connectSeconds",
  "exchangeSeconds",
  "answerBytes",
  "renewals",
  "autoStart",
  "clientAuthentication",
] as const;
const TEXTS = [
  "clientId",
  "clientSecret",
  "scope",
  "deviceParameters",
  "tokenParameters",
  "messages",
  "reasons",
  "server",
  "userAgent",
  "grantHeaders",
  "resourceHeaders",
  "updates",
] as const;
/** Addresses, by the numbers of the core's endpoints. */
const ADDRESSES = Endpoint.RESOURCE + 1;

/** What a page says; a member that is undefined stays what it was. */
export interface PageContent {
  readonly madeAt: number;
  readonly numbers: Readonly<Partial<Record<(typeof NUMBERS)[number], number>>>;
  readonly texts: Readonly<Partial<Record<(typeof TEXTS)[number], string>>>;
  readonly addresses: readonly (string | undefined)[];
  /** Of each authority: its name in DER, and its key. */
  readonly anchors: readonly Buffer[] | undefined;
}

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

function anchorsOf(authorities: readonly string[]): Buffer[] {
  const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
  const certificates = authorities.flatMap((all) => all.match(pem) ?? []);
  if (certificates.length > AUTHORITIES_MAX) {
    throw new FactoryPageError(
      `${certificates.length} certificate authorities; at most ${AUTHORITIES_MAX} fit`,
    );
  }
  return certificates.map((one) => {
    const certificate = new X509Certificate(one);
    return Buffer.concat([sized(subjectOf(certificate.raw)), keyOf(certificate)]);
  });
}

const headerLines = (headers: Readonly<Record<string, string>> = {}): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");

/** Addresses of a configuration, by endpoint; each over TLS. */
function addressesOf(config: DeviceConfig): string[] {
  const endpoints = endpointsOf(config);
  const addresses = Array.from({ length: ADDRESSES }, () => "");
  addresses[Endpoint.DEVICE_AUTHORIZATION] = endpoints.deviceAuthorization;
  addresses[Endpoint.TOKEN] = endpoints.token;
  addresses[Endpoint.REVOCATION] = endpoints.revocation;
  addresses[Endpoint.RESOURCE] = endpoints.resources[0] ?? "";
  for (const [name, endpoint] of [
    ["deviceAuthorization", Endpoint.DEVICE_AUTHORIZATION],
    ["token", Endpoint.TOKEN],
  ] as const) {
    if (addresses[endpoint]) continue;
    throw new FactoryPageError(
      `endpoints.${name} is missing: a board does no discovery, picogrant configure fills it in`,
    );
  }
  for (const address of addresses) {
    if (address === "" || address.startsWith("https://")) continue;
    throw new FactoryPageError(`${address} is no https address: nothing else leaves a board`);
  }
  return addresses;
}

/** What a whole configuration says. */
function wholeContent(
  config: DeviceConfig,
  updates: string,
): Omit<PageContent, "anchors" | "madeAt"> {
  const driver = driverConfigOf(config);
  const { limits = {}, display = {}, headers = {} } = config;
  const { columns = 16, rows = 2 } = display;
  const memoryBytes = limits.memoryBytes ?? 4096;
  if (memoryBytes > MEMORY_MAX) {
    throw new FactoryPageError(`limits.memoryBytes is ${memoryBytes}; a board has ${MEMORY_MAX}`);
  }
  const memory = new Uint8Array(memoryBytes);
  if (
    create(memory, {
      ...coreConfigOf(config),
      columns,
      rows,
      seed: 1,
      pkce: config.pkce ? 1 : 0,
    }) === null
  ) {
    throw new FactoryPageError("limits.memoryBytes is too small for this configuration");
  }
  return {
    numbers: {
      columns,
      rows,
      memoryBytes,
      connectSeconds: limits.connectSeconds ?? 10,
      exchangeSeconds: limits.exchangeSeconds ?? 30,
      answerBytes: limits.answerBytes ?? 65_536,
      renewals: limits.renewals ?? 3,
      autoStart: config.autoStart === false ? 0 : 1,
      clientAuthentication:
        (driver.clientAuthentication ?? 0) +
        (config.pkce ? PKCE : 0) +
        (config.bodies === "json" ? JSON_BODIES : 0),
    },
    texts: {
      clientId: driver.clientId,
      clientSecret: driver.clientSecret ?? "",
      scope: driver.scope,
      deviceParameters: driver.deviceParameters ?? "",
      tokenParameters: driver.tokenParameters ?? "",
      messages: driver.messages ?? "",
      reasons: reasonTexts(config.reasons),
      server: config.issuer ?? "",
      userAgent: config.http?.userAgent ?? "picogrant-board",
      grantHeaders: headerLines(headers.grant),
      resourceHeaders: headerLines(headers.resource),
      updates,
    },
    addresses: addressesOf(config),
  };
}

/** Members of device.json, by what they change. */
function changedBy(given: DeviceConfig, whole: Omit<PageContent, "anchors" | "madeAt">) {
  const { limits = {}, display = {}, headers = {} } = given;
  const says = (name: keyof DeviceConfig): boolean => given[name] !== undefined;
  const numbers: Record<(typeof NUMBERS)[number], boolean> = {
    columns: display.columns !== undefined,
    rows: display.rows !== undefined,
    memoryBytes: limits.memoryBytes !== undefined,
    connectSeconds: limits.connectSeconds !== undefined,
    exchangeSeconds: limits.exchangeSeconds !== undefined,
    answerBytes: limits.answerBytes !== undefined,
    renewals: limits.renewals !== undefined,
    autoStart: says("autoStart"),
    clientAuthentication: says("clientAuthentication") || says("pkce") || says("bodies"),
  };
  const texts: Record<(typeof TEXTS)[number], boolean> = {
    clientId: says("clientId"),
    clientSecret: says("clientSecret"),
    scope: says("scope"),
    deviceParameters: says("deviceParameters"),
    tokenParameters: says("tokenParameters"),
    messages: says("messages"),
    reasons: says("reasons"),
    server: says("issuer"),
    userAgent: given.http?.userAgent !== undefined,
    grantHeaders: headers.grant !== undefined,
    resourceHeaders: headers.resource !== undefined,
    updates: whole.texts.updates !== "",
  };
  const only = <T>(all: Readonly<Record<string, T>>, which: Record<string, boolean>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => which[name]));
  return {
    numbers: only(whole.numbers as Record<string, number>, numbers) as PageContent["numbers"],
    texts: only(whole.texts as Record<string, string>, texts) as PageContent["texts"],
    addresses: whole.addresses.map((address) =>
      says("endpoints") && address !== "" ? address : undefined,
    ),
  };
}

function written(content: PageContent): Buffer {
  const { madeAt, numbers, texts, addresses, anchors } = content;
  const all = [...TEXTS.map((name) => texts[name]), ...addresses];
  const body = Buffer.concat([
    number(madeAt, 4),
    ...NUMBERS.map((name) => number(numbers[name] ?? NUMBER_AS_BEFORE, 4)),
    ...all.map((text) => Buffer.from(`${text ?? TEXT_AS_BEFORE}\0`)),
    number(anchors?.length ?? AUTHORITIES_AS_BEFORE, 2),
    ...(anchors ?? []),
  ]);
  const head = [Buffer.from("PGF2"), number(body.length, 4), number(crc32Of(body), 4)];
  const page = Buffer.concat([...head, body]);
  if (page.length > PAGE_MAX) {
    throw new FactoryPageError(`the page has ${page.length} bytes; at most ${PAGE_MAX} fit`);
  }
  return page;
}

/**
 * Reads a page as the board does.
 * @throws FactoryPageError where it is none
 */
export function readFactoryPage(page: Uint8Array): PageContent {
  const bytes = Buffer.from(page);
  const length = bytes.length >= 12 ? bytes.readUInt32LE(4) : -1;
  const body = bytes.subarray(12, 12 + length);
  const isPage = bytes.toString("latin1", 0, 4) === "PGF2" && body.length === length;
  if (!isPage || crc32Of(body) !== bytes.readUInt32LE(8)) {
    throw new FactoryPageError("it is no page of a board's, or damaged");
  }
  let at = 4;
  const numbers: Partial<Record<(typeof NUMBERS)[number], number>> = {};
  for (const name of NUMBERS) {
    const value = body.readUInt32LE(at);
    if (value !== NUMBER_AS_BEFORE) numbers[name] = value;
    at += 4;
  }
  const text = (): string | undefined => {
    const end = body.indexOf(0, at);
    const found = body.toString("utf8", at, end);
    at = end + 1;
    return found === TEXT_AS_BEFORE ? undefined : found;
  };
  const texts = Object.fromEntries(TEXTS.map((name) => [name, text()]));
  const addresses = Array.from({ length: ADDRESSES }, text);
  const count = body.readUInt16LE(at);
  at += 2;
  const anchors = Array.from({ length: count === AUTHORITIES_AS_BEFORE ? 0 : count }, () => {
    const begin = at;
    at += 2 + body.readUInt16LE(at);
    const kind = body[at++];
    if (kind === KIND_RSA) at += 2 + body.readUInt16LE(at);
    else at += 1;
    at += 2 + body.readUInt16LE(at);
    return body.subarray(begin, at);
  });
  if (at !== body.length) throw new FactoryPageError("the page ends elsewhere than it says");
  return {
    madeAt: body.readUInt32LE(0),
    numbers,
    texts,
    addresses,
    anchors: count === AUTHORITIES_AS_BEFORE ? undefined : anchors,
  };
}

/** Makes a page, and reads it back: what a device would read is what was meant. */
function checked(content: PageContent): Buffer {
  const page = written(content);
  if (!written(readFactoryPage(page)).equals(page)) {
    throw new FactoryPageError("the page does not read back as it was written");
  }
  return page;
}

export interface PageSettings {
  /** Certificates of authorities in PEM, any number in each text. */
  readonly authorities: readonly string[];
  /** The address below which new images are; "" for none. */
  readonly updates?: string;
  /** Seconds since 1970: the device's clock never is before this. */
  readonly madeAt?: number;
}

const now = (): number => Math.floor(Date.now() / 1000);

/**
 * Makes the page that the factory programs.
 * @param config the text of device.json
 * @throws FactoryPageError with one line: what does not fit the board; ConfigError: what is wrong with device.json
 */
export function makeFactoryPage(config: string, settings: PageSettings): Buffer {
  const { authorities, updates = "", madeAt = now() } = settings;
  const whole = wholeContent(expandedConfig(parseDeviceConfig(config)) as DeviceConfig, updates);
  return checked({ ...whole, madeAt, anchors: anchorsOf(authorities) });
}

/**
 * Makes a later page, of what it changes.
 * @param config the text of a device.json that may lack members: those stay what they are
 * @param base the text of a whole device.json of such a device: with the change it must be right
 * @throws as makeFactoryPage
 */
export function makeLaterPage(
  config: string,
  base: string,
  settings: Partial<PageSettings> = {},
): Buffer {
  const { authorities, updates = "", madeAt = now() } = settings;
  const given = JSON.parse(config) as DeviceConfig;
  const merged = JSON.stringify({ ...(JSON.parse(base) as object), ...given });
  const whole = wholeContent(expandedConfig(parseDeviceConfig(merged)) as DeviceConfig, updates);
  const anchors = authorities === undefined ? undefined : anchorsOf(authorities);
  return checked({ ...changedBy(given, whole), madeAt, anchors });
}

/** Engine and ABI of later settings: the ABI's number is the layout's (factory.h). */
const SETTINGS_TARGET = { engine: "settings", abi: "page-2" } as const;

/**
 * Signs a later page for devices in the field.
 * @param counter above that of the settings that a device has: older ones are never taken again
 */
export function makeSettingsImage(
  page: Uint8Array,
  { product, counter }: { product: string; counter: number },
  secretKey: Uint8Array,
): Uint8Array {
  return makeImage(
    {
      ...SETTINGS_TARGET,
      product,
      release: String(counter),
      counter,
      border: NO_BORDER,
      payload: page,
      configuration: new Uint8Array(0),
    },
    secretKey,
  );
}
