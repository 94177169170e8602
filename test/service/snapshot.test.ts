// Keeping a service over a restart: what a snapshot carries goes on exactly where it was.
import { expect, test } from "vitest";
import { readSnapshot } from "../../targets/service/index.ts";
import { Bench } from "./harness.ts";

/** A service that starts from what the other one kept, through JSON as a file would. */
function restarted(bench: Bench): Bench {
  const snapshot = readSnapshot(JSON.parse(JSON.stringify(bench.service.snapshot())));
  const next = new Bench({}, { snapshot });
  next.nowMs = bench.nowMs;
  return next;
}

test("refresh tokens, access tokens and their lifetimes outlive a restart", () => {
  const before = new Bench();
  const tokens = before.signIn();
  const after = restarted(before);
  expect(after.get("/video/v3/liveBroadcasts?part=id&mine=true", tokens.access_token).status).toBe(
    200,
  );
  expect(after.refresh(tokens.refresh_token).status).toBe(200);
  after.wait(3600);
  expect(after.get("/video/v3/liveBroadcasts?part=id&mine=true", tokens.access_token).status).toBe(
    401,
  );
});

test("a pending code outlives a restart: it is polled, approved and claimed once", () => {
  const before = new Bench();
  const codes = before.requestCodes().json;
  const after = restarted(before);
  after.wait(5);
  expect(after.poll(codes.device_code).json.error).toBe("authorization_pending");
  expect(after.service.approve(String(codes.user_code), "ada")).toBe("granted");
  after.wait(5);
  expect(after.poll(codes.device_code).status).toBe(200);
  expect(restarted(after).poll(codes.device_code).json.error).toBe("invalid_grant");
});

test("RFC 9700 §4.14: rotation, its grace and the detection of reuse outlive a restart", () => {
  const options = { refreshTokenRotation: true };
  const before = new Bench(options);
  const first = before.signIn().refresh_token;
  const second = before.refresh(first).json.refresh_token;
  const after = restarted(before);
  after.service.setOptions(options);
  expect(after.refresh(first).json.refresh_token).toBe(second);
  after.wait(61);
  expect(after.refresh(first).status).toBe(400);
  expect(after.refresh(second).status).toBe(400);
});

test("ids go on where they were: revoking one account's grant does not touch a later one", () => {
  const before = new Bench();
  before.signIn({ account: "ada" });
  const after = restarted(before);
  const later = after.signIn({ account: "ben" });
  expect(after.service.revokeAllFor("ada")).toBe(1);
  expect(after.refresh(later.refresh_token).status).toBe(200);
});

test.each([
  ["text", "x"],
  ["another version", { version: 2, atMs: 0, attempts: [], grants: [] }],
  ["a missing list", { version: 1, atMs: 0, attempts: [] }],
  [
    "a grant of another shape",
    { version: 1, atMs: 0, attempts: [], grants: [{ id: "g1", refreshToken: 5 }] },
  ],
])("what is no snapshot is refused with one line: %s", (_, input) => {
  expect(() => readSnapshot(input)).toThrow(/^snapshot: .+$/);
});

test("framedBySelf lets the own origin frame the consent pages, and nobody by default", async () => {
  for (const [options, policy, frame] of [
    [{}, "frame-ancestors 'none'", "DENY"],
    [{ framedBySelf: true }, "frame-ancestors 'self'", "SAMEORIGIN"],
  ] as const) {
    const { service } = new Bench(options);
    const { headers } = await service.fetch(new Request("http://127.0.0.1/device"));
    expect(headers.get("content-security-policy")).toContain(policy);
    expect(headers.get("x-frame-options")).toBe(frame);
  }
});
