// Every profile.

import { amazon } from "./amazon.ts";
import { facebook } from "./facebook.ts";
import { microsoftV1 } from "./microsoft-v1.ts";
import { PLAIN } from "./plain.ts";
import type { ServerProfile } from "./profile.ts";
import { salesforce } from "./salesforce.ts";
import { trakt } from "./trakt.ts";
import { twitch } from "./twitch.ts";
import { yandex } from "./yandex.ts";
import { zoom } from "./zoom.ts";

/** All profiles: those that speak RFC 8628, then those that are translated. */
export const SERVERS: readonly ServerProfile[] = [
  ...PLAIN,
  ...[microsoftV1, twitch, amazon, salesforce, yandex, facebook, trakt, zoom],
];
