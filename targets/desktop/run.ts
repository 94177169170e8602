// One run of the simulator from start to end: the world, somebody to look at it, somebody to decide,
// and the condition that ends it.
import { ErrorCode, Event, State } from "../../core/complete.ts";
import type { ExitCondition, Options } from "./options.ts";
import { printFrames } from "./plain-output.ts";
import { findScenario } from "./scenarios/library.ts";
import { play, sideBySide } from "./scenarios/player.ts";
import type { Simulation } from "./simulation.ts";
import { errorName } from "./timeline.ts";
import { createWorld, type Front, isLoopback, type World } from "./world.ts";

/** Runs until quit or done; returns the exit code. */
export async function run(options: Options): Promise<number> {
  if (options.scenario !== undefined) return await runScenario(options.scenario);
  const front: { handle?: Front } = {};
  const say = (line: string): void => {
    process.stderr.write(`picogrant: ${line}\n`);
  };
  const world = await createWorld(options, front, say);
  const { simulation } = world;
  try {
    if (!isLoopback(options.host)) {
      say("everyone on this network can open the panel and decide; use it among friends only");
    }
    return await runPlain(world, options);
  } finally {
    simulation.powerOff();
    await world.close();
  }
}

/** Plays a scenario with its steps and frames as text. */
async function runScenario(name: string): Promise<number> {
  const scenario = findScenario(name);
  const write = (text: string): void => {
    process.stdout.write(text);
  };
  const { unmet, expectations } = await play(scenario, {
    created: (simulation) => printFrames(simulation, write),
    before: (line) => write(`> ${line.text}\n`),
  });
  if (unmet === undefined) {
    write(`${name}: all ${expectations} expectations held\n`);
    return 0;
  }
  const line = `${name}, line ${unmet.line.number}: not so: ${unmet.line.text}`;
  process.stderr.write(`${line}\n${sideBySide(unmet)}\n`);
  return 1;
}

async function runPlain(world: World, options: Options): Promise<number> {
  const { simulation, url } = world;
  const write = (text: string): void => {
    process.stdout.write(text);
  };
  if (url) write(`Second device: open ${url}/device\n`);
  const stop = printFrames(simulation, write);
  try {
    return await untilDone(simulation, options);
  } finally {
    stop();
  }
}

/** Switches the device on and lets things happen; resolves with the exit code. */
export function untilDone(simulation: Simulation, options: Options): Promise<number> {
  return new Promise((resolve) => {
    let over = false;
    let awaited: number | undefined;
    const end = (code: number): void => {
      if (over) return;
      over = true;
      for (const signal of SIGNALS) process.off(signal, quit);
      process.stdout.off("error", broken);
      leave();
      resolve(code);
    };
    const quit = (): void => end(0);
    const broken = (): void => end(0);
    const leave = simulation.onChange(() => {
      decide(simulation, options);
      if (awaited !== undefined) return;
      awaited = outcome(simulation, options.exitWhen);
      if (awaited === undefined) return;
      const code = awaited;
      // Only after this change has reached everybody else, and after the device has come to rest.
      setImmediate(() => end(code));
    });
    for (const signal of SIGNALS) process.on(signal, quit);
    // The reader of a pipe has gone.
    process.stdout.on("error", broken);
    simulation.powerOn();
    simulation.clock.paused = false;
  });
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const decided = new WeakMap<Simulation, string>();

/** The person that --approve and --deny stand for: decides each code once, as soon as it is shown. */
function decide(simulation: Simulation, { approve, deny }: Options): void {
  const { userCode } = simulation;
  if ((!approve && !deny) || userCode === "" || decided.get(simulation) === userCode) return;
  decided.set(simulation, userCode);
  // A code from before a restart may be decided already: that is no mistake.
  simulation.decide(approve ? "allow" : "deny");
}

/** Exit code where the run is over: 0 as awaited, 1 where that can no longer come by itself. */
export function outcome(
  simulation: Simulation,
  condition: ExitCondition | undefined,
): number | undefined {
  const device = simulation.driver?.device;
  if (condition === undefined || device === undefined) return undefined;
  switch (condition) {
    case "signed-in":
      if (simulation.isSettled) return 0;
      break;
    case "denied":
      if (device.state === State.FAILED && device.error === ErrorCode.ACCESS_DENIED) return 0;
      if (simulation.isSettled) return 1;
      break;
    case "expired":
      if (device.event === Event.CODE_EXPIRED || device.event === Event.RENEWALS_EXHAUSTED)
        return 0;
      if (simulation.isSettled) return 1;
      break;
  }
  if (device.state !== State.FAILED) return undefined;
  process.stderr.write(`picogrant: not ${condition}: ${errorName(device.error)}\n`);
  return 1;
}
