// The members of the QuickJS modules `std` and `os` (releases since 2024) that are used, and the adapters that need
// only these. With `qjs --std`, both modules are globals.

import type { Entropy, Timers } from "../contracts.ts";
import { timePassed, timersOn } from "../driver/elapsed-time.ts";

export interface FileStatus {
  mode: number;
  uid: number;
}

export interface Std {
  exit(code: number): never;
  getenviron(): Record<string, string>;
}

/** A function that fails returns a negative errno, unless its type has another way to report a failure. */
export interface Os {
  readonly O_RDONLY: number;
  readonly O_WRONLY: number;
  readonly O_RDWR: number;
  readonly O_CREAT: number;
  readonly O_EXCL: number;
  readonly O_TRUNC: number;
  readonly O_APPEND: number;
  readonly S_IFMT: number;
  readonly S_IFREG: number;
  readonly S_IFDIR: number;
  readonly S_IFIFO: number;
  readonly SIGINT: number;
  readonly SIGTERM: number;
  readonly SIGPIPE: number;
  readonly SIGUSR1: number;
  readonly SIGUSR2: number;
  open(path: string, flags: number, mode?: number): number;
  close(fd: number): number;
  read(fd: number, buffer: ArrayBuffer, offset: number, length: number): number;
  write(fd: number, buffer: ArrayBuffer, offset: number, length: number): number;
  isatty(fd: number): boolean;
  ttyGetWinSize(fd: number): [columns: number, rows: number] | null;
  remove(path: string): number;
  rename(from: string, to: string): number;
  mkdir(path: string, mode?: number): number;
  readdir(path: string): [names: string[], errno: number];
  readlink(path: string): [target: string, errno: number];
  sleep(delayMs: number): number;
  stat(path: string): [FileStatus | null, errno: number];
  setReadHandler(fd: number, handler: (() => void) | null): void;
  /** `null` restores the system's default, `undefined` ignores the signal. */
  signal(signal: number, handler: (() => void) | null | undefined): void;
  now(): number;
  setTimeout(handler: () => void, delayMs: number): object;
  clearTimeout(timer: object): void;
  exec(
    args: readonly string[],
    options: {
      block?: boolean;
      stdin?: number;
      stdout?: number;
      stderr?: number;
      env?: Readonly<Record<string, string>>;
    },
  ): number;
  waitpid(pid: number, options: number): [pid: number, status: number];
  kill(pid: number, signal: number): number;
  pipe(): [read: number, write: number] | null;
  getpid(): number;
}

const globals = globalThis as { std?: Std; os?: Os; scriptArgs?: string[] };

/** @throws Error if qjs was started without --std */
export function quickJs(): { std: Std; os: Os } {
  const { std, os } = globals;
  if (std === undefined || os === undefined) throw new Error("start qjs with --std");
  return { std, os };
}

export function scriptArguments(): string[] {
  return (globals.scriptArgs ?? []).slice(1);
}

/** Environment variables that make a program write its TLS secrets to a file, or weaken its checks. */
const WEAKENING = [
  "CURL_CA_BUNDLE",
  "CURL_SSL_BACKEND",
  "OPENSSL_CONF",
  "OPENSSL_ENGINES",
  "OPENSSL_MODULES",
  "SSLKEYLOGFILE",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
];

export function safeEnvironment(): Record<string, string> {
  const all = Object.entries(globals.std?.getenviron() ?? {});
  return Object.fromEntries(all.filter(([name]) => !WEAKENING.includes(name)));
}

const CHUNK_BYTES = 4096;

export const quickJsEntropy = (os: Os): Entropy => ({
  fill(into, from, to) {
    const fd = os.open("/dev/urandom", os.O_RDONLY);
    if (fd < 0) return false;
    const chunk = new Uint8Array(Math.max(1, Math.min(CHUNK_BYTES, to - from)));
    let at = from;
    while (at < to) {
      const count = os.read(fd, chunk.buffer, 0, Math.min(chunk.length, to - at));
      if (count <= 0) break;
      for (let i = 0; i < count; i++) into[at++] = chunk[i]!;
    }
    chunk.fill(0);
    os.close(fd);
    return at === to;
  },
});

/** Returns timers that include the time of a suspension, in which the engine's clock may stop. */
export function quickJsTimers(os: Os): Timers {
  return timersOn({
    nowMs: timePassed(() => os.now(), Date.now),
    wait(ms, ring) {
      const timer = os.setTimeout(ring, ms);
      return () => os.clearTimeout(timer);
    },
  });
}
