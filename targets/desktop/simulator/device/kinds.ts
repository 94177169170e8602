// The kinds of simulated devices. They differ in client and display, and the printer also prints the code on paper.
import type { DriverConfig } from "../../../../platform/driver.ts";
import type { FixtureInput } from "../../../service/fixture.ts";

export interface DeviceKind {
  readonly name: "bare" | "printer" | "console";
  readonly title: string;
  readonly client: string;
  readonly columns: number;
  readonly rows: number;
  readonly hasPaper: boolean;
}

const KINDS = [
  ["bare", "Living Room TV", "living-room-tv", 20, 4],
  ["printer", "Printer", "public-printer", 16, 2],
  ["console", "Game Console", "game-console", 40, 8],
] as const;

export const DEVICE_KINDS: readonly DeviceKind[] = KINDS.map(
  ([name, title, client, columns, rows]) => {
    return { name, title, client, columns, rows, hasPaper: name === "printer" };
  },
);

export type DeviceName = DeviceKind["name"];

export function deviceKind(name: string): DeviceKind | undefined {
  return DEVICE_KINDS.find((kind) => kind.name === name);
}

const SCOPE_BASE = "https://auth.picogrant.test/auth/";
const PLAIN = ["email", "profile", "openid"];

/** Expands the short names of scopes (device spec §5.5). Full names stay unchanged. */
export function scopeOf(names: readonly string[]): string {
  const inFull = (name: string): string =>
    PLAIN.includes(name) || name.includes(":") ? name : SCOPE_BASE + name;
  return names.map(inFull).join(" ");
}

/** The credentials of a client in the fixture. `secret` replaces the client's secret. */
export function credentialsOf(
  fixture: FixtureInput | undefined,
  clientId: string,
  secret?: string,
): Pick<DriverConfig, "clientId" | "clientSecret" | "scope"> {
  const client = fixture?.clients?.find(({ id }) => id === clientId);
  const isPublisher = client?.permittedScopes?.includes("publisher") === true;
  return {
    clientId,
    clientSecret: secret ?? client?.secret ?? "",
    scope: scopeOf([isPublisher ? "publisher" : "video.readonly"]),
  };
}

/** Returns the API call after a sign-in; undefined if the server does not have the API. */
export function firstCall(
  scope: string,
  resources: readonly string[],
): "broadcasts" | "offers" | undefined {
  const [videoApi = "", publisherApi = ""] = resources;
  if (/\/publisher$/.test(scope) && publisherApi !== "") return "offers";
  return videoApi === "" ? undefined : "broadcasts";
}
