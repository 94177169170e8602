// The devices that the simulator can be: what people know as a printer, a console, a bare display. They
// differ in their display and in what else they have to show an address with; the core is the same.

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

export const DEVICE_KINDS: readonly DeviceKind[] = [
  {
    name: "bare",
    title: "Living Room TV",
    client: "living-room-tv",
    columns: 20,
    rows: 4,
    hasPaper: false,
  },
  {
    name: "printer",
    title: "Printer",
    client: "public-printer",
    columns: 16,
    rows: 2,
    hasPaper: true,
  },
  {
    name: "console",
    title: "Game Console",
    client: "game-console",
    columns: 40,
    rows: 8,
    hasPaper: false,
  },
];

export type DeviceName = DeviceKind["name"];

export function deviceKind(name: string): DeviceKind | undefined {
  return DEVICE_KINDS.find((kind) => kind.name === name);
}
