// One run of the simulator: the simulation, its display, automatic decisions, and the condition that ends the run.
import { ErrorCode, Event, State } from "../../core/complete.ts";
import { isLoopbackHost } from "../../platform/servers/address.ts";
import { hasUtf8 } from "../command/terminal.ts";
import { openBrowser } from "./command-line.ts";
import { type ExitCondition, isRemote, type Options } from "./options.ts";
import { createPanel } from "./panel/routes.ts";
import { findScenario, play } from "./scenarios/play.ts";
import { sideBySide } from "./scenarios/player.ts";
import { Controller } from "./simulator/controls.ts";
import {
  createEnvironment,
  type Environment,
  type Front,
} from "./simulator/environment/environment.ts";
import { errorName } from "./simulator/log/timeline.ts";
import type { Simulation } from "./simulator/simulation.ts";
import { type View, Viewer } from "./simulator/view.ts";
import { coloured, colourless, layOut } from "./terminal/layout.ts";
import { printFrames, Screen, takeLines } from "./terminal/screen.ts";

export async function run(options: Options): Promise<number> {
  if (options.scenario !== undefined) return await runScenario(options.scenario);
  const front: { handle?: Front } = {};
  const print = (line: string): void => {
    process.stderr.write(`picogrant: ${line}\n`);
  };
  const environment = await createEnvironment(options, front, print);
  const { simulation } = environment;
  try {
    if (!isLoopbackHost(options.host)) {
      print(
        "everyone on this network can open the panel and decide; use it in trusted networks only",
      );
    }
    const viewer = new Viewer(simulation);
    const controller = new Controller(simulation, viewer, !isRemote(options));
    front.handle = createPanel(simulation, controller);
    if (options.open) openBrowser(environment.panelUrl);
    return await (hasScreen(options) ? runScreen : runPlain)(environment, options, controller);
  } finally {
    simulation.powerOff();
    await environment.close();
  }
}

function hasScreen(options: Options): boolean {
  const isTerminal = process.stdout.isTTY && process.stdin.isTTY;
  return isTerminal && process.env.TERM !== "dumb" && !options.plain;
}

async function runScreen(
  environment: Environment,
  options: Options,
  controller: Controller,
): Promise<number> {
  const { simulation, url, panelUrl } = environment;
  // Any non-empty value of NO_COLOR disables colors (no-color.org).
  const paint = process.env.NO_COLOR ? colourless : coloured;
  const title = url ? `open ${url}/device or /panel` : `panel ${panelUrl}`;
  const quitting = new AbortController();
  const screen = new Screen(
    process.stdout,
    process.stdin,
    (size, typed) => layOut(viewOf(controller), title, size, paint, typed),
    { onLine: (line) => void controller.run(line), onQuit: () => quitting.abort() },
  );
  const stop = simulation.onChange(() => screen.change());
  screen.open();
  try {
    return await untilDone(simulation, options, quitting.signal);
  } finally {
    stop();
    screen.close();
  }
}

function viewOf({ viewer }: Controller): View {
  return hasUtf8(process.env) ? viewer.view() : { ...viewer.view(), qr: [] };
}

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
  const line = `${name}, line ${unmet.line.number}: not met: ${unmet.line.text}`;
  process.stderr.write(`${line}\n${sideBySide(unmet)}\n`);
  return 1;
}

async function runPlain(
  environment: Environment,
  options: Options,
  controller: Controller,
): Promise<number> {
  const { simulation, url, panelUrl } = environment;
  const write = (text: string): void => {
    process.stdout.write(text);
  };
  if (url) write(`Second device: open ${url}/device\n`);
  write(`Panel: open ${panelUrl}\n`);
  const quitting = new AbortController();
  const run = async (line: string): Promise<void> => {
    await controller.run(line);
    if (controller.viewer.message) write(`${controller.viewer.message}\n`);
  };
  const typist = { onLine: (line: string) => void run(line), onQuit: () => quitting.abort() };
  const isTyped = process.stdin.isTTY && process.stdout.isTTY;
  const lines = isTyped ? takeLines(process.stdin, typist, false) : undefined;
  const stop = printFrames(simulation, write);
  try {
    return await untilDone(simulation, options, quitting.signal);
  } finally {
    stop();
    lines?.close();
  }
}

/** Switches the device on. Resolves with the exit code when the run ends. */
export function untilDone(
  simulation: Simulation,
  options: Options,
  quitting: AbortSignal,
): Promise<number> {
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
      // End later, so that the other listeners can handle this change first.
      setImmediate(() => end(code));
    });
    for (const signal of SIGNALS) process.on(signal, quit);
    // Standard output fails if its reader has closed the pipe.
    process.stdout.on("error", broken);
    quitting.addEventListener("abort", quit);
    simulation.powerOn();
    simulation.clock.paused = false;
  });
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const decided = new WeakMap<Simulation, string>();

/** For --approve and --deny: decides each code once, as soon as it is shown. */
function decide(simulation: Simulation, { approve, deny }: Options): void {
  const { userCode } = simulation;
  if ((!approve && !deny) || userCode === "" || decided.get(simulation) === userCode) return;
  decided.set(simulation, userCode);
  // The result does not matter: before a restart, the user may already have decided about this code.
  simulation.decide(approve ? "allow" : "deny");
}

/** The exit code: 0 if the condition is met, 1 if it can no longer be met; undefined: the run continues. */
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
      break;
    case "expired":
      if (device.event === Event.CODE_EXPIRED || device.event === Event.RENEWALS_EXHAUSTED)
        return 0;
      break;
  }
  const isFailed = device.state === State.FAILED;
  if (!isFailed && !simulation.isSettled) return undefined;
  const why = isFailed
    ? errorName(device.error)
    : "the device is signed in; choose a new folder with --state to start over";
  process.stderr.write(`picogrant: not ${condition}: ${why}\n`);
  return 1;
}
