// What every simulated world has in common, wherever it runs: the client that the simulated device is, and
// where the simulated service answers. Nothing here needs Node: the playground runs it in a page.
import * as core from "../../../../core/complete.ts";
import { type Endpoints, noEndpoints } from "../../../../platform/driver.ts";
import { PATHS } from "../../../service/metadata.ts";

/** How early a poll may come. */
export const POLL_TOLERANCE_MS = 250;

const CLIENT = { id: "living-room-tv", secret: "tv-secret" };
const SCOPE = "https://auth.picogrant.test/auth/video.readonly";

/** Where the embedded service answers what. */
export function endpointsOf(baseUrl: string): Endpoints {
  return {
    ...noEndpoints,
    deviceAuthorization: baseUrl + PATHS.deviceAuthorization,
    token: baseUrl + PATHS.token,
    revocation: baseUrl + PATHS.revocation,
    events: baseUrl + PATHS.streamPoll,
    metadata: `${baseUrl}/.well-known/openid-configuration`,
    // The video API and the publisher's; of an offer the core writes the whole path (the offer document, section 4).
    resources: [baseUrl + PATHS.liveBroadcasts, baseUrl],
  };
}

/** What may be said about the client; the rest is as its maker has set it. */
export interface ClientChoices {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly scope?: string | undefined;
}

/** What the maker of the simulated device has set, for the service in this program. */
export function deviceConfig(options: ClientChoices) {
  return {
    clientId: options.clientId ?? CLIENT.id,
    clientSecret: options.clientSecret ?? (options.clientId === undefined ? CLIENT.secret : ""),
    scope: options.scope ?? SCOPE,
    clientAuthentication: core.ClientAuthentication.DOCUMENTS,
    // It is the same one at whatever port it listens today.
    server: "the simulated service",
    deviceParameters: "",
    tokenParameters: "",
    autoStart: 1,
    renewalsMax: 3,
    messages: "",
  };
}
