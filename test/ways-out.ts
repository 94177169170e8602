// SPEC.md, Errors: a device is never stuck. Whatever a refresh meets, a person has a way out: states and keys, and where
// they lead to.

export type Key = "sign-in" | "cancel" | "sign-out";

interface WayOut {
  /** What each refresh meets: an answer of the simulated service's (`provoke`), or "silent": a server that says nothing. */
  readonly meets: string;
  /** Pressed one after the other, again and again as an impatient person does, until the device is where it should be. */
  readonly keys: readonly Key[];
  readonly ends: "PENDING" | "SIGNED_OUT";
}

/** By an unknown name, by the client's, by a status that never passes. */
const REFUSALS = ["unknown", "invalid_client", "405"];

export const WAYS_OUT: readonly WayOut[] = [
  ...REFUSALS.flatMap((meets): WayOut[] => [
    // Tried once more at once; then the tokens are given up for a new code.
    { meets, keys: ["sign-in"], ends: "PENDING" },
    { meets, keys: ["cancel"], ends: "SIGNED_OUT" },
    { meets, keys: ["sign-out"], ends: "SIGNED_OUT" },
  ]),
  { meets: "503", keys: ["sign-out"], ends: "SIGNED_OUT" },
  // Nobody revokes the tokens there: the person need not wait for that.
  { meets: "silent", keys: ["sign-out", "cancel"], ends: "SIGNED_OUT" },
];
