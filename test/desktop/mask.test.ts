// What the log tells of an answer or a form: no secret, and nothing that a terminal would obey.
import { expect, test } from "vitest";
import { clean, describeAnswer, describeForm } from "../../targets/desktop/simulator/log/mask.ts";

test("answers and forms are shown without their secrets and without control characters", () => {
  const answer = { access_token: "s1", refresh_token: "s2", device_code: "s3", user_code: "s4" };
  expect(describeAnswer(JSON.stringify({ ...answer, expires_in: 5 }))).toBe(
    "access_token=*** refresh_token=*** device_code=*** user_code=*** expires_in=5",
  );
  expect(describeForm("client_secret=x&token=y&grant_type=z")).not.toMatch(/=[xy](&|$)/);
  expect(describeAnswer("<html>")).toBe("(6 characters that are not JSON)");
  expect(describeAnswer('{"error":"\\u001b[2J"}')).toBe("error=?[2J");
  expect(clean("a\x1b\n\x7fb")).toBe("a???b");
});
