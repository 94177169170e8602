// What the model has found, each as the few steps that it took.

import { expect, it } from "vitest";
import { replay } from "./sequence.ts";
import type { Settings } from "./settings.ts";
import type { Step } from "./steps.ts";
import { ofSources } from "./subject.ts";

const SETTINGS: Settings = {
  config: {
    clientId: "client",
    clientSecret: "secret",
    clientAuthentication: 1,
    server: "https://auth.test",
    scope: "video",
    deviceParameters: "",
    tokenParameters: "",
    columns: 20,
    rows: 4,
    seed: 1,
    autoStart: 0,
    renewalsMax: 3,
    messages: "",
  },
  memoryBytes: 6144,
};

const answer = (status: number, members: object): Step[] => [
  { do: "head", status, retryAfterS: -1, body: JSON.stringify(members) },
  { do: "more", bytes: 1000 },
  { do: "end" },
];

const REST: Step = { do: "run", ms: 0 };

/** Signed in, and the access token is being renewed: it is good for two hundred seconds still. */
const REFRESHING: readonly Step[] = [
  REST,
  { do: "signIn" },
  REST,
  ...answer(200, {
    device_code: "dc",
    user_code: "ABCD",
    verification_uri: "https://example.com",
    expires_in: 1800,
  }),
  { do: "run", ms: 5000 },
  ...answer(200, { access_token: "at", refresh_token: "rt", expires_in: 3600 }),
  { do: "run", ms: 3_400_000 },
];

const CALL: Step = {
  do: "call",
  parts: [{ as: "path", text: "/list" }],
  endpoint: 5,
  isGet: true,
};

/** The rule that does not hold in these steps of one device, undefined where all do. */
function broken(steps: readonly Step[]): string | undefined {
  const starts = [{ settings: SETTINGS, slots: [new Uint8Array(), new Uint8Array()] }];
  return replay({ starts, steps: steps.map((step) => ({ on: 0, step })) }, ofSources)?.message;
}

it("the display says at once that a call was refused the token while it is being renewed", () => {
  const steps = [...REFRESHING, ...answer(503, {}), CALL, REST, ...answer(401, {}), REST];
  expect(broken(steps)).toBeUndefined();
});

it("a call that waits for a refresh ends with it, also where the user signs in before a tick", () => {
  const refused = answer(400, { error: "expired_token" });
  const steps: Step[] = [...REFRESHING, CALL, ...refused, { do: "signIn" }, REST];
  expect(broken(steps)).toBeUndefined();
});

it("an unknown error's name is on the display only while the error is", () => {
  const refused = answer(400, { error: "new_error" });
  const steps: Step[] = [...REFRESHING, ...refused, REST, { do: "signOut" }, REST];
  expect(broken([...steps, ...answer(400, { error: "other" }), REST])).toBeUndefined();
});

it("the memory that is said to be needed for a device code is enough for it", () => {
  const steps: Step[] = [REST, { do: "signIn" }, REST];
  const code = { device_code: "d".repeat(2000), user_code: "A", verification_uri: "https://x" };
  expect(
    broken([
      ...steps,
      { do: "head", status: 200, retryAfterS: -1, body: JSON.stringify(code) },
      { do: "more", bytes: 5000 },
      { do: "end" },
    ]),
  ).toBeUndefined();
});
