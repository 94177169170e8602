// The configuration of a device, and the size of its memory.

import { type Config, Endpoint, MESSAGES } from "../../core/index.ts";
import type { Random } from "./random.ts";

export interface Settings {
  config: Config;
  memoryBytes: number;
  /** The start value of the counters of requests and moves. High values test that the counters wrap at 2^16. */
  countsFrom?: number;
  endpoints?: number;
  /** Whether to overwrite values that are no longer valid (corrupt.ts). */
  isCorrupted?: boolean;
  /** Whether to check each access to the memory, which is slow. */
  isWatched?: boolean;
}

const OTHER_TEXTS =
  "Start\nAbgemeldet\nCode wird geholt\nCode wird gepr\u00fcft\nAngemeldet\nVerbinden\nAbmelden\n" +
  "Im Browser oeffnen:\nCode: \nBald neu anmelden\nNicht gespeichert\nKeine Verbindung\n" +
  "Dienst ueberlastet\nZugriff verweigert\nNicht erlaubt\nFalsche Organisation\nGeraet abgelehnt\n" +
  "Falsch eingerichtet\nCode abgelaufen\nSitzung beendet\nKonto gesperrt\nFehler\n" +
  "Zu wenig Speicher\nNicht gel\u00f6scht";

/** Characters at the edges of the ranges that a form encodes, of every length in UTF-8, and unpaired surrogates. */
const FOREIGN: readonly string[] = [
  "@AZ[`az{/09:*-._~%",
  "\u007f\u0080\u07ff\u0800\ud7ff\ue000\uffff",
  "\ud800\udc00 \ud83d\ude00 \udbff\udfff",
  "\ud83d \ude00\ud83d\ud83d\ude00\ude00",
];

const ALL_BYTES = Array.from({ length: 24 }, (_, line) =>
  Array.from({ length: 11 }, (_, at) => String.fromCharCode(((line * 11 + at) % 255) + 1)).join(""),
)
  .join("\u0000")
  .replaceAll("\n", "")
  .replaceAll("\u0000", "\n");

export const MEMORY_SIZES = [4096, 4608, 5120, 6144, 6144, 6144, 8192, 8192, 24_575, 24_576];

export function drawSettings(random: Random): Settings {
  const config: Config = {
    clientId: random.pick(["client", "client", "printer 7/b+x", "c", ...FOREIGN]),
    clientSecret: random.pick(["secret", "", "s&cr=t", ...FOREIGN]),
    scope: random.pick(["video", "email profile", "https://auth.test/video", ...FOREIGN]),
    clientAuthentication: random.below(4),
    server: random.pick(["https://auth.test", "https://other.test/tenant"]),
    formerServer: "https://former.test",
    deviceParameters: random.pick(["", "", "&device=tv"]),
    tokenParameters: random.pick(["", "", "&resource=https%3A%2F%2Fapi.test"]),
    columns: random.pick([20, 20, 16, 32, 40]),
    rows: random.pick([4, 4, 2, 3, 8]),
    seed: random.below(67_108_864),
    autoStart: random.below(2),
    renewalsMax: random.pick([3, 3, 0, 1]),
    messages: random.pick(["", "", OTHER_TEXTS, ALL_BYTES]),
  };
  if (random.chance(30)) config.startSpreadMs = random.pick([0, 1, 700, 60_000, 90_000, 3_600_000]);
  const countsFrom = random.pick([0, 0, 0, 65_500, 65_530]);
  const memoryBytes = random.pick(MEMORY_SIZES);
  config.pkce = random.pick([0, 0, 1, 2]);
  if (random.chance(20)) config.jsonBodies = 1;
  const everything = 134_217_727;
  const lacks = random.chance(70) ? Endpoint.REVOCATION : random.below(8);
  const looking = random.below(200);
  return {
    config,
    memoryBytes,
    countsFrom,
    ...(random.chance(20) && { endpoints: everything & ~(1 << lacks) }),
    isCorrupted: looking > 0 && looking <= 50,
    isWatched: looking === 0,
  };
}

export function textsOf(config: Config): string[] {
  return (config.messages || MESSAGES).split("\n");
}
