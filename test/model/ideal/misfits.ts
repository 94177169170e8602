// Values of an answer that have no room, and what would help (core/SPEC.md, "The loop").

import { Field } from "../../../core/index.ts";

/** The longest address that any memory has room for. */
const ADDRESS_BYTES_MAX = 512;

type Value = readonly [field: Field, text: string | undefined];

/** The highest of these fields whose value has no room, 0 where all have. */
export function misfitOf(values: readonly Value[], room: (field: number) => number): number {
  let misfit = 0;
  for (const [field, value] of values) {
    if (value !== undefined && value.length > room(field)) misfit = Math.max(misfit, field);
  }
  return misfit;
}

/** Whether a value would have room in more memory. */
export function isHelpedByMemory(field: Field, value: string): boolean {
  if (field === Field.VERIFICATION_URI) return value.length <= ADDRESS_BYTES_MAX;
  return field !== Field.USER_CODE;
}

/** Of the last answer of the grant. */
export class Misfits {
  errorField = 0;
  /** More memory would hold all that did not fit. */
  isMemoryShort = false;
  values: (readonly [field: Field, text: string])[] = [];

  readonly #room: (field: number) => number;

  constructor(room: (field: number) => number) {
    this.#room = room;
  }

  /** @returns whether one of the values has no room */
  note(values: readonly Value[]): boolean {
    this.errorField = misfitOf(values, this.#room);
    this.values = [];
    for (const [field, value] of values) {
      if (value !== undefined && value.length > this.#room(field)) this.values.push([field, value]);
    }
    this.isMemoryShort =
      this.values.length > 0 &&
      this.values.every(([field, value]) => isHelpedByMemory(field, value));
    return this.errorField !== 0;
  }
}
