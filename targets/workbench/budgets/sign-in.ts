// What one sign-in costs outside the core: record writes, requests, bytes on the wire (on real sockets,
// HTTP headers included, without TLS).

import { ScriptedServer, startDevice, until } from "./scripted-server.ts";

const code = {
  device_code: "A".repeat(100),
  user_code: "GQVQ-JKEC",
  verification_url: "https://www.example.com/device",
  expires_in: 1800,
  interval: 5,
};
const tokens = {
  access_token: "a".repeat(160),
  expires_in: 3599,
  refresh_token: "r".repeat(103),
  scope: "email https://scope.example/auth/video.readonly",
  token_type: "Bearer",
};

interface SignInFigure {
  readonly requests: number;
  readonly pendingPolls: number;
  readonly recordWrites: number;
  readonly writesWhilePending: number;
  readonly wireBytes: number;
  /** Bytes of one pending poll and its answer. */
  readonly wireBytesPerPoll: number;
}

/** One sign-in with three pending polls. */
export async function measureSignIn(): Promise<SignInFigure> {
  const pendingPolls = 3;
  let polls = 0;
  let beforePolls = 0;
  let afterPolls = 0;
  const server = new ScriptedServer((request) => {
    if (request.path === "/device") return { body: code };
    polls++;
    if (polls === 1) beforePolls = server.wireBytes;
    if (polls === pendingPolls + 1) afterPolls = server.wireBytes;
    if (polls > pendingPolls) return { body: tokens };
    const body = { error: "authorization_pending", error_description: "Precondition Required" };
    return { status: 428, body };
  });
  const device = startDevice(await server.listen(), 100);
  const writes = (): number => device.storage.counts.writes;
  try {
    await until(() => polls === 1, 5000);
    const before = writes();
    await until(() => polls === pendingPolls, 5000);
    const writesWhilePending = writes() - before;
    if (!(await until(() => device.driver.isSignedIn, 5000))) {
      const { state, error, errorField } = device.driver.device;
      throw new Error(`the sign-in did not end: state ${state}, error ${error}, ${errorField}`);
    }
    return {
      requests: server.seen.length,
      pendingPolls,
      recordWrites: writes(),
      writesWhilePending,
      wireBytes: server.wireBytes,
      wireBytesPerPoll: Math.round((afterPolls - beforePolls) / pendingPolls),
    };
  } finally {
    device.stop();
    await server.close();
  }
}
