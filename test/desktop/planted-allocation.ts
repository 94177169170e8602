// A function that allocates, in a file of its own: the counter's control.

let kept: unknown;

/** Allocates an object and an array. */
export function planted(value: number): number {
  kept = { value, list: [value] };
  return kept === undefined ? 0 : 2;
}
