// Bugs planted into the bundle, to show that lives would find them: the simulation's own test. Each is a
// small change of the readable bundle's text, and fails loudly where the text has moved on.

import { runCampaign } from "./campaign.ts";
import { coreOf, readableBundle } from "./load-core.ts";
import type { Invariant } from "./violation.ts";

export interface PlantedBug {
  readonly name: string;
  /** What is looked for; the part named `bug`, or all of it, is replaced. */
  readonly find: RegExp;
  readonly replacement: string;
}

/** In the body of this function. */
function inside(name: string, rest: string): RegExp {
  return new RegExp(`(function ${name}\\([\\s\\S]*?)${rest}`);
}

export const PLANTED: readonly PlantedBug[] = [
  {
    name: "skip the second slot",
    find: inside("nextStorageCommand", "device\\.slot = 1 - device\\.slotNewest;"),
    replacement: "$1device.slot = 0;",
  },
  {
    name: "poll too early",
    find: inside("pollAnswered", "wait\\(device, device\\.intervalMs\\);"),
    replacement: "$1wait(device, device.intervalMs - 400);",
  },
  {
    name: "forget slow_down",
    find: /device\.intervalMs \+= 5e3[^;]*;/,
    replacement: "",
  },
  {
    name: "ignore Retry-After",
    find: inside("wait", "asked \\* 1e3 > ms"),
    replacement: "$1false",
  },
  {
    name: "store after use",
    find: inside("duePurpose", "device\\.inFlight \\|\\| device\\.job \\|\\|"),
    replacement: "$1device.inFlight ||",
  },
  {
    name: "wipe on a transient failure",
    find: inside("refreshAnswered", "backOff\\(device, [^;]*\\);"),
    replacement: "$1endSession(device, 25);",
  },
  {
    name: "show an expired code",
    find: inside("checkTime", "!device\\.codeLifeS"),
    replacement: "$1false",
  },
  {
    name: "show a code from before the power cut unconfirmed",
    find: /device\.codeResumed = 1;/,
    replacement: "device.codeResumed = 1; device.codeShown = 1;",
  },
  {
    name: "cut the code's last character off",
    find: inside("putCode", "i < indent \\+ size \\?"),
    replacement: "$1i + 1 < indent + size ?",
  },
  {
    name: "show the device code for the user code",
    find: inside("putCode", "device\\.at\\[2[^\\]]*\\] \\+ i - indent"),
    replacement: "$1device.at[1] + i - indent",
  },
  {
    name: "accept a late answer",
    find: inside("isCurrent", "return device\\.inFlight === 1 && requestId === device\\.requestId"),
    replacement: "$1return device.inFlight === 1",
  },
  {
    name: "give up a request without an abort",
    find: inside("giveUp", "device\\.abortDue \\|= device\\.inFlight;"),
    replacement: "$1",
  },
  {
    name: "leave the newest record behind when signed out",
    find: inside("end", "startJob\\(device, 6"),
    replacement: "$1startJob(device, 5",
  },
  {
    name: "revoke without a record of it",
    find: inside("signOut", "startJob\\([^;]*\\);"),
    replacement: "$1",
  },
  {
    name: "take the older record for the newer",
    find: /if \(isSecond && isOlder\)/,
    replacement: "if (isSecond && earlier && !isOlder)",
  },
  {
    name: "believe a record without its checksum",
    find: inside("readRecord", "checksum\\([^)]*\\) !== readNumber\\([^)]*\\)"),
    replacement: "$1false",
  },
  {
    name: "forget the rotated refresh token",
    find: /if \(rotated\) swapRefreshTokens\(device\);/,
    replacement: "",
  },
  {
    name: "write a record for every poll",
    find: inside("pollAnswered", "wait\\(device, device\\.intervalMs\\);"),
    replacement: "$1wait(device, device.intervalMs); startJob(device, 4, 1);",
  },
  {
    name: "wake every millisecond while a code ends",
    find: inside("wakeIn", "if \\(device\\.codeLifeS\\) seconds ="),
    replacement: "$1seconds =",
  },
];

/** The bundle with the bug in it. @throws Error where the place is not there any more */
export function plant(code: string, bug: PlantedBug): string {
  const planted = code.replace(bug.find, bug.replacement);
  if (planted === code)
    throw new Error(`planted bug "${bug.name}": its place is not in the bundle`);
  return planted;
}

export interface Hunt {
  name: string;
  found: boolean;
  invariant: Invariant | undefined;
  lives: number;
  seed: number;
}

/** Lives with each of the bugs until one finds it, or `livesMax` have passed. */
export async function* huntPlanted(firstSeed: number, livesMax: number): AsyncGenerator<Hunt> {
  const code = await readableBundle();
  for (const bug of PLANTED) {
    const core = coreOf(plant(code, bug));
    const { failures, lives } = runCampaign({ core, firstSeed, lives: livesMax });
    const failure = failures[0];
    yield {
      name: bug.name,
      found: failure !== undefined,
      invariant: failure?.violation?.invariant,
      lives,
      seed: failure?.seed ?? 0,
    };
  }
}
