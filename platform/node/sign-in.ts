// Signing in from a program on Node: `const session = await signIn({ server: "github", clientId, state: "dir" })`.

import type { Display, Entropy, Storage } from "../contracts.ts";
import { MetadataError } from "../discovery.ts";
import type { DriverOptions } from "../driver.ts";
import { SealedStorage } from "../sealed-storage.ts";
import { ServerError } from "../servers/index.ts";
import type { FetchSettings } from "../session/fetch.ts";
import type { Session } from "../session/session.ts";
import {
  type Client,
  type ServerChoice,
  type ServerSettings,
  settingsFor,
} from "../session/settings.ts";
import { type SignInHandlers, signInOn, type VerificationPrompt } from "../session/sign-in.ts";
import { metadataErrorOf, SignInError } from "../session/sign-in-error.ts";
import { nodeFetch } from "./fetch.ts";
import { type NodeHttpOptions, type NodePlatform, nodePlatform } from "./index.ts";
import { QrCode } from "./qr-code.ts";

export type { ServerAnswer } from "../session/answer-ear.ts";
export { Session, type SessionStatus } from "../session/session.ts";
export type {
  Client,
  NamedServer,
  ServerAddresses,
  ServerChoice,
} from "../session/settings.ts";
export type { SignInHandlers, VerificationPrompt } from "../session/sign-in.ts";
export { type Remedy, SignInError } from "../session/sign-in-error.ts";
export { QrCode } from "./qr-code.ts";

/** What the user is to be shown, on Node. */
export interface NodeVerificationPrompt extends VerificationPrompt {
  /** `verificationUriComplete` as a QR code, or `verificationUri` where the server sent no other. */
  readonly qr: QrCode;
}

export interface SignInOptions extends Client, FetchSettings, Omit<SignInHandlers, "onCode"> {
  /** Called with each code that the user is to be shown; not at all where there is a session already. */
  readonly onCode?: ((prompt: NodeVerificationPrompt) => void) | undefined;
  /** The authorization server. */
  readonly server: ServerChoice;
  /** A directory of the program's own, where the tokens are kept (mode 0700); made where it is not there. */
  readonly state: string;
  /** 16 random bytes or more: the tokens are sealed with them before they are written. */
  readonly deviceKey?: Uint8Array | undefined;
  /** Headers of one's own, such as a client assertion. */
  readonly headers?: DriverOptions["headers"];
  /** Certificates to trust, an agent, time limits: of the sign-in, and certificates and agent of `session.fetch` too. */
  readonly http?: NodeHttpOptions;
}

/**
 * Signs in, or goes on with the session that `state` holds: then the user is asked for nothing. The program stays
 * alive as long as the session; `session.close()` lets it end.
 * @throws SignInError where it comes to nothing: its `code` says why, its `remedy` who can mend it
 * @throws StateDirectoryError where the directory cannot be used; ServerError where the server's name is wrong
 */
export async function signIn(options: SignInOptions): Promise<Session> {
  const { server, state, deviceKey, allowHttp, headers, http, signal } = options;
  if (signal?.aborted) throw givenUp();
  const node = nodePlatform({ stateDirectory: state, display: noDisplay, ...(http && { http }) });
  try {
    const settings = await unlessAborted(signal, () => serverSettings(server, options, node));
    const storage = deviceKey ? sealed(node.storage, node.entropy, deviceKey) : node.storage;
    return await signInOn(
      { ...node, storage },
      {
        ...settings,
        ...(allowHttp && { allowHttp }),
        ...(headers && { headers }),
        resources: options.resources,
        fetch: options.fetch ?? nodeFetch(http),
      },
      { ...options, onCode: (prompt) => options.onCode?.(withQr(prompt)) },
      () => node.dispose(),
    );
  } catch (error) {
    node.dispose();
    throw error;
  }
}

async function serverSettings(
  server: ServerChoice,
  options: SignInOptions,
  node: NodePlatform,
): Promise<ServerSettings> {
  try {
    return await settingsFor(server, options, node, options.allowHttp);
  } catch (error) {
    if (error instanceof MetadataError) throw metadataErrorOf(error);
    // The words of a known server stand in `server` here.
    if (error instanceof ServerError) {
      throw new ServerError(error.path.replace("serverParameters.", "server."), error.problem);
    }
    throw error;
  }
}

function givenUp(): SignInError {
  return new SignInError("aborted", "nobody", "signing in was given up");
}

/** Asking for metadata may take a minute, and nobody may be waiting any more. */
async function unlessAborted<T>(
  signal: AbortSignal | undefined,
  act: () => Promise<T>,
): Promise<T> {
  if (signal === undefined) return await act();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(givenUp());
    signal.addEventListener("abort", onAbort);
  });
  try {
    return await Promise.race([act(), aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort!);
  }
}

/** The QR code is made when it is first looked at: not every program draws one. */
export function withQr(prompt: VerificationPrompt): NodeVerificationPrompt {
  let made: QrCode | undefined;
  return {
    ...prompt,
    get qr() {
      made ??= new QrCode(prompt.verificationUriComplete || prompt.verificationUri);
      return made;
    },
  };
}

/** The program shows the code itself; a code has as much room as a display has columns. */
const noDisplay: Display = { columns: 80, rows: 2, show: () => {} };

function sealed(storage: Storage, entropy: Entropy, deviceKey: Uint8Array): Storage {
  return new SealedStorage({ storage, entropy, deviceKey });
}
