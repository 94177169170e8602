// A complete run of the board against the simulated service: code, decision, API call, reset, power cut, sign-out.
// Checks the display and the records, and measures memory and sleep. test/board/bench.spec.ts checks the requests.

import { CLIENT } from "../host/service-environment.ts";
import type { BoardEnvironment } from "./board-environment.ts";
import type { Kind } from "./build.ts";
import type { Board, BoardFigures } from "./emulator.ts";
import type { Seen } from "./sizes.ts";

export class RunError extends Error {}

export interface Run extends Seen {
  readonly pending: BoardFigures["sleep"];
  /** The sleep in PENDING if the board runs on batteries. The displayed countdown may then stop between polls. */
  readonly onBatteries: BoardFigures["sleep"];
  readonly signedIn: BoardFigures["sleep"];
  /** Allocations on the engine's heap after the start. */
  readonly allocations: number;
}

export interface RunOptions {
  readonly report: (line: string) => void;
  /** How long to measure the board's sleep in each state, in milliseconds. */
  readonly watchMs: number;
  /** The path of a picture file, which shows the display with the code. */
  readonly picture?: string | undefined;
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new RunError(what);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** @param board a board that is switched off, with an empty EEPROM */
export async function runOnBoard(
  environment: BoardEnvironment,
  board: Board,
  kind: Kind,
  options: RunOptions,
): Promise<Run> {
  const { report, watchMs } = options;
  let stackUsed = 0;
  let allocations = 0;
  let requests = 0;
  const measure = async (): Promise<BoardFigures> => {
    const figures = await board.measure();
    stackUsed = Math.max(stackUsed, figures.stack.used);
    if (figures.heap) {
      allocations += figures.heap.requests - requests;
      requests = figures.heap.requests;
    }
    return figures;
  };
  const started = (): void => {
    if (kind !== "quickjs") return;
    requests = Number(
      /requests (\d+)\n/.exec(board.output.slice(board.output.lastIndexOf("\npicogrant")))?.[1],
    );
    check(requests > 0, "the board prints no figures after its start");
  };
  const watch = async (): Promise<BoardFigures["sleep"]> => {
    // Wait until the previous connection is closed.
    if (watchMs > 0) await pause(2000);
    await measure();
    await pause(watchMs);
    const { sleep } = await measure();
    // The key that requests the figures wakes the board once, so subtract that.
    return { ...sleep, wakes: sleep.wakes - 1 };
  };

  report("the power comes on");
  await board.powerOn();
  await board.state("PENDING");
  started();
  const code = environment.pendingCode;
  await board.until("the code on the display", () => board.frame.join("").includes(code));
  report(`the display shows the code ${code}`);
  if (options.picture) await board.picture(options.picture);
  const pending = await watch();
  board.press("b");
  await board.printed("batteries: ");
  const onBatteries = await watch();
  board.press("b");
  await board.printed("mains: ");

  report("the user allows it");
  check(environment.service.approve(code, "ada") === "granted", "the service does not grant");
  await board.state("SIGNED_IN");
  const signedIn = await watch();
  if (kind !== "grant") {
    report("signed in; an API call");
    board.press("a");
    await board.printed("api: status 200, error 0");
  }

  report("a reset");
  await measure();
  board.press("r");
  await board.printed("picogrant on", 2);
  await board.state("SIGNED_IN", 2);
  started();
  await measure();

  report("the power goes and comes back");
  await board.powerOff();
  await board.powerOn();
  await board.state("SIGNED_IN");
  started();
  check(environment.responses("/device/code").length === 1, "the board requested another code");

  await measure();
  report("the user signs out");
  board.press("o");
  await board.state("SIGNED_OUT");
  const figures = await measure();
  await board.powerOff();
  const { records } = board;
  check(
    records.every((byte) => byte === 0xff),
    "the EEPROM still holds part of the records",
  );
  check(!board.output.includes(CLIENT.clientSecret), "the secret is in the output");
  report("signed out, the EEPROM is empty");
  return { figures, stackUsed, pending, onBatteries, signedIn, allocations };
}
