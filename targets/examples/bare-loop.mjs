// A device on a console with only the core. The file contains the loop of every host. It uses `fetch`, two files and
// `console.log`. Firmware uses its own network, flash and display instead.

import fs from "node:fs";
import * as core from "picogrant/core";
import { clientId, clientSecret, endpoints, scope, server, state } from "./settings.mjs";

const { Authorization, Command, Endpoint, Field, Region, State } = core;

// 1. The device: its memory and its settings.
const memory = new Uint8Array(4096);
const config = {
  clientId,
  clientSecret,
  clientAuthentication: core.ClientAuthentication.CLIENT_SECRET_POST,
  server,
  scope,
  deviceParameters: "",
  tokenParameters: "",
  columns: 20,
  rows: 4,
  seed: Math.floor(Math.random() * 67108864),
  autoStart: 1,
  renewalsMax: 3,
  messages: "",
};
const device = core.create(memory, config);
if (device === null) {
  const wrong = core.ConfigMember[core.configError(config)];
  throw new Error(wrong === "NONE" ? "give the device more memory" : `config: ${wrong} is wrong`);
}

// 2. The loop: first let time pass, then carry out commands until there are none, then sleep.
let last = performance.now();
let alarm;

function run() {
  const now = performance.now();
  const elapsed = Math.floor(now - last);
  last += elapsed;
  let command = core.tick(device, elapsed);
  while (command !== Command.NONE) {
    carryOut(command);
    command = core.tick(device, 0);
  }
  clearTimeout(alarm);
  alarm = setTimeout(run, core.wakeIn(device));
}

/** Reports an event: first the elapsed time, then the event, then the commands that follow. */
function happened(event) {
  run();
  event();
  run();
}

// 3. The commands. Commands that are done at once report their result at once.
function carryOut(command) {
  switch (command) {
    case Command.SEND:
      void send();
      break;
    case Command.ABORT:
      exchange?.abort();
      break;
    case Command.SHOW:
      show();
      break;
    case Command.LOAD:
      core.storageDone(device, load());
      break;
    case Command.STORE:
      core.storageDone(device, store(memory.slice(device.data, device.data + device.dataLength)));
      break;
    case Command.ERASE:
      core.storageDone(device, store(new Uint8Array(0)));
      break;
  }
}

// 4. The network.
const addresses = {
  [Endpoint.DEVICE_AUTHORIZATION]: endpoints.deviceAuthorization,
  [Endpoint.TOKEN]: endpoints.token,
  [Endpoint.REVOCATION]: endpoints.revocation,
};
let exchange;

async function send() {
  const id = device.requestId;
  const own = new AbortController();
  exchange = own;
  // The request's bytes do not change until the exchange ends. The body is a copy, so that `fetch` reads no later bytes.
  const url = addresses[device.endpoint] + textAt(device.target, device.targetLength);
  const headers = {
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
  };
  if (device.authorization === Authorization.BEARER) {
    headers.authorization = `Bearer ${textOf(Field.ACCESS_TOKEN)}`;
  } else if (device.authorization === Authorization.BASIC) {
    headers.authorization = `Basic ${textOf(Region.CLIENT_CREDENTIALS)}`;
  }
  /** @type {RequestInit} */
  const request = {
    method: device.isGet ? "GET" : "POST",
    headers,
    redirect: "manual",
    signal: AbortSignal.any([own.signal, AbortSignal.timeout(30_000)]),
    ...(!device.isGet && { body: memory.slice(device.body, device.body + device.bodyLength) }),
  };
  try {
    // Do not report a result before carryOut has returned.
    await null;
    const response = await fetch(url, request);
    const body = new Uint8Array(await response.arrayBuffer());
    if (own.signal.aborted) return;
    const retryAfter = /^\d{1,8}$/.exec(response.headers.get("retry-after") ?? "");
    happened(() => {
      core.responseStart(device, id, response.status, retryAfter ? Number(retryAfter[0]) : -1);
      core.responseBody(device, id, body, 0, body.length);
      core.responseEnd(device, id);
    });
  } catch {
    if (!own.signal.aborted) happened(() => core.responseFailed(device, id));
  }
}

// 5. Records: two files, each replaced as a whole.
function load() {
  const file = `${state}/slot-${device.slot}`;
  if (!fs.existsSync(file)) return 0;
  const record = fs.readFileSync(file);
  if (record.length > device.dataLength) return -1;
  memory.set(record, device.data);
  return record.length;
}

function store(record) {
  const file = `${state}/slot-${device.slot}`;
  try {
    fs.mkdirSync(state, { recursive: true, mode: 0o700 });
    fs.writeFileSync(`${file}.new`, record, { mode: 0o600, flush: true });
    fs.renameSync(`${file}.new`, file);
    return 1;
  } catch {
    return 0;
  }
}

// 6. The display.
function show() {
  const from = device.start[Region.FRAME];
  for (let row = 0; row < device.rows; row++) {
    console.log(`|${textAt(from + row * device.columns, device.columns)}|`);
  }
  console.log("");
}

function textAt(from, length) {
  return Buffer.from(memory.subarray(from, from + length)).toString("latin1");
}

function textOf(region) {
  return textAt(device.start[region], Math.max(0, device.length[region]));
}

// 7. The user: a line with `s` signs in, `c` cancels, `o` signs out.
process.stdin.on("data", (keys) => {
  const events = { s: core.signIn, c: core.cancel, o: core.signOut };
  for (const key of String(keys)) {
    const event = events[key];
    if (event) happened(() => event(device));
  }
  if (device.state === State.SIGNED_OUT) console.log("s: sign in");
});

run();
