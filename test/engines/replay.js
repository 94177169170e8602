// The part of the conformance script that repeats the recorded calls (test/engines/recorded.ts) and compares the
// results. Some engines support only a part of ES5, so it needs no typed arrays, no JSON and no regular expressions. It
// prints TAP.

/** These properties are compared after each call: numbers, and lists of numbers. */
var NUMBERS = [
  "STATE",
  "ERROR",
  "WAIT_MS",
  "IN_FLIGHT",
  "EVENT",
  "MOVES",
  "ERROR_FIELD",
  "ERROR_LENGTH",
  "MEMORY_NEEDED",
  "REQUEST_ID",
  "ENDPOINT",
  "TARGET",
  "TARGET_LENGTH",
  "BODY",
  "BODY_LENGTH",
  "IS_GET",
  "AUTHORIZATION",
  "SLOT",
  "DATA",
  "DATA_LENGTH",
  "NOT_SAVED",
  "NOT_ERASED",
  "CODE_LIFETIME_S",
  "ACCESS_LIFETIME_S",
  "REFRESH_LIFETIME_S",
  "INTERVAL_MS",
  "CODE_CONFIRMED",
  "CALL_STATE",
  "CALL_ERROR",
  "CALL_ERROR_FIELD",
  "CALL_STATUS",
  "CALL_BODY_FROM",
  "CALL_BODY_TO",
  "HAS_NEXT_PAGE"
];
var LISTS = ["START", "LENGTH", "CAPACITY"];
var numberPlaces = [];
for (var i = 0; i < NUMBERS.length; i++) numberPlaces.push(Property[NUMBERS[i]]);

var tapCount = 0;
var tapFailed = 0;
/** The devices by number, and their expected property values. */
var devices = [];
var rights = [];
/** The first difference of the current case. After such a case, steps have no effect until `over`. */
var complaint = "";
var isLost = 0;
var line = "";
var at = 0;

/** Creates the memory: a typed array, or (without typed arrays or with `plainMemory`) an array without holes. */
function newMemory(size) {
  if (typeof Uint8Array === "function" && !plainMemory) return new Uint8Array(size);
  var memory = [];
  for (var i = 0; i < size; i++) memory.push(0);
  return memory;
}

function look(device) {
  var seen = [];
  var places = numberPlaces;
  var length = places.length;
  for (var i = 0; i < length; i++) seen.push(device[places[i]]);
  for (var k = 0; k < LISTS.length; k++) {
    var list = device[Property[LISTS[k]]];
    for (var n = 0; n < Region.COUNT; n++) seen.push(list[n]);
  }
  return seen;
}

function nameOf(index) {
  return index < NUMBERS.length
    ? NUMBERS[index]
    : "number " + (index - NUMBERS.length) + " of the lists";
}

function sumOf(sum, bytes, from, to) {
  for (var i = from; i < to; i++) sum = (sum * 31 + bytes[i] + 1) % 4194301;
  return sum;
}

function handedOver(device, command) {
  var memory = device[Property.MEMORY];
  var from = device[Property.DATA];
  if (command === Command.STORE || command === Command.VERIFY)
    return sumOf(0, memory, from, from + device[Property.DATA_LENGTH]);
  if (command === Command.SHOW) {
    from = device[Property.START][Region.FRAME];
    return sumOf(0, memory, from, from + device[Property.CAPACITY][Region.FRAME]);
  }
  if (command !== Command.SEND) return 0;
  from = device[Property.TARGET];
  var sum = sumOf(0, memory, from, from + device[Property.TARGET_LENGTH]);
  from = device[Property.BODY];
  sum = sumOf(sum, memory, from, from + device[Property.BODY_LENGTH]);
  var lent = device[Property.CALL_BODY];
  if (!lent) return sum;
  return sumOf(sum, lent, device[Property.CALL_BODY_FROM], device[Property.CALL_BODY_TO]);
}

function expect(what, seen, right) {
  if (seen === right || complaint !== "") return;
  complaint = what;
  print("# " + what + ": got " + seen + ", expected " + right + " at " + line);
}

function compare(number) {
  var seen = look(devices[number]);
  var right = rights[number];
  var length = seen.length;
  for (var i = 0; i < length; i++) {
    if (seen[i] !== right[i]) expect(nameOf(i), seen[i], right[i]);
  }
}

/** Reads the next word of the line; "" at its end. */
function word() {
  var end = line.indexOf(" ", at);
  if (end < 0) end = line.length;
  var found = line.substring(at, end);
  at = end + 1;
  return found;
}

function bytesOf(hex) {
  var digits = "0123456789abcdef";
  var bytes = newMemory(hex.length >> 1);
  for (var i = 0; i < bytes.length; i++) {
    bytes[i] = digits.indexOf(hex.charAt(2 * i)) * 16 + digits.indexOf(hex.charAt(2 * i + 1));
  }
  return bytes;
}

/** On MuJS, Number() of a text with a sign is NaN. */
function numberOf(text) {
  if (text === "NaN") return NaN;
  return text.charAt(0) === "-" ? -Number(text.substring(1)) : Number(text);
}

/** Parses an argument: a number, `x` and hexadecimal bytes, or `-` for none. */
function argumentOf(text) {
  if (text === "-") return null;
  return text.charAt(0) === "x" ? bytesOf(text.substring(1)) : numberOf(text);
}

function make(number, memoryBytes, config, seen) {
  line = "create";
  devices[number] = picogrant.create(newMemory(memoryBytes), config);
  rights[number] = seen;
  compare(number);
}

/**
 * Repeats one line and compares the results. A line has the device's number; "set" for a write by the host, or the
 * function; the arguments; "=" and the return value; each changed number of the device; "#" and the checksum of the
 * bytes that the host gets.
 */
function step(text) {
  if (isLost) return;
  line = text;
  at = 0;
  var number = Number(word());
  var device = devices[number];
  var name = word();
  var given = [];
  var next = word();
  while (next !== "" && next !== "=") {
    given.push(argumentOf(next));
    next = word();
  }
  if (name === "set") {
    for (var i = 0; i < given[1].length; i++) device[Property.MEMORY][given[0] + i] = given[1][i];
    return;
  }
  var response = picogrant[name](
    device,
    given[0],
    given[1],
    given[2],
    given[3],
    given[4],
    given[5]
  );
  var right = word();
  if (right !== "-") expect(name, response, numberOf(right));
  for (next = word(); next !== ""; next = word()) {
    var colon = next.indexOf(":");
    if (colon > 0)
      rights[number][Number(next.substring(0, colon))] = numberOf(next.substring(colon + 1));
    else expect("bytes", handedOver(device, response), Number(next.substring(1)));
  }
  compare(number);
}

/** Reports a case, unless an earlier case of these devices has failed. */
function done(name) {
  if (isLost) return;
  tapCount++;
  if (complaint === "") {
    print("ok " + tapCount + " - " + name);
    return;
  }
  print("not ok " + tapCount + " - " + name + ": " + complaint);
  tapFailed++;
  isLost = 1;
}

function over() {
  isLost = 0;
  complaint = "";
}

function conclude() {
  print("1.." + tapCount);
  print(tapFailed ? "# " + tapFailed + " FAILED" : "# all passed");
}
