// Starts Authlib's authorization server (Debian packages python3-authlib and python3-flask) as a process. It reads its
// clock from a file, because the scenarios change the date.

import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../listening.ts";
import { Running } from "../program.ts";
import type { ForeignServer } from "./own-service.ts";

export const PYTHON = "/usr/bin/python3";
const PROGRAM = fileURLToPath(new URL("authlib-server.py", import.meta.url));
const SECRET = "authlib-secret";

/** Whether the tests with Authlib are skipped. CI has these packages, other machines may not. */
export const isAuthlibMissing =
  process.env.CI !== "true" &&
  ["authlib", "flask", "requests"].some(
    (name) => !existsSync(`/usr/lib/python3/dist-packages/${name}`),
  );

export async function startAuthlib(): Promise<ForeignServer> {
  const clock = path.join(temporaryFolder(), "clock");
  const setTime = (ms: number): void => writeFileSync(clock, `${ms}`);
  setTime(Date.now());
  const running = new Running(spawn(PYTHON, [PROGRAM, clock]));
  const [issuer] = await running.until(/^http\S+$/m);
  const decide = async (userCode: string, allow: "yes" | "no"): Promise<void> => {
    const body = new URLSearchParams({ user_code: userCode, allow });
    const { ok, status } = await fetch(`${issuer}/decide`, { method: "POST", body });
    if (!ok) throw new Error(`Authlib's server: /decide ${status}`);
  };
  return {
    name: "Authlib 1.2",
    issuer,
    clients: {
      none: { id: "none", secret: "" },
      client_secret_post: { id: "client_secret_post", secret: SECRET },
      client_secret_basic: { id: "client_secret_basic", secret: SECRET },
    },
    scope: "email",
    codeLifetimeS: 120,
    accessLifetimeS: 900,
    setTime,
    approve: (_, userCode) => decide(userCode, "yes"),
    deny: (_, userCode) => decide(userCode, "no"),
    close: async () => {
      running.child.kill();
      await running.end;
    },
  };
}
