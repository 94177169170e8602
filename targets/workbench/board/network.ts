// The cable between the emulated board and qemu's network, which does not know the host names of the tests. So this
// module responds to DNS and NTP queries itself, and adds the address for both services to DHCP responses.

import { rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";

const ETHERNET = 14;
const IPV4 = 0x0800;
const UDP = 17;
const UDP_HEAD = 8;
const DNS_PORT = 53;
const DHCP_CLIENT_PORT = 68;
/** The offset of the options in a DHCP message, and the codes of options (RFC 2132). */
const DHCP_OPTIONS = 240;
const DHCP_NAME_SERVER = 6;
const DHCP_TIME_SERVER = 42;
const DHCP_END = 255;
const NTP_PORT = 123;
const NTP_EPOCH = 2_208_988_800;
const NAME_ERROR = 3;

export type Names = Record<string, string>;

/** The two networks to which the cable can connect. Their addresses differ only in the third number. */
export type Place = "home" | "elsewhere";

const PREFIX: Readonly<Record<Place, string>> = { home: "10.0.2.", elsewhere: "10.0.3." };

export const addressIn = (place: Place, address: string): string =>
  address.replace(PREFIX.home, PREFIX[place]);

/** The offset of the destination address in an Ethernet frame with an IPv4 packet. */
const DESTINATION = 30;

/** One end of the cable: a stream of frames. Four bytes with the length precede each frame. */
class End {
  #line: Socket | undefined;
  #waiting = Buffer.alloc(0);
  readonly #server: Server;

  readonly #onFrame: (frame: Buffer) => void;

  constructor(onFrame: (frame: Buffer) => void) {
    this.#onFrame = onFrame;
    this.#server = createServer((line) => {
      this.#line = line;
      this.#waiting = Buffer.alloc(0);
      line.on("error", () => undefined).on("data", (bytes: Buffer) => this.#take(bytes));
    });
  }

  open(path: string): Promise<void> {
    // Remove the socket of a process that was killed.
    rmSync(path, { force: true });
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(path, resolve);
    });
  }

  close(): Promise<void> {
    this.#line?.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  send(frame: Buffer): void {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(frame.length);
    this.#line?.write(Buffer.concat([length, frame]));
  }

  #take(bytes: Buffer): void {
    this.#waiting = Buffer.concat([this.#waiting, bytes]);
    while (this.#waiting.length >= 4 && this.#waiting.length >= 4 + this.#waiting.readUInt32BE(0)) {
      const end = 4 + this.#waiting.readUInt32BE(0);
      this.#onFrame(this.#waiting.subarray(4, end));
      this.#waiting = this.#waiting.subarray(end);
    }
  }
}

export class Network {
  /** The names that the board has looked up. */
  readonly requested: string[] = [];
  isCut = false;
  place: Place = "home";
  /** Time to live of DNS records, in seconds. */
  ttl = 5;
  /** The time of the time server in milliseconds since 1970; undefined: there is no time server. */
  time: (() => number) | undefined;
  /** Whether DHCP announces the time server. */
  namesTimeServer = true;
  readonly silent = new Set<string>();
  readonly #board = new End((frame) => this.#fromBoard(frame));
  readonly #places: Readonly<Record<Place, End>> = {
    home: new End((frame) => this.#toBoard("home", frame)),
    elsewhere: new End((frame) => this.#toBoard("elsewhere", frame)),
  };

  readonly #nameServer: string;

  /** @param names addresses of host names in the network `home` @param nameServer the DNS server's address there */
  constructor(
    readonly names: Names,
    nameServer: string,
  ) {
    this.#nameServer = nameServer;
  }

  /** Listens on three Unix sockets, to which the emulator connects. */
  async open(boardEnd: string, home: string, elsewhere: string): Promise<void> {
    await this.#board.open(boardEnd);
    await this.#places.home.open(home);
    await this.#places.elsewhere.open(elsewhere);
  }

  async close(): Promise<void> {
    await this.#board.close();
    for (const end of Object.values(this.#places)) await end.close();
  }

  inject(frame: Buffer): void {
    this.#board.send(frame);
  }

  #fromBoard(frame: Buffer): void {
    if (this.isCut || this.#isForNobody(frame)) return;
    const response = this.#replyTo(frame);
    if (response) this.#board.send(response);
    else this.#places[this.place].send(frame);
  }

  #isForNobody(frame: Buffer): boolean {
    if (frame.length < ETHERNET + 20 || frame.readUInt16BE(12) !== IPV4) return false;
    return this.silent.has(frame.subarray(DESTINATION, DESTINATION + 4).join("."));
  }

  #toBoard(place: Place, frame: Buffer): void {
    if (this.isCut || place !== this.place) return;
    this.#board.send(withServers(frame, addressIn(place, this.#nameServer), this.namesTimeServer));
  }

  #replyTo(frame: Buffer): Buffer | undefined {
    const udp = udpOf(frame);
    if (udp?.readUInt16BE(2) === NTP_PORT) {
      const time = this.time && timeResponse(udp.subarray(UDP_HEAD), this.time());
      return time && wrap(frame, udp, time);
    }
    if (udp?.readUInt16BE(2) !== DNS_PORT) return undefined;
    const response = this.#responseTo(udp.subarray(UDP_HEAD));
    return response && wrap(frame, udp, response);
  }

  /** The response to a query (RFC 1035 §4.1): header, question, and an address or the error for an unknown name. */
  #responseTo(query: Buffer): Buffer | undefined {
    const labels: string[] = [];
    let at = 12;
    while (at < query.length && query[at]! > 0) {
      labels.push(query.toString("latin1", at + 1, at + 1 + query[at]!));
      at += 1 + query[at]!;
    }
    const end = at + 5;
    if (end > query.length) return undefined;
    const name = labels.join(".").toLowerCase();
    this.requested.push(name);
    const known = this.names[name];
    const address = known && addressIn(this.place, known);
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | (address ? 0 : NAME_ERROR), 2);
    header.writeUInt16BE(address ? 1 : 0, 6);
    header.fill(0, 8);
    const question = query.subarray(12, end);
    if (!address) return Buffer.concat([header, question]);
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]);
    record.writeUInt32BE(this.ttl, 6);
    return Buffer.concat([header, question, record, Buffer.from(address.split(".").map(Number))]);
  }
}

/** The response to a time query repeats the timestamp of the query (RFC 4330). */
function timeResponse(question: Buffer, ms: number): Buffer {
  const response = Buffer.alloc(48);
  response.writeUInt8((4 << 3) | 4, 0);
  response.writeUInt8(2, 1);
  question.copy(response, 24, 40, 48);
  response.writeUInt32BE((Math.floor(ms / 1000) + NTP_EPOCH) % 2 ** 32, 40);
  return response;
}

function udpOf(frame: Buffer): Buffer | undefined {
  if (frame.length < ETHERNET + 20 + UDP_HEAD || frame.readUInt16BE(12) !== IPV4) return undefined;
  const ip = frame.subarray(ETHERNET);
  if (ip[9] !== UDP) return undefined;
  const udp = ip.subarray((ip[0]! & 15) * 4);
  return udp.subarray(0, udp.readUInt16BE(4));
}

function wrap(frame: Buffer, udp: Buffer, response: Buffer): Buffer {
  const to = [frame.subarray(6, 12), frame.subarray(0, 6), frame.subarray(12, ETHERNET)];
  // A UDP checksum of 0 means that there is none.
  const udpHead = Buffer.concat([udp.subarray(2, 4), udp.subarray(0, 2), Buffer.alloc(4)]);
  udpHead.writeUInt16BE(UDP_HEAD + response.length, 4);
  const ip = frame.subarray(ETHERNET);
  const ipHead = Buffer.from(ip.subarray(0, 20));
  ipHead[0] = 0x45;
  ipHead.writeUInt16BE(20 + UDP_HEAD + response.length, 2);
  ip.copy(ipHead, 12, 16, 20);
  ip.copy(ipHead, 16, 12, 16);
  ipHead.writeUInt16BE(0, 10);
  ipHead.writeUInt16BE(checksumOf(ipHead), 10);
  return Buffer.concat([...to, ipHead, udpHead, response]);
}

function withServers(frame: Buffer, address: string, namesTimeServer: boolean): Buffer {
  const changed = Buffer.from(frame);
  const udp = udpOf(changed);
  if (udp?.readUInt16BE(2) !== DHCP_CLIENT_PORT) return frame;
  const message = udp.subarray(UDP_HEAD);
  let at = DHCP_OPTIONS;
  while (at < message.length && message[at] !== DHCP_END) at += 2 + message[at + 1]!;
  const numbers = address.split(".").map(Number);
  const timeServer = namesTimeServer ? [DHCP_TIME_SERVER, 4, ...numbers] : [];
  message.set([DHCP_NAME_SERVER, 4, ...numbers, ...timeServer, DHCP_END], at);
  udp.writeUInt16BE(0, 6);
  return changed;
}

/** The Internet checksum (RFC 1071). */
function checksumOf(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += bytes.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}
