// The devices that the simulator can be: what people know as a printer, a console, a bare display. They
// differ in their display and in what else they have to show an address with; the core is the same.
import type { DriverConfig } from "../../../../platform/driver.ts";
import type { FixtureInput } from "../../../service/fixture.ts";

export interface DeviceKind {
  readonly name: "bare" | "printer" | "console";
  readonly title: string;
  /** As whom the service knows such a device by itself. */
  readonly client: string;
  /** Of the character display; another size may be chosen. */
  readonly columns: number;
  readonly rows: number;
  /** A slip of paper comes out with each new code: address, code and QR code. */
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

// As whom the device asks, and what for.

/** What the simulated device may ask for unless its client is for something else. */
const SCOPE_BASE = "https://auth.picogrant.test/auth/";
const PLAIN = ["email", "profile", "openid"];

/** Scopes by their names in the document, or in full, as the device sends them. */
export function scopeOf(names: readonly string[]): string {
  const inFull = (name: string): string =>
    PLAIN.includes(name) || name.includes(":") ? name : SCOPE_BASE + name;
  return names.map(inFull).join(" ");
}

/** Those of a client of the service, or wrong ones. */
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

/** What a device with this scope asks for first, of the APIs that there are; undefined where there is none. */
export function firstCall(
  scope: string,
  resources: readonly string[],
): "broadcasts" | "offers" | undefined {
  const [videoApi = "", publisherApi = ""] = resources;
  if (/\/publisher$/.test(scope) && publisherApi !== "") return "offers";
  return videoApi === "" ? undefined : "broadcasts";
}
