// SHA-256 (FIPS 180-4) for JavaScript hosts, for short inputs. Node has SHA-256, browsers only have an asynchronous one
// that a driver cannot use, and stock QuickJS has none. One implementation for all is the smallest solution.

/** FIPS 180-4 §4.2.2: 32 fractional bits of the cube roots of the first 64 primes. */
const ROUND_CONSTANTS = fractions(64, Math.cbrt);
/** FIPS 180-4 §5.3.3: 32 fractional bits of the square roots of the first eight primes. */
const INITIAL = fractions(8, Math.sqrt);

const BLOCK_BYTES = 64;
/** A single 1 bit, and the length of the message in bits (§5.1.1). */
const PADDING_BYTES_MIN = 9;

function fractions(count: number, root: (prime: number) => number): Int32Array {
  const found = new Int32Array(count);
  for (let number = 2, at = 0; at < count; number++) {
    if (!isPrime(number)) continue;
    const value = root(number);
    found[at++] = Math.floor((value - Math.floor(value)) * 2 ** 32);
  }
  return found;
}

function isPrime(number: number): boolean {
  for (let factor = 2; factor * factor <= number; factor++) {
    if (number % factor === 0) return false;
  }
  return true;
}

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

export function sha256(message: Uint8Array): Uint8Array {
  const blocks = Math.ceil((message.length + PADDING_BYTES_MIN) / BLOCK_BYTES);
  const padded = new Uint8Array(blocks * BLOCK_BYTES);
  const view = new DataView(padded.buffer);
  padded.set(message);
  padded[message.length] = 0x80;
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(padded.length - 4, message.length * 8);
  const state = INITIAL.slice();
  const schedule = new Int32Array(BLOCK_BYTES);
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) {
    for (let t = 0; t < 16; t++) schedule[t] = view.getInt32(at + 4 * t);
    compress(state, schedule);
  }
  padded.fill(0);
  schedule.fill(0);
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => void digest.setInt32(4 * i, word));
  return new Uint8Array(digest.buffer);
}

/** FIPS 180-4 §6.2.2. @param schedule the block in the first 16 words; the function fills the other words */
function compress(state: Int32Array, schedule: Int32Array): void {
  for (let t = 16; t < 64; t++) {
    const before = schedule[t - 15]!;
    const last = schedule[t - 2]!;
    const small = rotated(before, 7) ^ rotated(before, 18) ^ (before >>> 3);
    const large = rotated(last, 17) ^ rotated(last, 19) ^ (last >>> 10);
    schedule[t] = large + schedule[t - 7]! + small + schedule[t - 16]!;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < 64; t++) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const sumOfE = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const sumOfA = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const first = (h + sumOfE + choice + ROUND_CONSTANTS[t]! + schedule[t]!) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + sumOfA + majority) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i] = state[i]! + word;
  });
}
