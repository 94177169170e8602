// A device whose engine has the APIs of browsers and not those of Node: fetch, timers, crypto, localStorage. An example
// is the web runtime of a television. Bundle it into one file: npx esbuild web.mjs --bundle --outfile=device.js

import * as core from "picogrant/core";
import { Driver, noEndpoints, retryAfterSeconds } from "picogrant/driver";

function rowsOf(cells, from) {
  const rows = [];
  for (let row = 0; row < 4; row++) {
    let text = "";
    for (let column = 0; column < 40; column++) {
      text += String.fromCharCode(cells[from + row * 40 + column]);
    }
    rows.push(text);
  }
  return rows;
}

function webTimers() {
  let timeout;
  return {
    now: () => Math.floor(performance.now()) % 4294967296,
    alarm(afterMs, ring) {
      clearTimeout(timeout);
      // Add one millisecond, because `now` is rounded down.
      timeout = setTimeout(ring, afterMs + 1);
    },
    cancel: () => clearTimeout(timeout),
  };
}

function webEntropy() {
  return {
    fill(into, from, to) {
      const random = crypto.getRandomValues(new Uint8Array(to - from));
      for (let at = from; at < to; at++) into[at] = random[at - from];
      return true;
    },
  };
}

/** Stores the records in two items, as hexadecimal digits. Every script of the same origin can read them. */
function webStorage(items) {
  const nameOf = (slot) => `picogrant-${slot}`;
  return {
    capacity: 16_384,
    read(slot, into, from, to, done) {
      const text = items.getItem(nameOf(slot)) ?? "";
      if (text.length / 2 > to - from) return done(-1);
      for (let at = 0; at < text.length; at += 2) {
        into[from + at / 2] = Number.parseInt(text.slice(at, at + 2), 16);
      }
      done(text.length / 2);
    },
    write(slot, bytes, from, to, done) {
      let text = "";
      for (let at = from; at < to; at++) text += (256 + bytes[at]).toString(16).slice(1);
      try {
        items.setItem(nameOf(slot), text);
        done(true);
      } catch {
        // The storage is full or disabled.
        done(false);
      }
    },
    erase(slot, done) {
      items.removeItem(nameOf(slot));
      done(true);
    },
  };
}

const SIZE_LIMIT_BYTES = 65_536;
const TIME_LIMIT_MS = 30_000;

function webHttp() {
  let current;
  return {
    send(request, sink) {
      const exchange = { abort: new AbortController(), isOver: false };
      current = exchange;
      const limit = setTimeout(() => finish("timeout"), TIME_LIMIT_MS);
      const finish = (failure) => {
        if (exchange.isOver) return;
        exchange.isOver = true;
        clearTimeout(limit);
        exchange.abort.abort();
        sink.failed(failure);
      };
      exchange.silence = () => {
        exchange.isOver = true;
        clearTimeout(limit);
        exchange.abort.abort();
      };
      receive(request, exchange, sink).then(
        (failure) => {
          if (failure !== "") return finish(failure);
          if (exchange.isOver) return;
          exchange.isOver = true;
          clearTimeout(limit);
          sink.end();
        },
        () => finish("unreachable"),
      );
    },
    abort: () => current?.silence(),
  };
}

/** Reports head and body. Returns "", or the error of the response. */
async function receive(request, exchange, sink) {
  const headers = new Headers(request.headers);
  headers.set("accept", "application/json");
  if (request.contentType !== "") headers.set("content-type", request.contentType);
  if (request.authorization !== "") headers.set("authorization", request.authorization);
  const body = Uint8Array.from(request.body.slice(request.bodyFrom, request.bodyTo));
  const response = await fetch(request.url, {
    method: request.method,
    headers,
    ...(request.method === "POST" && { body }),
    // A browser reports a redirect with status 0, which counts as no response.
    redirect: "manual",
    signal: exchange.abort.signal,
  });
  if (response.status === 0) return "unreachable";
  if (exchange.isOver) return "";
  const date = response.headers.get("date") ?? undefined;
  const retryAfter = response.headers.get("retry-after") ?? undefined;
  const authenticate = response.headers.get("www-authenticate") ?? "";
  sink.status(response.status, retryAfterSeconds(retryAfter, date, Date.now()), authenticate);
  let size = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const piece = await reader?.read();
    if (exchange.isOver || !piece || piece.done) return "";
    size += piece.value.length;
    if (size > SIZE_LIMIT_BYTES) return "too-large";
    sink.body(piece.value, 0, piece.value.length);
  }
}

/** The web page passes the settings: `startDevice({ endpoints, clientId, ... , show })`. */
globalThis.startDevice = (settings) => {
  const driver = new Driver({
    core,
    platform: {
      http: webHttp(),
      timers: webTimers(),
      storage: webStorage(globalThis.localStorage),
      display: { columns: 40, rows: 4, show: (cells, from) => settings.show(rowsOf(cells, from)) },
      entropy: webEntropy(),
    },
    endpoints: { ...noEndpoints, ...settings.endpoints },
    config: {
      clientId: settings.clientId,
      clientSecret: settings.clientSecret,
      clientAuthentication: core.ClientAuthentication.CLIENT_SECRET_POST,
      scope: settings.scope,
      deviceParameters: "",
      tokenParameters: "",
      autoStart: 1,
      renewalsMax: 3,
      messages: "",
    },
  });
  driver.start();
  return driver;
};
