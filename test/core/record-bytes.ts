// Records written by SPEC.md's table alone, not by the core's code.

import { config } from "./bench.ts";

/** CRC-24 as RFC 4880 §6.1 prints it, from any start value. */
function crc24(bytes: Uint8Array, start: number): number {
  let crc = start;
  for (const byte of bytes) {
    crc ^= byte << 16;
    for (let bit = 0; bit < 8; bit++) {
      crc <<= 1;
      if (crc & 0x1000000) crc ^= 0x1864cfb;
    }
  }
  return crc & 0xffffff;
}

/** First byte of a record: the state to go on in. */
export enum Kind {
  CODE = 3,
  ACCESS_TOKEN = 4,
  REFRESH_TOKEN = 5,
  REVOCATION_OF_ACCESS_TOKEN = 6,
  REVOCATION = 7,
}

interface RecordFields {
  kind: number;
  sequence?: number;
  /** One token; of a code its four values. */
  values?: (string | undefined)[];
  intervalMs?: number;
  codeLifeS?: number;
  refreshLifeS?: number;
  version?: number;
  clientId?: string;
}

const encoder = new TextEncoder();

/** Big-endian. */
function big(value: number, size: number): number[] {
  return Array.from({ length: size }, (_, i) => Math.floor(value / 256 ** (size - 1 - i)) % 256);
}

/** A checksum behind these bytes makes a record of them. */
export function sealed(
  body: Uint8Array,
  fields: Partial<RecordFields> = {},
  server = config.server,
): Uint8Array {
  const { version = 1, clientId = config.clientId } = fields;
  const client = crc24(encoder.encode(`client_id=${clientId}&server=${server}`), version);
  return Uint8Array.from([...body, ...big(crc24(body, client ^ (body.length + 3)), 3)]);
}

/** A record of these fields, with a right checksum; of the tests' own server, or another one. */
export function recordOf(fields: RecordFields, server = config.server): Uint8Array {
  const { kind, sequence = 1, intervalMs = 5000 } = fields;
  const { codeLifeS = 1800, refreshLifeS = 100_000_000 } = fields;
  const { values = kind === Kind.CODE ? ["dc", "ABCD", "https://x", undefined] : ["token"] } =
    fields;
  const body = Uint8Array.from([
    kind,
    ...big(sequence, 3),
    ...big(intervalMs, 4),
    ...big(codeLifeS, 4),
    ...big(refreshLifeS, 4),
    ...values.flatMap((value) => {
      const bytes = encoder.encode(value ?? "");
      return [...big(value === undefined ? 0 : bytes.length + 1, 2), ...bytes];
    }),
  ]);
  return sealed(body, fields, server);
}
