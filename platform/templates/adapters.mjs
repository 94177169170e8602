// The five adapters, empty: what `picogrant conform` tests and device.mjs runs on. Fill them in from the top.

// Timers: a clock that only goes forward, and one alarm. Write this one first: the other suites wait with it.
//
// On a microcontroller: a 32-bit tick counter that goes on while the core sleeps, and a compare interrupt that
// sets a flag. The loop sees the flag and rings; nothing rings from within an interrupt.

export function makeTimers() {
  return {
    /**
     * Milliseconds since any fixed moment: an integer 0..4294967295 that never goes back, and after the
     * last number goes on with 0. It should go on while the device sleeps, since a code's lifetime does.
     */
    now() {
      throw new Error("timers.now is not written yet");
    },

    /**
     * Rings once, `afterMs` (0..134217727) milliseconds from now or later. Never earlier, and never before this
     * call has returned. A second call takes the place of the first.
     */
    alarm(afterMs, ring) {
      throw new Error("timers.alarm is not written yet");
    },

    /** Takes the alarm back: it does not ring. Harmless where none is set. */
    cancel() {},
  };
}

// Entropy: random bytes that nobody can guess. The device uses them to spread its requests in time, and the sealed
// storage needs them for every record.
//
// On a microcontroller: the hardware's generator, with its health test passed. There is no second best: bytes
// from a clock, a serial number or a seed compiled into the firmware are the same in every device, or can be guessed.

export function makeEntropy() {
  return {
    /**
     * Fills `into[from]` up to, but not including, `into[to]` with random bytes 0..255.
     * @returns true; false where there is no such source: the bytes are then not used
     */
    fill(into, from, to) {
      return false;
    },
  };
}

// Storage: two slots, 0 and 1, that outlive a loss of power. The core writes them in turn, so that one of them holds
// a whole record at any moment, wherever the power goes. That only works where the slots cannot harm each other:
// on flash, give each its own erase blocks; on a file system, each its own file.
//
// The records hold tokens. If anybody can read the medium out, wrap this adapter with `picogrant/sealed-storage`.

export function makeStorage() {
  return {
    /** Bytes of the longest record that a slot takes. As much as the device's memory is always enough. */
    capacity: 4096,

    /**
     * `slot` is 0 or 1, here and below; for any other `done(-1)` and `done(false)`, and nothing is touched.
     *
     * Reads a slot into `into[from]` and on, to `into[to - 1]` at the most. `done` is called once, now or later:
     * with the record's length; with 0 for an empty slot; with -1 where the slot cannot be read or the record
     * is longer than the range.
     */
    read(slot, into, from, to, done) {
      done(-1);
    },

    /**
     * Replaces a slot by `bytes[from]` up to, but not including, `bytes[to]`. `done(true)` is a promise: from this
     * moment on the record survives a loss of power. Where it cannot be kept: `done(false)`, never an exception.
     * The bytes are yours until you call `done`; keep a copy of what you need longer.
     */
    write(slot, bytes, from, to, done) {
      done(false);
    },

    /** Empties a slot, as durably as `write`. Nothing of the old record may be left to be read out. */
    erase(slot, done) {
      done(false);
    },
  };
}

// Display: a frame of characters. The core lays it out; you copy it to the glass.

export function makeDisplay() {
  return {
    /** Size in characters: 16..80 columns, 2..8 rows. It stays the same while the device runs. */
    columns: 20,
    rows: 4,

    /**
     * Shows a frame: `columns * rows` bytes from `cells[from]` on, row by row, each one character. They are printable
     * ASCII, 32..126, unless you replaced the display texts by others in your display's own character set.
     * Called only where something changed. The bytes are good until this returns.
     */
    show(cells, from) {},

    /** For the conformance suite only: the rows as a person sees them now. Leave it out where nothing can tell. */
    lines() {
      return [];
    },
  };
}

// HTTP: one request at a time, over TLS. The largest adapter, and the one where mistakes cost the user's session.
// What goes wrong most often, each with a case in the conformance suite:
//
//   - a redirect is followed: report the 3xx, the core decides
//   - a body that was cut off is taken for complete
//   - a client library sends a POST again after a reset: the first one may have been answered, with tokens
//   - the time limit is for each piece, not for the whole exchange
//   - the certificate's chain, its name or its dates are not checked
//   - an answer is reported after `abort`
//
// Nothing of a request or an answer may be logged: targets, headers and bodies hold secrets.

/**
 * @param limits `timeLimitMs` for the whole exchange (30000 is a good number), `sizeLimitBytes` for the body of
 *   an answer (65536), and `ca`: certificates to trust, for the tests
 */
export function makeHttp(limits) {
  return {
    /**
     * Sends `request` and reports to `sink`. Never throws for what the network does.
     *
     * request.method         "GET" or "POST"
     * request.url            absolute, https: or http:
     * request.contentType    value of `Content-Type`; "" for no such header
     * request.authorization  value of `Authorization`; "" for no such header
     * request.headers        further headers as [name, value], or undefined
     * request.body           bodyFrom..bodyTo of it; an empty range of a POST says `Content-Length: 0`
     *
     * And always `Accept: application/json`. The request stays as it is until the exchange is over.
     *
     * sink.status(status, retryAfterSeconds)  once, when the head has come; -1 without `Retry-After`; where the device
     *                                         calls APIs a third argument: `WWW-Authenticate`, "" without
     *                                         (`retryAfterSeconds` of picogrant/driver reads the header)
     * sink.body(bytes, from, to)              pieces of the body, any size, in order; copied before it returns
     * sink.end()                              the answer is complete, as its framing promised; the last call
     * sink.failed("unreachable")              no answer, or no whole one; the last call, at any time. Also
     *                                         "timeout", or "too-large": a body beyond the size
     *                                         limit, or a head beyond what your client takes
     */
    send(request, sink) {
      sink.failed("unreachable");
    },

    /** Ends the exchange under way, if there is one. Its sink hears nothing more. */
    abort() {},
  };
}
