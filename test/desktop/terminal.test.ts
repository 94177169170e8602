// Tests that the drawn screen fits into the terminal. Tests typing, quitting, signals and exceptions in a
// pseudo-terminal (script of util-linux).
import { spawn, spawnSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { play, virtualEnvironment } from "../../targets/desktop/scenarios/play.ts";
import { readScenario } from "../../targets/desktop/scenarios/scenario.ts";
import { type View, Viewer } from "../../targets/desktop/simulator/view.ts";
import { coloured, colourless, layOut } from "../../targets/desktop/terminal/layout.ts";
import { temporaryFolder } from "../listening.ts";
import { type Ended, Running } from "../program.ts";

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

async function inTerminal(
  command: string,
  env: NodeJS.ProcessEnv,
  drive: (type: (keys: string) => void, shows: (text: RegExp) => Promise<unknown>) => Promise<void>,
): Promise<Ended> {
  const words = ["-qec", `stty cols 80 rows 24; exec ${command}`, "/dev/null"];
  const how = { env: { ...process.env, TERM: "xterm", ...env } };
  const running = new Running(spawn("script", words, how));
  const type = (keys: string): void => void running.child.stdin!.write(keys);
  await drive(type, (text) => running.until(text));
  return running.end;
}

const node = `"${process.execPath}" --import tsx`;
const simulator = (state: string): string =>
  `${node} targets/desktop/main.ts --port 0 --speed 100 --state "${state}"`;

if (!hasScript) {
  if (process.env.CI === "true") test("pseudo-terminal", () => expect.fail(MISSING));
  else test.skip(`pseudo-terminal: skipped, ${MISSING}`);
} else {
  test("an invalid line and an unavailable action report the reason; names are completed and listed", async () => {
    const state = temporaryFolder();
    const { code } = await inTerminal(simulator(state), {}, async (type, shows) => {
      await shows(/Code /);
      type("dance\r");
      await shows(/there is no step "dance"; \? lists all/);
      type("qit\r");
      await shows(/did you mean quit\?/);
      type("help\r");
      await shows(/broadcast-by-id,/);
      type("fix\r");
      await shows(/there is no fault to fix/);
      type("power\rnew-code\r");
      await shows(/the device has no power/);
      type("power\rhalf-hour\r");
      await shows(/jumps /);
      type("pause\r?");
      await shows(/allow-as-robot/);
      type("\x7fden\t");
      await shows(/> deny/);
      type("\r");
      await shows(/Access refused/);
      type("allow\r");
      await shows(/there is no code on the display/);
      type("\x04");
    });
    expect(code).toBe(0);
  });

  test("Ctrl-C restores the terminal; NO_COLOR disables colors", async () => {
    const state = temporaryFolder();
    const env = { NO_COLOR: "1" };
    const { stdout, code } = await inTerminal(simulator(state), env, async (type, shows) => {
      await shows(/Code /);
      type("\x03");
    });
    expect(code).toBe(0);
    expect(stdout).not.toContain(COLOUR);
    expect(stdout.trimEnd().endsWith(LEAVE)).toBe(true);
  });

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

  test("a dumb terminal gets text without any escape sequence, and typing works", async () => {
    const state = temporaryFolder();
    const env = { TERM: "dumb" };
    const { stdout, code } = await inTerminal(simulator(state), env, async (type, shows) => {
      await shows(/Code /);
      type("deny\r");
      await shows(/Access refused/);
      type("quit\r");
    });
    expect(code).toBe(0);
    expect(stdout).not.toContain("\x1b");
  });
}
