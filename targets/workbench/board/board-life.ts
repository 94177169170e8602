// One whole life of the board against the simulated service: a code, a decision, a call, a reset, a power cut, a
// sign-out, each with what the display shows and the memory takes. What is sent the bench judges (test/board/bench.spec.ts).

import { CLIENT } from "../host/service-world.ts";
import type { BoardWorld } from "./board-world.ts";
import type { Kind } from "./build.ts";
import type { Board, BoardFigures } from "./emulator.ts";
import type { Seen } from "./sizes.ts";

export class LifeError extends Error {}

export interface Life extends Seen {
  readonly pending: BoardFigures["sleep"];
  /** The same where the countdown may stand still between polls. */
  readonly onBatteries: BoardFigures["sleep"];
  readonly signedIn: BoardFigures["sleep"];
  /** Requests for blocks of the engine's heap between the end of the start and the last figures. */
  readonly allocations: number;
}

export interface LifeOptions {
  /** Tells what is being done. */
  readonly report: (line: string) => void;
  /** How long to watch the board's sleep in each state, ms. */
  readonly watchMs: number;
  /** Where the picture of the panel goes while the code is shown. */
  readonly picture?: string | undefined;
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new LifeError(what);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** @param board its power off, its EEPROM as it comes from its maker */
export async function liveOnBoard(
  world: BoardWorld,
  board: Board,
  kind: Kind,
  options: LifeOptions,
): Promise<Life> {
  const { report, watchMs } = options;
  let stackUsed = 0;
  let allocations = 0;
  let requests = 0;
  // Without an engine nothing is allocated, and no figure says so.
  const measure = async (): Promise<BoardFigures> => {
    const figures = await board.measure();
    stackUsed = Math.max(stackUsed, figures.stack.used);
    if (figures.heap) {
      allocations += figures.heap.requests - requests;
      requests = figures.heap.requests;
    }
    return figures;
  };
  /** The figures that the board prints once it has started. */
  const started = (): void => {
    if (kind !== "quickjs") return;
    requests = Number(
      /requests (\d+)\n/.exec(board.output.slice(board.output.lastIndexOf("\npicogrant")))?.[1],
    );
    check(requests > 0, "the board prints no figures when it has started");
  };
  const watch = async (): Promise<BoardFigures["sleep"]> => {
    // The connection before is remembered for a second.
    if (watchMs > 0) await pause(2000);
    await measure();
    await pause(watchMs);
    const { sleep } = await measure();
    // One of them is the key that asks for the figures.
    return { ...sleep, wakes: sleep.wakes - 1 };
  };

  report("the power comes on");
  await board.powerOn();
  await board.state("PENDING");
  started();
  const code = world.pendingCode;
  await board.until("the code on the display", () => board.frame.join("").includes(code));
  report(`the display shows the code ${code}`);
  if (options.picture) await board.picture(options.picture);
  const pending = await watch();
  board.press("b");
  await board.says("batteries: ");
  const onBatteries = await watch();
  board.press("b");
  await board.says("mains: ");

  report("the user allows it");
  check(world.service.approve(code, "ada") === "granted", "the service does not grant");
  await board.state("SIGNED_IN");
  const signedIn = await watch();
  if (kind !== "grant") {
    report("signed in; a call of the API");
    board.press("a");
    await board.says("api: status 200, error 0");
  }

  report("a reset");
  await measure();
  board.press("r");
  await board.says("picogrant on", 2);
  await board.state("SIGNED_IN", 2);
  started();
  await measure();

  report("the power goes and comes back");
  await board.powerOff();
  await board.powerOn();
  await board.state("SIGNED_IN");
  started();
  check(world.answers("/device/code").length === 1, "the board asked for another code");

  await measure();
  report("the user signs out");
  board.press("o");
  await board.state("SIGNED_OUT");
  const figures = await measure();
  await board.powerOff();
  const { records } = board;
  check(
    records.every((byte) => byte === 0xff),
    "something of the records is left in the EEPROM",
  );
  check(!board.output.includes(CLIENT.clientSecret), "the secret is in the output");
  report("signed out, nothing is left in the EEPROM");
  return { figures, stackUsed, pending, onBatteries, signedIn, allocations };
}
