// The numbers of commands, endpoints and Authorization headers in the core API, and the bytes that belong to a command.

import type { Device } from "./memory.ts";

/** The bytes that the host reads or writes for LOAD, STORE, VERIFY and CHALLENGE. */
export interface CommandRange {
  /** First byte of the range in `memory`, for LOAD, STORE, VERIFY and CHALLENGE. */
  data: number;
  /** Number of bytes in the range. A record that LOAD reads may be shorter. */
  dataLength: number;
}

export function makeCommandRange(device: CommandRange): void {
  device.data = 0;
  device.dataLength = 0;
}

/** Sets the range of the next command: `length` bytes of `memory` from `start`. */
export function handOver(device: Device & CommandRange, start: number, length: number): void {
  device.data = start;
  device.dataLength = length;
}

/**
 * The host's next task. A command's data are properties of the device and ranges of its memory. A range does not change
 * until the command is done. The ranges of SEND do not change until the exchange ends.
 */
export enum Command {
  /** Nothing to do. wakeIn returns how long the host can sleep. */
  NONE = 0,
  /**
   * Send the request with these properties: requestId, endpoint, isGet, target and targetLength (path and query after
   * the endpoint's address), body and bodyLength, isJson, authorization (one of Authorization). If callBody is not
   * null, the body is callBody from callBodyFrom to callBodyTo instead.
   */
  SEND = 1,
  /** Abort the current request or VERIFY, and report nothing more of it. */
  ABORT = 2,
  /** Show the frame: columns x rows character codes from start[Region.FRAME]. */
  SHOW = 3,
  /** Read at most dataLength bytes of `slot` to `data`; then storageDone(size), with 0 for empty, -1 for unreadable. */
  LOAD = 4,
  /** Write dataLength bytes from `data` to `slot`, durably; then storageDone(1), or storageDone(0) on failure. */
  STORE = 5,
  /** Empty `slot`, durably; then storageDone(1), or storageDone(0) on failure. */
  ERASE = 6,
  /** Verify the security event token at `data` (dataLength bytes): signature, issuer, audience; then eventVerified. */
  VERIFY = 7,
  /**
   * Create a code verifier and its challenge (RFC 7636 §4.1, §4.2). Write the 43 bytes of the verifier to `data`, and
   * the 43 bytes of the challenge after them. Then storageDone(1), or storageDone(0) if the host cannot create them.
   */
  CHALLENGE = 8,
}

/** The Authorization header of a request. */
export enum Authorization {
  /** No Authorization header. */
  NONE = 0,
  /** `Bearer` with Field.ACCESS_TOKEN (RFC 6750 §2.1). */
  BEARER = 1,
  /** `Basic` with Region.CLIENT_CREDENTIALS (RFC 6749 §2.3.1). */
  BASIC = 2,
}

/** The destination of a request. The host knows the addresses. */
export enum Endpoint {
  /** The device authorization endpoint (RFC 8628 §3.1). */
  DEVICE_AUTHORIZATION = 0,
  /** The token endpoint (RFC 6749 §3.2). */
  TOKEN = 1,
  /** The revocation endpoint (RFC 7009 §2). */
  REVOCATION = 2,
  /** The server's metadata (RFC 8414 §3). */
  METADATA = 3,
  /** Polls for security events (RFC 8936 §2.4). */
  EVENTS = 4,
  /** The first resource server (RFC 6749 §1.1). The second one is 6, the third one 7, and so on. */
  RESOURCE = 5,
}
