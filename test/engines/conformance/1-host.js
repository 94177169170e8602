// The host of the conformance script: TAP output, a storage of two slots, one request in flight, a
// clock that only moves when told. Plain ES5 and less, for engines that have nothing else: no typed
// arrays, no JSON, no regular expressions are needed. What is tested is in the other parts.

var tapCount = 0;
var tapFailed = 0;

function ok(condition, name) {
  tapCount++;
  if (!condition) tapFailed++;
  print((condition ? "ok " : "not ok ") + tapCount + " - " + name);
  return condition;
}

function is(actual, expected, name) {
  if (!ok(actual === expected, name)) {
    print("# got      " + actual);
    print("# expected " + expected);
  }
}

/** Memory as the engine has it: a typed array, or a plain array without holes. */
function newMemory(size) {
  if (typeof Uint8Array === "function" && !plainMemory) return new Uint8Array(size);
  var memory = [];
  for (var i = 0; i < size; i++) memory.push(0);
  return memory;
}

/** ASCII, or UTF-16 up to U+07FF, as UTF-8. */
function bytesOf(text) {
  var list = [];
  for (var i = 0; i < text.length; i++) {
    var c = text.charCodeAt(i);
    if (c < 128) list.push(c);
    else {
      list.push(192 | (c >> 6));
      list.push(128 | (c & 63));
    }
  }
  var bytes = newMemory(list.length);
  for (var k = 0; k < list.length; k++) bytes[k] = list[k];
  return bytes;
}

function textOf(bytes, from, to) {
  var text = "";
  for (var at = from; at < to; at++) text += String.fromCharCode(bytes[at]);
  return text;
}

/** The device, and what its host knows: storage slots survive in `slots`, `sent` is the last request. */
var world;

/**
 * Makes a device and lets it read its slots.
 * @param slots two arrays of bytes, or null for an empty slot
 * @param settings properties that replace the usual configuration
 */
function boot(slots, settings) {
  var config = {
    clientId: "tv client/1",
    clientSecret: "s&cret=",
    scope: "email https://scope.example/auth/video",
    deviceParameters: "",
    columns: 20,
    rows: 4,
    seed: 4711,
    autoStart: 0,
    renewalsMax: 3,
    clientAuthentication: ClientAuthentication.DOCUMENTS,
    server: "https://auth.example",
    tokenParameters: "",
    messages: ""
  };
  for (var name in settings) config[name] = settings[name];
  world = {
    device: null,
    slots: slots,
    writes: 0,
    writeOk: 1,
    erases: 0,
    shows: 0,
    frame: "",
    sent: null,
    open: 0,
    aborts: 0,
    requests: 0,
    chunk: 0,
    verify: 1,
    verified: 0
  };
  var memory = newMemory(settings.memoryBytes ? settings.memoryBytes : 4096);
  world.cells = config.columns * config.rows;
  world.device = picogrant.create(memory, config);
  if (world.device) pump(0);
  return world.device;
}

function emptySlots() {
  return [null, null];
}

function load(device) {
  var record = world.slots[device[Property.SLOT]];
  var length = record ? record.length : 0;
  for (var i = 0; i < length && i < device[Property.DATA_LENGTH]; i++) {
    device[Property.MEMORY][device[Property.DATA] + i] = record[i];
  }
  picogrant.storageDone(device, length);
}

function store(device) {
  var record = newMemory(device[Property.DATA_LENGTH]);
  for (var i = 0; i < record.length; i++)
    record[i] = device[Property.MEMORY][device[Property.DATA] + i];
  world.writes++;
  if (world.writeOk) world.slots[device[Property.SLOT]] = record;
  picogrant.storageDone(device, world.writeOk);
}

function erase(device) {
  world.erases++;
  world.slots[device[Property.SLOT]] = null;
  picogrant.storageDone(device, 1);
}

function show(device) {
  var at = device[Property.START][Region.FRAME];
  world.shows++;
  world.frame = textOf(device[Property.MEMORY], at, at + world.cells);
}

function send(device) {
  var memory = device[Property.MEMORY];
  var body = textOf(
    memory,
    device[Property.BODY],
    device[Property.BODY] + device[Property.BODY_LENGTH]
  );
  if (device[Property.CALL_BODY] && device[Property.ENDPOINT] >= Endpoint.RESOURCE) {
    body = textOf(
      device[Property.CALL_BODY],
      device[Property.CALL_BODY_FROM],
      device[Property.CALL_BODY_TO]
    );
  }
  world.requests++;
  world.open = 1;
  world.sent = {
    id: device[Property.REQUEST_ID],
    endpoint: device[Property.ENDPOINT],
    isGet: device[Property.IS_GET],
    bearer:
      device[Property.AUTHORIZATION] === Authorization.BEARER ? textIn(Field.ACCESS_TOKEN) : "",
    target: textOf(
      memory,
      device[Property.TARGET],
      device[Property.TARGET] + device[Property.TARGET_LENGTH]
    ),
    body: body
  };
}

/** Lets time pass once and carries out the commands that follow. */
function pump(elapsedMs) {
  var device = world.device;
  var command = picogrant.tick(device, elapsedMs);
  for (var count = 0; command !== Command.NONE; count++) {
    if (count > 100) throw new Error("the core does not come to rest");
    if (command === Command.SEND) send(device);
    else if (command === Command.ABORT) {
      world.open = 0;
      world.aborts++;
    } else if (command === Command.SHOW) show(device);
    else if (command === Command.LOAD) load(device);
    else if (command === Command.STORE) store(device);
    else if (command === Command.ERASE) erase(device);
    else if (command === Command.VERIFY) {
      world.verified++;
      picogrant.eventVerified(device, device[Property.REQUEST_ID], world.verify);
    } else throw new Error("unknown command " + command);
    command = picogrant.tick(device, 0);
  }
}

/** Sleeps as the core says until a request goes out; returns the milliseconds slept, -1 for too many. */
function sleepUntilRequest(limitMs) {
  var slept = 0;
  pump(0);
  while (!world.open) {
    var wake = picogrant.wakeIn(world.device);
    if (wake < 1) wake = 1;
    if (slept + wake > limitMs) return -1;
    slept += wake;
    pump(wake);
  }
  return slept;
}

/** Sleeps for so long, waking when the core wants to. */
function sleep(ms) {
  while (ms > 0) {
    var wake = picogrant.wakeIn(world.device);
    if (wake < 1) wake = 1;
    if (wake > ms) wake = ms;
    ms -= wake;
    pump(wake);
  }
}

/** Hands over an answer's bytes, cut into pieces of world.chunk bytes (0: whole). */
function pour(text, from, to) {
  var bytes = bytesOf(text);
  var chunk = world.chunk ? world.chunk : bytes.length;
  if (to < 0) to = bytes.length;
  for (var at = from; at < to; at += chunk) {
    picogrant.responseBody(
      world.device,
      world.sent.id,
      bytes,
      at,
      at + chunk < to ? at + chunk : to
    );
  }
}

/** Answers the request under way. */
function answer(status, body, retryAfterSeconds) {
  picogrant.responseStart(
    world.device,
    world.sent.id,
    status,
    retryAfterSeconds === undefined ? -1 : retryAfterSeconds
  );
  pour(body, 0, -1);
  endAnswer();
}

/** The answer is complete. */
function endAnswer() {
  world.open = 0;
  picogrant.responseEnd(world.device, world.sent.id);
  pump(0);
}

/** The connection of the request under way breaks. */
function breakConnection() {
  world.open = 0;
  picogrant.responseFailed(world.device, world.sent.id);
  pump(0);
}

/** The text in a region of the device's memory; "-" where absent. */
function textIn(region) {
  var device = world.device;
  var length = device[Property.LENGTH][region];
  var start = device[Property.START][region];
  return length < 0 ? "-" : textOf(device[Property.MEMORY], start, start + length);
}

/** Value of a parameter of a form, decoded; "-" where absent, "!" where it is there twice. */
function parameter(form, name) {
  var found = "-";
  for (var at = 0; at < form.length; ) {
    var end = form.indexOf("&", at);
    if (end < 0) end = form.length;
    var equals = form.indexOf("=", at);
    if (form.substring(at, equals) === name) {
      found = found === "-" ? decoded(form.substring(equals + 1, end)) : "!";
    }
    at = end + 1;
  }
  return found;
}

function decoded(text) {
  var digits = "0123456789ABCDEF";
  var result = "";
  for (var i = 0; i < text.length; i++) {
    var c = text.charAt(i);
    if (c === "+") result += " ";
    else if (c === "%") {
      var high = digits.indexOf(text.charAt(i + 1));
      result += String.fromCharCode(high * 16 + digits.indexOf(text.charAt(i + 2)));
      i += 2;
    } else result += c;
  }
  return result;
}

/** Runs one part; an exception fails it instead of the script. */
function part(name, run) {
  print("# " + name);
  try {
    run();
  } catch (error) {
    ok(false, name + ": " + error);
  }
}
