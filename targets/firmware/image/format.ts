// The bytes of a signed image as FORMAT.md fixes them: where each field lies, the names of the refusals,
// the pairs of engine and ABI. Neither checks an image (check.ts) nor makes one (make.ts).

export const MAGIC: readonly number[] = [0x50, 0x47, 0x49, 0x4d, 0x47, 0x0d, 0x0a, 0x1a];
export const FORMAT_VERSION = 1;
export const HEADER_BYTES = 192;
export const SIGNATURE_BYTES = 64;
export const PUBLIC_KEY_BYTES = 32;
export const KEY_ID_BYTES = 16;
/** No image is longer. */
export const IMAGE_BYTES_MAX = 4_194_304;
export const COUNTER_MAX = 0xffff_ffff;

/** Offsets of the header's fields. */
export const At = {
  version: 8,
  headerLength: 10,
  kind: 12,
  reserved: 14,
  imageLength: 16,
  payloadLength: 20,
  configurationLength: 24,
  counter: 28,
  engine: 32,
  abi: 48,
  product: 80,
  keyId: 112,
  hash: 128,
} as const;

/** Widths of the text fields in bytes. */
export const Width = { engine: 16, abi: 32, product: 32 } as const;

export const PayloadKind = { source: 1, bytecode: 2 } as const;

/** Engine and ABI that an image is built for, or that a loader can run. */
export interface Target {
  readonly engine: string;
  readonly abi: string;
}

/** Why an image is not run; the order is that of the checks, the first is number 1. */
export const REFUSALS = [
  "truncated",
  "not-an-image",
  "format-unknown",
  "length-wrong",
  "damaged",
  "foreign-key",
  "signature-wrong",
  "malformed",
  "wrong-engine",
  "wrong-abi",
  "rollback",
] as const;

export type Refusal = (typeof REFUSALS)[number];

const REASONS: Readonly<Record<Refusal, string>> = {
  truncated: "it ends too early; copy it again",
  "not-an-image": "it does not begin like an image; is it the right file?",
  "format-unknown": "its format is of another version than this loader's",
  "length-wrong": "its lengths contradict each other, or it is longer than this loader takes",
  damaged: "its content is not what its checksum says; copy it again",
  "foreign-key": "it was signed with another key than this device trusts",
  "signature-wrong": "its signature is not that of the key it names",
  malformed: "a field of its header breaks the format",
  "wrong-engine": "it was built for another engine",
  "wrong-abi": "it was built for another version of the engine",
  rollback: "its security counter is below this device's",
};

/** A refusal for people: its name, and what it means. */
export function describeRefusal(refusal: Refusal): string {
  return `${refusal} (${REASONS[refusal]})`;
}

/**
 * The kind of payload that belongs to a pair of engine and ABI; undefined for an engine that the format
 * does not know, whose images no loader runs.
 */
export function kindOf({ engine, abi }: Target): number | undefined {
  if (abi === "std-1" || abi === "es5") return PayloadKind.source;
  return engine === "quickjs" ? PayloadKind.bytecode : undefined;
}

/** FORMAT.md's rule of texts: printable ASCII without space, 1 to `width` characters. */
export function isFieldText(text: string, width: number): boolean {
  return text.length <= width && /^[!-~]+$/.test(text);
}
