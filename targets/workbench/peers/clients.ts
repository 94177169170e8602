// The clients that are compared, each driven as its own documentation shows: picogrant through its
// driver, the others with global fetch. A sign-in resolves with the access token or rejects.

import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { ErrorCode, State } from "../../../core/complete.ts";
import { Field } from "../../../core/index.ts";
import type { MemoryStorage } from "../../../platform/fake/index.ts";
import { startDevice, until } from "./scripted-server.ts";

/** Clock seconds per real second, for all of them: timers run that much faster. */
export const speed = 100;

export interface Client {
  readonly name: string;
  /**
   * Signs in.
   * @param base address of the server
   * @param kept what an earlier run left behind, for a restart; picogrant's storage
   * @param stop ends the run as a loss of power would
   */
  signIn(base: string, kept: MemoryStorage, stop: AbortSignal): Promise<string>;
}

const realSetTimeout = globalThis.setTimeout;

/** Makes every timer of the libraries run `speed` times faster while `run` is under way. */
async function hurried<T>(run: () => Promise<T>): Promise<T> {
  const fast = (callback: () => void, ms = 0, ...rest: []) => {
    return realSetTimeout(callback, ms / speed, ...rest);
  };
  globalThis.setTimeout = fast as unknown as typeof setTimeout;
  try {
    return await run();
  } finally {
    globalThis.setTimeout = realSetTimeout;
  }
}

/** Rejects when the power goes. */
function powerLoss(stop: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    stop.addEventListener("abort", () => reject(new Error("power lost")));
  });
}

const picogrant: Client = {
  name: "picogrant",
  signIn: async (base, kept, stop) => {
    const device = startDevice(base, speed, kept);
    const { device: state } = device.driver;
    try {
      const ended = () => device.driver.isSignedIn || state.state === State.FAILED || stop.aborted;
      if (!(await until(ended, 30_000))) return await new Promise<never>(() => {});
      if (!device.driver.isSignedIn) throw new Error(ErrorCode[state.error]);
      const from = state.start[Field.ACCESS_TOKEN]!;
      const to = from + state.length[Field.ACCESS_TOKEN]!;
      return Buffer.from(device.driver.memory.subarray(from, to)).toString("latin1");
    } finally {
      device.stop();
    }
  },
};

const insecure = { [oauth.allowInsecureRequests]: true } as const;
const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

function serverOf(base: string): oauth.AuthorizationServer {
  return {
    issuer: base,
    device_authorization_endpoint: `${base}/device`,
    token_endpoint: `${base}/token`,
  };
}

/** The loop of its own example (examples/device_authorization_grant.ts). */
async function oauth4webapiSignIn(base: string, stop: AbortSignal): Promise<string> {
  const as = serverOf(base);
  const client: oauth.Client = { client_id: "client" };
  const secret = oauth.ClientSecretPost("secret");
  const parameters = { scope: "email" };
  const codes = await oauth.processDeviceAuthorizationResponse(
    as,
    client,
    await oauth.deviceAuthorizationRequest(as, client, secret, parameters, insecure),
  );
  let interval = codes.interval ?? 5;
  while (!stop.aborted) {
    await wait(interval);
    const response = await oauth.deviceCodeGrantRequest(
      as,
      client,
      secret,
      codes.device_code,
      insecure,
    );
    try {
      return (await oauth.processDeviceCodeResponse(as, client, response)).access_token;
    } catch (error) {
      if (!(error instanceof oauth.ResponseBodyError)) throw error;
      if (error.error === "slow_down") interval += 5;
      else if (error.error !== "authorization_pending") throw error;
    }
  }
  throw new Error("power lost");
}

async function openidSignIn(base: string, signal: AbortSignal): Promise<string> {
  const secret = openid.ClientSecretPost("secret");
  const configuration = new openid.Configuration(serverOf(base), "client", "secret", secret);
  openid.allowInsecureRequests(configuration);
  const codes = await openid.initiateDeviceAuthorization(configuration, { scope: "email" });
  const grant = openid.pollDeviceAuthorizationGrant(configuration, codes, undefined, { signal });
  return (await grant).access_token;
}

const hurriedClient = (name: string, run: (base: string, stop: AbortSignal) => Promise<string>) => {
  const signIn: Client["signIn"] = (base, _kept, stop) =>
    hurried(() => Promise.race([run(base, stop), powerLoss(stop)]));
  return { name, signIn };
};

export const clients: readonly Client[] = [
  picogrant,
  hurriedClient("oauth4webapi", oauth4webapiSignIn),
  hurriedClient("openid-client", openidSignIn),
];
