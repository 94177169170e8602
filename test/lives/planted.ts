// Bugs planted into the bundle and into what a life is put together from, to show that lives would find
// them: the simulation's own test. A bug of the bundle is a small change of its readable text, and fails
// loudly where the text has moved on.

import type { Storage } from "../../platform/contracts.ts";
import type { Observer, Service, ServiceSettings } from "../../targets/service/index.ts";
import { runCampaign } from "./campaign.ts";
import { coreOf } from "./core-of.ts";
import type { Roll } from "./dice.ts";
import { readableBundle } from "./load-core.ts";
import { SURROUNDINGS, type Surroundings } from "./surroundings.ts";
import type { Invariant } from "./violation.ts";

interface PlantedBug {
  readonly name: string;
  /** What is looked for in the bundle, and what stands there instead. */
  readonly find?: RegExp;
  readonly replacement?: string;
  /** A part of the life that is made wrong. */
  readonly surroundings?: Partial<Surroundings>;
}

/** In the body of this function. */
export function inside(name: string, rest: string): RegExp {
  return new RegExp(`(function ${name}\\([\\s\\S]*?)${rest}`);
}

export const PLANTED: readonly PlantedBug[] = [
  {
    name: "skip the second slot",
    find: inside("nextStorageCommand", "device\\.slot = [^;]*;"),
    replacement: "$1device.slot = 0;",
  },
  {
    name: "poll too early",
    find: inside("stillPending", "waitAtLeast\\(device, device\\.intervalMs\\);"),
    replacement: "$1waitAtLeast(device, device.intervalMs - 400);",
  },
  {
    name: "forget slow_down",
    find: /device\.intervalMs \+ 5e3/,
    replacement: "device.intervalMs",
  },
  {
    name: "ignore Retry-After",
    find: inside("waitAtLeast", "asked > ms"),
    replacement: "$1false",
  },
  {
    name: "store after use",
    find: inside(
      "duePurpose",
      "device\\.inFlight \\|\\| device\\.job \\|\\| device\\.storageCommand \\|\\|",
    ),
    replacement: "$1device.inFlight ||",
  },
  {
    name: "wipe on a transient failure",
    find: inside("grantAnswered", "backOff\\(device, 64e3[^;]*;"),
    replacement: "$1endSession(device, 25);",
  },
  {
    name: "give up a session whose client is refused",
    find: inside("refreshRefused", "!refusesGrant\\(device, error\\)"),
    replacement: "$1error !== 8 && !refusesGrant(device, error)",
  },
  {
    name: "leave the record of tokens that a person has given up",
    find: inside("signIn", "startJob\\([^;]*\\);"),
    replacement: "$1",
  },
  {
    name: "leave a code's verifier out of its record",
    find: inside("moveRecord", "holds\\(device, 31[^)]*\\)"),
    replacement: "$1false",
  },
  {
    name: "send a code challenge that is none",
    find: inside("placeChallenge", "code_challenge="),
    replacement: "$1code_challenge=x",
  },
  {
    name: "show an expired code",
    find: inside("checkTime", "!device\\.codeLifeS"),
    replacement: "$1false",
  },
  {
    name: "show a code from before the power cut unconfirmed",
    find: inside("comeBack", "moveTo\\(device, 2[^)]*\\);"),
    replacement: "$1moveTo(device, 2, 3); device.codeShown = 1;",
  },
  {
    name: "cut the code's last character off",
    find: inside("putCode", "putRegion\\(device, 2[^)]*\\);"),
    replacement: "$1putText(device, device.start[2], device.start[2] + device.length[2] - 1, 1);",
  },
  {
    name: "show the device code for the user code",
    find: inside("putCode", "putRegion\\(device, 2[^)]*\\);"),
    replacement: "$1putRegion(device, 1);",
  },
  {
    name: "accept a late answer",
    find: inside("isCurrent", "return device\\.inFlight && requestId === device\\.requestId"),
    replacement: "$1return device.inFlight",
  },
  {
    name: "give up a request without an abort",
    find: inside("giveUp", "device\\.abortDue \\|= device\\.inFlight;"),
    replacement: "$1",
  },
  {
    name: "leave the newest record behind when signed out",
    find: inside("finish", "startJob\\(device, 5"),
    replacement: "$1startJob(device, 6",
  },
  {
    name: "revoke without a record of it",
    find: inside("signOut", "startJob\\([^;]*\\);"),
    replacement: "$1",
  },
  {
    name: "take the older record for the newer",
    find: inside("isOlder", "sequence - other"),
    replacement: "$1other - sequence",
  },
  {
    name: "believe a record without its checksum",
    find: inside("isRecord", "!checksum\\("),
    replacement: "$1true || checksum(",
  },
  {
    name: "forget the rotated refresh token",
    find: inside("tokensReceived", "if \\(isNew\\)"),
    replacement: "$1if (isNew && isFirst)",
  },
  {
    name: "write a record for every poll",
    find: inside("stillPending", "waitAtLeast\\(device, device\\.intervalMs\\);"),
    replacement: "$1waitAtLeast(device, device.intervalMs); startJob(device, 4);",
  },
  {
    name: "wake every millisecond while a code ends",
    find: inside("codeChangesInS", "device\\.codeLifeS \\|\\| 1e8"),
    replacement: "$1device.codeLifeS",
  },
  {
    name: "believe an event that nobody has signed",
    find: inside("eventVerified", "if \\(ok && rememberEvent\\(device\\)\\)"),
    replacement: "$1if (rememberEvent(device))",
  },
  {
    name: "let tokens be that storage has refused",
    find: inside("purposeOfState", "if \\(device\\.notSaved\\) return"),
    replacement: "$1if (false) return",
  },
  {
    name: "leave a slot behind that could not be read",
    find: inside(
      "finishStorage",
      "isStray \\|\\|\\s+device\\.sequence < 2 \\|\\|\\s+isOlderUseless\\(device\\)",
    ),
    replacement: "$1!lacks(device, 6) && false",
  },
  {
    name: "poll on after a denial",
    find: inside("grantAnswered", "isPending = "),
    replacement: "$1isPending = error === 5 || ",
  },
  {
    name: "ask again at once after a failure",
    find: inside("backOff", "waitAtLeast\\([^;]*;"),
    replacement: "$1waitAtLeast(device, 0);",
  },
  {
    name: "cut a long Retry-After",
    find: inside("waitAtLeast", "asked > ms"),
    replacement: "$1asked > ms && asked < 20000",
  },
  {
    name: "send a call to the token endpoint",
    find: inside("prepareCall", "device,\\n *endpoint,"),
    replacement: "$1device, 1,",
  },
  {
    name: "poll at once after a loss of power",
    find: inside("comeBack", "device\\.waitMs \\+ device\\.intervalMs"),
    replacement: "$10",
  },
  {
    name: "refresh with the access token",
    find: inside("prepareGrant", "(writeTokenRequest\\(device, 36[^,]*, )26"),
    replacement: "$1$25",
  },
  {
    name: "send codes and tokens as they are, not form-encoded",
    find: inside("writeTokenRequest", "writeRegion\\(device, region, 1"),
    replacement: "$1writeRegion(device, region, 0",
  },
  {
    name: "read members of inner objects as its own",
    find: inside("endName", "device\\.scanStack >> device\\.scanDepthMax < 2"),
    replacement: "$1true",
  },
  {
    name: "let a code live twice as long",
    find: inside("checkTime", "!device\\.codeLifeS"),
    replacement: "$1(device.codeLifeS | 0) < -600",
  },
  {
    name: "number no record anew",
    find: inside("slotHolds", "countRecord\\(device\\);"),
    replacement: "$1",
  },
  {
    name: "forget to erase a session's records",
    find: inside("nextStorageCommand", "device\\.slotsUsed < 1"),
    replacement: "$1true",
  },
  {
    name: "revoke the access token although there is a refresh token",
    find: inside("prepareRevocation", "holds\\(device, 26[^)]*\\)"),
    replacement: "$1false",
  },
  {
    name: "count half of the time that passes",
    find: inside("advance", "device\\.codeLifeS = countDown\\(device\\.codeLifeS, seconds\\)"),
    replacement: "$1device.codeLifeS = countDown(device.codeLifeS, seconds >> 1)",
  },
  {
    name: "end the session with every event",
    find: inside("eventVerified", "if \\(!hasSession\\(device\\)\\) return;"),
    replacement: "$1device.endDueWith = 28;",
  },
  {
    name: "leave a code on the display that is over",
    find: inside("moveTo", "hideCode\\(device\\);"),
    replacement: "$1",
  },
  {
    name: "take a slot that cannot be read for an empty one, at once",
    find: inside("finishStorage", "\\? 7[^:]*: 3"),
    replacement: "$1? 0 : 3",
  },
  {
    name: "try storage without end",
    find: inside("finishStorage", "\\? 7[^:]*: 3"),
    replacement: "$1? 3000 : 3000",
  },
  {
    name: "ask for a further page behind the target of the one before",
    find: inside("keepPageToken", "shorten\\(device, [^;]*;"),
    replacement: "$1",
  },
  {
    name: "hand records through the sealed storage as they are",
    surroundings: { seal: (inner) => inner },
  },
  {
    name: "write a sealed slot's record in the clear first",
    surroundings: { seal: leakySeal },
  },
  {
    name: "log queries and forms as they come",
    surroundings: { service: talkativeService },
  },
];

/** Seals, but lets the storage below have the record first. */
function leakySeal(inner: Storage, roll: Roll): Storage {
  const right = SURROUNDINGS.seal(inner, roll);
  return {
    capacity: right.capacity,
    read: (slot, into, from, to, done) => right.read(slot, into, from, to, done),
    write: (slot, bytes, from, to, done) =>
      inner.write(slot, bytes, from, to, () => right.write(slot, bytes, from, to, done)),
    erase: (slot, done) => right.erase(slot, done),
  };
}

function talkativeService(settings: ServiceSettings): Service {
  const service = SURROUNDINGS.service(settings);
  const observers: Observer[] = [];
  return {
    ...service,
    observe: (observer) => {
      observers.push(observer);
      return () => false;
    },
    handle: (request) => {
      const response = service.handle(request);
      const { method, path, query } = request;
      for (const tell of observers) {
        const bodies = { requestBody: Buffer.from(request.body).toString(), responseBody: "" };
        const { status } = response;
        tell({ type: "exchange", atMs: settings.now(), method, path, query, status, ...bodies });
      }
      return response;
    },
  };
}

/** The bundle with the bug in it. @throws Error where the place is not there any more */
export function plant(code: string, bug: PlantedBug): string {
  if (!bug.find || bug.replacement === undefined) return code;
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
    const surroundings = { ...SURROUNDINGS, ...bug.surroundings };
    const { failures, lives } = runCampaign({ core, firstSeed, lives: livesMax, surroundings });
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
