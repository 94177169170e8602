// The display, the panel, the service's pages and programs agree with core/tables on who can fix an error.
import { expect, test } from "vitest";
import * as core from "../../core/complete.ts";
import { ErrorCode, ErrorKind, State } from "../../core/complete.ts";
import { MESSAGES, Message } from "../../core/device/errors.ts";
import { errorRows } from "../../core/tables/errors.ts";
import type { Driver } from "../../platform/driver.ts";
import { signInErrorOf } from "../../platform/session/sign-in-error.ts";
import { guideOf } from "../../targets/desktop/panel/client/guide.ts";
import { virtualEnvironment } from "../../targets/desktop/scenarios/play.ts";
import { reasonOfDevice } from "../../targets/desktop/simulator/log/reasons.ts";
import { remedyOf, sentenceOf } from "../../targets/desktop/simulator/log/remedies.ts";
import { perform } from "../../targets/desktop/simulator/steps.ts";
import { Viewer } from "../../targets/desktop/simulator/view.ts";
import { UserAgent } from "../service/user-agent.ts";

const TEXTS = MESSAGES.split("\n");
/** While the display shows these, the device continues by itself. */
const GOES_ON = [Message.RESUMING, Message.NO_CONNECTION, Message.BUSY, Message.CODE_EXPIRED];
const ROWS = errorRows().map((row) => [ErrorCode[row.error], row] as const);

function fixerNamedIn(text: string): string {
  if (/administrator/.test(text)) return "the administrator";
  if (/Contact support/.test(text)) return "the developer";
  return /Sign in again/.test(text) ? "the user" : "nobody";
}

async function failedWith(error: number): Promise<Driver> {
  const simulation = virtualEnvironment();
  simulation.powerOn();
  await simulation.clock.advance(6000);
  const { device } = simulation.driver!;
  return { core, device: { ...device, error, state: State.FAILED } } as unknown as Driver;
}

test.each(ROWS)("%s: display, panel and errors of programs name the same role", async (_, row) => {
  const fixer = fixerNamedIn(TEXTS[row.message]!);
  const driver = await failedWith(row.error);
  const { fix, from } = reasonOfDevice(driver)!;
  expect(from).toBe(row.names.length > 0 ? "the authorization server" : "the device");
  const { remedy } = signInErrorOf(driver.device);
  if (fixer === "nobody" || GOES_ON.includes(row.message)) {
    expect(fix).toMatch(/^(passes by itself|a new code|the user): /);
  } else {
    expect(fix.startsWith(`${fixer}: `), `${fix} beside "${TEXTS[row.message]}"`).toBe(true);
    expect(`the ${remedy}`).toBe(fixer);
  }
  const isFinal = [ErrorKind.USER, ErrorKind.ADMINISTRATOR, ErrorKind.DEVELOPER].includes(row.kind);
  expect(remedy === "nobody").toBe(!isFinal);
});

test.each([
  ["allow-as-pupil", "living-room-tv", "pupil"],
  ["allow", "northwind-kiosk", "ada"],
])("the phone's page says what the administrator must fix (%s)", async (_, client, account) => {
  const simulation = virtualEnvironment({ client });
  simulation.powerOn();
  await simulation.clock.advance(10_000, () => simulation.userCode !== "");
  const userAgent = new UserAgent(simulation.service!);
  const entry = await userAgent.get(`/device?user_code=${simulation.userCode}`);
  const chooser = await userAgent.submit(entry, "/device");
  const consent = await userAgent.submit(chooser, "/device/account", { account });
  const page = await userAgent.submit(consent, "/device/decision", { decision: "allow" });
  expect(page.status).toBe(403);
  await perform(simulation, "advance 10s");
  expect(simulation.display.lines.join(" ")).toMatch(/Ask +your +administrator/);
  const { fix } = reasonOfDevice(simulation.driver!)!;
  const sentence = sentenceOf(fix);
  expect(sentence).toMatch(/^Ask your administrator to /);
  expect(page.html).toContain(`${sentence} Then get a new code on your device.`);
  expect(page.html.match(/Ask|Use another|take another/g)).toEqual(["Ask"]);
  const { decision, administrator } = new Viewer(simulation).view();
  expect(decision!.page.text).toContain(sentence);
  expect(guideOf(new Viewer(simulation).view(), "other").description).toContain(sentence);
  expect(administrator).not.toBe("");
  await perform(simulation, "administrator");
  await perform(simulation, "press new-code");
  await perform(simulation, "advance 10s");
  await perform(simulation, `allow ${account}`);
  await perform(simulation, "advance 10s");
  expect(simulation.driver!.isSignedIn).toBe(true);
});

test("every sentence asks one role for one action", () => {
  for (const { error, kind } of errorRows()) {
    if (error === ErrorCode.NONE) continue;
    const sentence = sentenceOf(remedyOf(error, kind));
    expect(sentence).toMatch(/^[A-Z].*\w\.$/);
    const fixer = sentence.match(/administrator|developer|the user|another account/g) ?? [];
    expect(new Set(fixer).size, sentence).toBeLessThanOrEqual(1);
  }
});
