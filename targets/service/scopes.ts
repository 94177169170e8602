// The scopes of the service (device spec §5, offer spec §5).

interface ScopeDefinition {
  name: string;
  /** If true, the identifier is the name alone. Otherwise, the identifier is {scope_base}/auth/<name>. */
  bare?: true;
  /** Which clients may request the scope: all, those with the scope in `permittedScopes` of the fixture, or none. */
  deviceFlow: "allowed" | "permitted" | "never";
  /** Text on the consent page. */
  words: string;
}

// Device spec §5 calls one scope "the service". It is `openid` here, because a name with a space cannot be requested.
const DEFINITIONS: readonly ScopeDefinition[] = [
  { name: "email", bare: true, deviceFlow: "allowed", words: "See your e-mail address" },
  { name: "openid", bare: true, deviceFlow: "allowed", words: "Know who you are on this service" },
  // OpenID Connect Core §11. Only some dialects have this scope.
  { name: "offline_access", bare: true, deviceFlow: "allowed", words: "Stay signed in" },
  { name: "profile", bare: true, deviceFlow: "allowed", words: "See your name and picture" },
  {
    name: "storage.appdata",
    deviceFlow: "allowed",
    words: "See, create and delete its own configuration data in your storage",
  },
  {
    name: "storage.file",
    deviceFlow: "allowed",
    words: "See, edit, create and delete only the storage files you use with this app",
  },
  { name: "video", deviceFlow: "allowed", words: "Manage your video account" },
  { name: "video.readonly", deviceFlow: "allowed", words: "View your video account" },
  {
    name: "video.channel-memberships.creator",
    deviceFlow: "never",
    words: "See your current channel members, their level and when they became members",
  },
  {
    name: "video.force-ssl",
    deviceFlow: "never",
    words: "See, edit and permanently delete your videos, ratings, comments and captions",
  },
  { name: "video.upload", deviceFlow: "never", words: "Manage your videos" },
  {
    name: "video.partner",
    deviceFlow: "never",
    words: "View and manage your assets and associated content",
  },
  {
    name: "video.partner-channel-audit",
    deviceFlow: "never",
    words: "View private information of your channel relevant to an audit with a partner",
  },
  {
    name: "publisher",
    deviceFlow: "permitted",
    words: "View and manage your apps and their subscription offers",
  },
];

export const SCOPE_NAMES: readonly string[] = DEFINITIONS.map(({ name }) => name);

export interface Scope {
  id: string;
  name: string;
  deviceFlow: ScopeDefinition["deviceFlow"];
  words: string;
}

export interface ScopeCatalogue {
  byId: ReadonlyMap<string, Scope>;
  /** The identifier of a scope with a name such as "video". Returns an identifier unchanged. */
  id(nameOrId: string): string;
}

export function createScopes(scopeBase: string, hasOfflineScope: boolean): ScopeCatalogue {
  const byId = new Map<string, Scope>();
  const idOf = new Map<string, string>();
  for (const { name, bare, deviceFlow, words } of DEFINITIONS) {
    const id = bare ? name : `${scopeBase}/auth/${name}`;
    const isKnown = name !== "offline_access" || hasOfflineScope;
    byId.set(id, { id, name, deviceFlow: isKnown ? deviceFlow : "never", words });
    idOf.set(name, id);
  }
  return { byId, id: (nameOrId) => idOf.get(nameOrId) ?? nameOrId };
}

/**
 * Splits a scope parameter (RFC 6749 §3.3). Returns the scopes without duplicates. `refused` is the first scope that
 * the client may not request with the device grant (device spec §5), or "" if the parameter has no scope.
 */
export function readRequestedScopes(
  catalogue: ScopeCatalogue,
  parameter: string,
  permitted: readonly string[],
): { scopes: readonly string[] } | { refused: string } {
  const scopes = [...new Set(parameter.split(" ").filter((scope) => scope !== ""))];
  for (const id of scopes) {
    const scope = catalogue.byId.get(id);
    const allowed =
      scope?.deviceFlow === "allowed" ||
      (scope?.deviceFlow === "permitted" && permitted.includes(scope.name));
    if (!allowed) return { refused: id };
  }
  return scopes.length > 0 ? { scopes } : { refused: "" };
}
