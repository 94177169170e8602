// Runs inside the engine: pending polls, driven by a loop that allocates nothing itself, so that any
// allocation counted is the core's. `counter` is the engine's (targets/workbench/budgets/engine.ts).

/** How the devices that are measured are set. A code runs out after half an hour, and as many polls are made as are asked for. */
var guestConfig = {
  clientId: "client",
  clientSecret: "secret",
  scope: "email",
  deviceParameters: "",
  columns: 20,
  rows: 4,
  seed: 1,
  autoStart: 1,
  renewalsMax: 1000,
  clientAuthentication: 3,
  server: "https://auth.example",
  tokenParameters: "",
  messages: ""
};

function pollBytes(text) {
  var bytes = pollMemory(text.length);
  for (var i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** MuJS has no typed arrays. */
function pollMemory(size) {
  if (typeof Uint8Array === "function") return new Uint8Array(size);
  var bytes = [];
  while (bytes.length < size) bytes.push(0);
  return bytes;
}

var pollDevice = picogrant.create(pollMemory(4096), guestConfig);
var pollCode = pollBytes(
  '{"device_code":"0123456789abcdef0123456789abcdef","user_code":"ABCD-EFGH","expires_in":1800,' +
    '"verification_url":"https://www.example.com/device","interval":5}'
);
var pollPending = pollBytes(
  '{"error":"authorization_pending","error_description":"Precondition Required"}'
);
var pollRequests = 0;
var pollEarliestMs = 134217727;
var pollFrames = 0;

/** Lets time pass and carries out commands; 1 where a request went out. */
function pollTick(elapsedMs) {
  var sent = 0;
  for (;;) {
    var command = picogrant.tick(pollDevice, elapsedMs);
    elapsedMs = 0;
    if (command === Command.NONE) return sent;
    if (command === Command.SEND) sent = 1;
    else if (command === Command.SHOW) pollFrames++;
    else if (command === Command.LOAD) picogrant.storageDone(pollDevice, 0);
    else picogrant.storageDone(pollDevice, 1);
  }
}

/** Sleeps until the next request goes out; milliseconds slept. */
function pollWait() {
  var slept = 0;
  while (!pollTick(0)) {
    var wake = picogrant.wakeIn(pollDevice);
    slept += wake;
    if (pollTick(wake)) return slept;
  }
  return slept;
}

function pollAnswer(status, bytes) {
  var id = pollDevice[Property.REQUEST_ID];
  picogrant.responseStart(pollDevice, id, status, -1);
  picogrant.responseBody(pollDevice, id, bytes, 0, 7);
  picogrant.responseBody(pollDevice, id, bytes, 7, bytes.length);
  picogrant.responseEnd(pollDevice, id);
}

/**
 * So many cycles: request made, answer scanned, next deadline set. With `leak` each makes an object.
 * Codes live half an hour as usual, with their countdown on the display, and are then asked for anew.
 */
function pollCycles(count, leak) {
  for (var i = 0; i < count; ) {
    var slept = pollWait();
    if (pollDevice[Property.ENDPOINT] === Endpoint.DEVICE_AUTHORIZATION) {
      pollAnswer(200, pollCode);
      continue;
    }
    i++;
    pollRequests++;
    if (slept < pollEarliestMs) pollEarliestMs = slept;
    pollAnswer(428, pollPending);
    if (leak) pollLeak = {};
  }
}
var pollLeak = null;

/** Gross allocations of so many cycles. */
function pollCount(cycles, leak) {
  var before = counter[0];
  pollCycles(cycles, leak);
  return counter[0] - before;
}

pollWait();
pollAnswer(200, pollCode);
pollTick(0);
