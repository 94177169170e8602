// The five adapters over `node:http`, files and a console. Test them with `npx picogrant conform`, and run them with
// platform/templates/device.mjs. To write your own, copy this file and replace its functions from top to bottom.

import { randomBytes } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import { retryAfterSeconds } from "picogrant/driver";

const WRAP = 2 ** 32;

export function makeTimers() {
  let timeout;
  const timers = {
    now: () => Math.floor(performance.now()) % WRAP,

    alarm(afterMs, ring) {
      timers.cancel();
      const began = performance.now();
      // The event loop may wake too early by this clock. Then wait again.
      const wake = () => {
        const leftMs = afterMs - (performance.now() - began);
        if (leftMs > 0) timeout = setTimeout(wake, Math.ceil(leftMs));
        else ring();
      };
      timeout = setTimeout(wake, afterMs + 1);
    },

    cancel: () => clearTimeout(timeout),
  };
  return timers;
}

export function makeEntropy() {
  return {
    fill(into, from, to) {
      const random = randomBytes(to - from);
      for (let at = from; at < to; at++) into[at] = random[at - from];
      random.fill(0);
      return true;
    },
  };
}

// Storage in two files. A record is written to a temporary file, made durable, and then renamed, so that the slot has
// the old record or the new one after a power loss. If others can read the medium, wrap this storage
// (`picogrant/sealed-storage`).

const folder = process.env.STATE ?? "state";

const fileOf = (slot) => {
  if (slot !== 0 && slot !== 1) throw new RangeError(`storage: there is no slot ${slot}`);
  return `${folder}/slot-${slot}`;
};

/** Makes changes of the folder durable, such as a renamed or removed file. */
function syncFolder() {
  const directory = fs.openSync(folder, "r");
  fs.fsyncSync(directory);
  fs.closeSync(directory);
}

/** Runs `change` and returns whether it succeeded. A full or broken disk must not throw. */
function succeeds(change) {
  try {
    change();
    return true;
  } catch {
    return false;
  }
}

export function makeStorage() {
  // If the folder cannot be created, reads find no record, and writes report a failure.
  succeeds(() => fs.mkdirSync(folder, { recursive: true, mode: 0o700 }));
  const storage = {
    capacity: 16_384,

    read(slot, into, from, to, done) {
      const file = fileOf(slot);
      if (!fs.existsSync(file)) return done(0);
      let record;
      if (!succeeds(() => (record = fs.readFileSync(file)))) return done(-1);
      if (record.length > to - from) return done(-1);
      for (let at = 0; at < record.length; at++) into[from + at] = record[at];
      done(record.length);
    },

    write(slot, bytes, from, to, done) {
      const file = fileOf(slot);
      if (to - from > storage.capacity) return done(false);
      const record = Buffer.alloc(to - from);
      for (let at = from; at < to; at++) record[at - from] = bytes[at];
      const ok = succeeds(() => {
        const draft = fs.openSync(`${file}.new`, "w", 0o600);
        try {
          fs.writeSync(draft, record);
          fs.fsyncSync(draft);
        } finally {
          fs.closeSync(draft);
        }
        fs.renameSync(`${file}.new`, file);
        syncFolder();
      });
      done(ok);
    },

    erase(slot, done) {
      const file = fileOf(slot);
      const ok = succeeds(() => {
        fs.rmSync(`${file}.new`, { force: true });
        fs.rmSync(file, { force: true });
        syncFolder();
      });
      done(ok);
    },
  };
  return storage;
}

export function makeDisplay() {
  const columns = 20;
  const rows = 4;
  let shown = [];
  return {
    columns,
    rows,
    show(cells, from) {
      shown = [];
      for (let row = 0; row < rows; row++) {
        let line = "";
        for (let column = 0; column < columns; column++) {
          const cell = cells[from + row * columns + column];
          // The terminal may lack the display's character set, and interprets control characters. So print only ASCII.
          line += cell >= 32 && cell < 127 ? String.fromCharCode(cell) : "?";
        }
        shown.push(line);
      }
      console.log(`${shown.map((line) => `|${line}|`).join("\n")}\n`);
    },
    lines: () => shown,
  };
}

// HTTP with Node's client, one connection per exchange. Do not log targets, headers or bodies: they contain secrets.

export function makeHttp({ timeLimitMs, sizeLimitBytes, ca = undefined }) {
  /** Ends the current exchange, if any, and ignores its later events. */
  let stop = () => {};

  function start(request, sink) {
    let over = false;
    let received = 0;
    let client;
    const limit = setTimeout(() => fail("timeout"), timeLimitMs);
    stop = () => {
      over = true;
      clearTimeout(limit);
      client?.destroy();
    };
    const fail = (why) => {
      if (over) return;
      stop();
      sink.failed(why);
    };
    try {
      client = open(request, ca);
    } catch {
      // The address or a header cannot be sent.
      return fail("unreachable");
    }
    client.on("error", ({ code }) =>
      fail(code === "HPE_HEADER_OVERFLOW" ? "too-large" : "unreachable"),
    );
    client.on("close", () => fail("unreachable"));
    client.on("response", (response) => {
      if (over) return;
      const {
        "retry-after": retryAfter,
        date,
        "www-authenticate": authenticate,
      } = response.headers;
      const waitS = retryAfterSeconds(retryAfter, date, Date.now());
      // A status above 599 counts as a server error (RFC 9110 §15).
      sink.status(Math.min(response.statusCode, 599), waitS, authenticate);
      if (!/^(identity)?$/i.test(response.headers["content-encoding"] ?? "")) fail("unreachable");
      response.on("error", () => fail("unreachable"));
      response.on("data", (piece) => {
        if (over) return;
        received += piece.length;
        if (received > sizeLimitBytes) fail("too-large");
        else sink.body(piece, 0, piece.length);
      });
      response.on("end", () => {
        if (over) return;
        // A truncated body also ends, but it is not complete.
        if (!response.complete) return fail("unreachable");
        stop();
        sink.end();
      });
    });
    client.end(Buffer.from(request.body.slice(request.bodyFrom, request.bodyTo)));
  }

  return { send: start, abort: () => stop() };
}

/** Starts a request. Neither http nor https follows redirects. */
function open(request, ca) {
  const url = new URL(request.url);
  const headers = { Accept: "application/json", "Accept-Encoding": "identity" };
  const length = request.bodyTo - request.bodyFrom;
  if (request.contentType !== "") headers["Content-Type"] = request.contentType;
  if (request.authorization !== "") headers.Authorization = request.authorization;
  if (length > 0 || request.method === "POST") headers["Content-Length"] = length;
  for (const [name, value] of request.headers ?? []) headers[name] = value;
  const options = { method: request.method, headers, agent: false };
  return url.protocol === "https:"
    ? https.request(url, { ...options, rejectUnauthorized: true, minVersion: "TLSv1.2", ca })
    : http.request(url, options);
}
