// The bytes of a signed image as FORMAT.md fixes them: where each field lies, the names of the refusals,
// the pairs of engine and ABI. Neither checks an image (check.ts) nor makes one (make.ts).

export const MAGIC: readonly number[] = [0x50, 0x47, 0x49, 0x4d, 0x47, 0x0d, 0x0a, 0x1a];
export const FORMAT_VERSION = 2;
export const HEADER_BYTES = 240;
export const SIGNATURE_BYTES = 64;
export const PUBLIC_KEY_BYTES = 32;
export const KEY_ID_BYTES = 16;
export const BORDER_BYTES = 8;
/** Most keys of a loader. */
export const KEYS_MAX = 4;
/** No image is longer. */
export const IMAGE_BYTES_MAX = 4_194_304;
export const COUNTER_MAX = 0xffff_ffff;

/** Offsets of the header's fields. */
export const At = {
  version: 8,
  headerLength: 10,
  kind: 12,
  flags: 14,
  imageLength: 16,
  payloadLength: 20,
  configurationLength: 24,
  counter: 28,
  engine: 32,
  abi: 48,
  product: 80,
  release: 112,
  border: 144,
  reserved: 152,
  keyId: 160,
  hash: 176,
} as const;

/** Widths of the text fields in bytes. */
export const Width = { engine: 16, abi: 32, product: 32, release: 32 } as const;

/** Bits of the flags. */
export const Flag = { retireOlderKeys: 1 } as const;

export const PayloadKind = { source: 1, bytecode: 2, machineCode: 3 } as const;

/** The border of programs that bring their own core: there is none that could differ. */
export const NO_BORDER: Uint8Array = new Uint8Array(BORDER_BYTES);

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
  "retired-key",
  "signature-wrong",
  "malformed",
  "wrong-product",
  "wrong-engine",
  "wrong-abi",
  "wrong-border",
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
  "retired-key": "it was signed with a key that the maker has retired since",
  "signature-wrong": "its signature is not that of the key it names",
  malformed: "a field of its header breaks the format",
  "wrong-product": "it was made for another product",
  "wrong-engine": "it was built for another engine",
  "wrong-abi": "it was built for another version of the engine",
  "wrong-border": "its core has other numbers at its border than this host",
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
  if (abi === "es5") return PayloadKind.source;
  if (engine === "firmware") return PayloadKind.machineCode;
  return engine === "quickjs" ? PayloadKind.bytecode : undefined;
}

/** FORMAT.md's rule of texts: printable ASCII without space, 1 to `width` characters. */
export function isFieldText(text: string, width: number): boolean {
  return text.length <= width && /^[!-~]+$/.test(text);
}
