// Every profile, in the order of the tables.

import { amazon } from "./amazon.ts";
import { auth0 } from "./auth0.ts";
import { authentik } from "./authentik.ts";
import { discord } from "./discord.ts";
import { duende } from "./duende.ts";
import { facebook } from "./facebook.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { google } from "./google.ts";
import { hydra } from "./hydra.ts";
import { keycloak } from "./keycloak.ts";
import { microsoft } from "./microsoft.ts";
import { microsoftV1 } from "./microsoft-v1.ts";
import { oidcProvider } from "./oidc-provider.ts";
import { okta } from "./okta.ts";
import { pingam } from "./pingam.ts";
import type { ServerProfile } from "./profile.ts";
import { salesforce } from "./salesforce.ts";
import { spotify } from "./spotify.ts";
import { trakt } from "./trakt.ts";
import { twitch } from "./twitch.ts";
import { yandex } from "./yandex.ts";
import { zitadel } from "./zitadel.ts";
import { zoom } from "./zoom.ts";

/** All profiles by name. */
export const SERVERS: readonly ServerProfile[] = [
  google,
  microsoft,
  microsoftV1,
  github,
  gitlab,
  auth0,
  okta,
  keycloak,
  spotify,
  twitch,
  discord,
  amazon,
  salesforce,
  yandex,
  facebook,
  trakt,
  zitadel,
  hydra,
  authentik,
  duende,
  pingam,
  zoom,
  oidcProvider,
];
