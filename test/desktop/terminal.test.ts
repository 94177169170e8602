// Tests that the drawn screen fits into the terminal. In a real pseudo-terminal (util-linux's script), it tests typing,
// quitting, signals, exceptions, NO_COLOR and dumb terminals. The simulator must always restore the terminal.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { play, virtualEnvironment } from "../../targets/desktop/scenarios/play.ts";
import { readScenario } from "../../targets/desktop/scenarios/scenario.ts";
import { type View, Viewer } from "../../targets/desktop/simulator/view.ts";
import { coloured, colourless, layOut } from "../../targets/desktop/terminal/layout.ts";
import { type Ended, ended } from "../program.ts";
import { inFolder } from "./command.ts";

const LEAVE = "\x1b[?25h\x1b[?1049l";
const COLOUR = "\x1b[1m";

async function viewOf(scenario: string): Promise<View> {
  let view: View | undefined;
  await play(readScenario("view", `${scenario}\nexpect state nowhere`), {
    created(simulation) {
      const viewer = new Viewer(simulation);
      simulation.onChange(() => {
        if (simulation.isOn) view = viewer.view();
      });
    },
  });
  return view!;
}

test.each([
  [80, 24],
  [100, 40],
  [60, 24],
  [40, 10],
  [20, 3],
])("the screen fits a terminal of %ix%i", async (columns, rows) => {
  for (const display of ["20x4", "16x2", "40x2", "80x8"]) {
    const view = await viewOf(`with display ${display}\nadvance 1m\nfault drop on\nadvance 1m`);
    for (const paint of [coloured, colourless]) {
      const lines = layOut(view, "http://127.0.0.1:8628/device", { columns, rows }, paint);
      expect(lines.length).toBeLessThanOrEqual(rows);
      for (const line of lines)
        expect(stripVTControlCharacters(line).length).toBeLessThanOrEqual(columns);
    }
  }
});

test("80x24 shows display, state, requests and responses, and no secret", async () => {
  const view = await viewOf("advance 30s\nallow\nadvance 10s\nfault slow on");
  const screen = layOut(view, "", { columns: 80, rows: 24 }, colourless).join("\n");
  for (const part of [
    "|Signed in           |",
    "signed in  faults: slow",
    "call the API: GET /video/v3/liveBroadcasts -> 200",
    "ada allows",
  ])
    expect(screen).toContain(part);
  expect(screen).not.toMatch(/pga\.|pgr\.|tv-secret/);
});

test("a view contains no token and no device code, whatever the device does", async () => {
  const simulation = virtualEnvironment({ rotate: true });
  const viewer = new Viewer(simulation);
  const seen: string[] = [];
  simulation.onChange(() => seen.push(JSON.stringify(viewer.view())));
  simulation.powerOn();
  await simulation.clock.advance(10_000);
  simulation.decide("allow");
  await simulation.clock.advance(7_200_000);
  simulation.press("sign-out");
  await simulation.clock.advance(10_000);
  expect(seen.length).toBeGreaterThan(20);
  expect(seen.join("\n")).not.toMatch(/pga\.|pgr\.|pgd\.|tv-secret/);
  simulation.clock.close();
});

const hasScript = spawnSync("script", ["--version"]).status === 0;
const MISSING = "script is missing: install util-linux (Debian: bsdutils)";

/** Runs a command in a pseudo-terminal of 80x24. `drive` types and waits. */
async function inTerminal(
  command: string,
  env: NodeJS.ProcessEnv,
  drive: (child: ChildProcess, shows: (text: string) => Promise<void>) => Promise<void>,
): Promise<Ended> {
  const child = spawn("script", ["-qec", `stty cols 80 rows 24; exec ${command}`, "/dev/null"], {
    env: { ...process.env, TERM: "xterm", ...env },
  });
  let seen = "";
  let over = false;
  let look = (): void => {};
  child.stdout.on("data", (data: Buffer) => {
    seen += data.toString();
    look();
  });
  child.on("close", () => {
    over = true;
    look();
  });
  const shows = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      look = () => {
        if (seen.includes(text)) resolve();
        else if (over) reject(new Error(`it ended without "${text}": ${seen}`));
      };
      look();
    });
  const end = ended(child);
  await drive(child, shows);
  return await end;
}

const node = `"${process.execPath}" --import tsx`;
const simulator = (state: string): string =>
  `${node} targets/desktop/main.ts --port 0 --speed 100 --state "${state}"`;

if (!hasScript) {
  if (process.env.CI === "true") test("pseudo-terminal", () => expect.fail(MISSING));
  else test.skip(`pseudo-terminal: skipped, ${MISSING}`);
} else {
  test("an invalid line and an unavailable action report the reason; names are completed and listed", () =>
    inFolder(async (state) => {
      const { code } = await inTerminal(simulator(state), {}, async (child, shows) => {
        await shows("Code ");
        child.stdin?.write("dance\r");
        await shows('there is no step "dance"; ? lists all');
        child.stdin?.write("qit\r");
        await shows("did you mean quit?");
        child.stdin?.write("help\r");
        await shows("broadcast-by-id,");
        child.stdin?.write("fix\r");
        await shows("there is no fault to fix");
        child.stdin?.write("power\rnew-code\r");
        await shows("the device has no power");
        child.stdin?.write("power\rhalf-hour\r");
        await shows("jumps ");
        child.stdin?.write("pause\r?");
        await shows("allow-as-robot");
        child.stdin?.write("\x7fden\t");
        await shows("> deny");
        child.stdin?.write("\r");
        await shows("Access refused");
        child.stdin?.write("allow\r");
        await shows("there is no code on the display");
        child.stdin?.write("\x04");
      });
      expect(code).toBe(0);
    }));

  test("Ctrl-C restores the terminal; NO_COLOR disables colors", () =>
    inFolder(async (state) => {
      const env = { NO_COLOR: "1" };
      const { stdout, code } = await inTerminal(simulator(state), env, async (child, shows) => {
        await shows("Code ");
        child.stdin?.write("\x03");
      });
      expect(code).toBe(0);
      expect(stdout).not.toContain(COLOUR);
      expect(stdout.trimEnd().endsWith(LEAVE)).toBe(true);
    }));

  test("an exception restores the terminal first, so that it can be read", async () => {
    const { stdout, code } = await inTerminal(
      `${node} test/desktop/failing-screen.ts`,
      {},
      async () => {},
    );
    expect(code).not.toBe(0);
    expect(stdout.indexOf(LEAVE)).toBeGreaterThan(stdout.indexOf("on the screen"));
    expect(stdout.indexOf("a mistake")).toBeGreaterThan(stdout.indexOf(LEAVE));
  });

  test("a dumb terminal gets text without any escape sequence, and typing works", () =>
    inFolder(async (state) => {
      const env = { TERM: "dumb" };
      const { stdout, code } = await inTerminal(simulator(state), env, async (child, shows) => {
        await shows("Code ");
        child.stdin?.write("deny\r");
        await shows("Access refused");
        child.stdin?.write("quit\r");
      });
      expect(code).toBe(0);
      expect(stdout).not.toContain("\x1b");
    }));
}
