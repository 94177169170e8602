// A whole grant, expiry and renewal, slow_down, restart with a pending code, and what a user can do in
// between (the documents' sections 2 to 4, RFC 8628 §3).

var CODE =
  '{"device_code":"4/dev#code&%+","user_code":"GQVQ-JKec","verification_url":' +
  '"https://www.example.com/device","expires_in":1800,"interval":5}';
var TOKENS =
  '{"access_token":"ya29.first","expires_in":3600,"refresh_token":"1//refresh","scope":' +
  '"email https://scope.example/auth/video","token_type":"Bearer"}';
var PENDING = '{"error":"authorization_pending","error_description":"Precondition Required"}';
var SLOW_DOWN = '{"error":"slow_down","error_description":"Forbidden"}';

/** A device that has just been given a code. */
function bootPending(settings) {
  boot(emptySlots(), settings);
  picogrant.signIn(world.device);
  pump(0);
  answer(200, CODE);
}

/** A device that is signed in. */
function bootSignedIn(settings) {
  bootPending(settings);
  sleepUntilRequest(6000);
  answer(200, TOKENS);
}

part("a whole grant", function () {
  boot(emptySlots(), {});
  is(
    world.device[Property.STATE],
    State.SIGNED_OUT,
    "§3 nothing kept: the device waits for its user"
  );
  is(world.requests, 0, "§3 nothing is sent before the user asks");
  picogrant.signIn(world.device);
  pump(0);
  is(world.sent.endpoint, Endpoint.DEVICE_AUTHORIZATION, "§4.1 a code is asked for");
  is(world.sent.isGet, 0, "§4.1 by POST");
  is(parameter(world.sent.body, "client_id"), "tv client/1", "§4.1 with client_id");
  is(
    parameter(world.sent.body, "scope"),
    "email https://scope.example/auth/video",
    "§4.1 with scope, encoded"
  );
  is(parameter(world.sent.body, "client_secret"), "-", "§5 rule 1 without the secret");
  answer(200, CODE);
  is(world.device[Property.STATE], State.PENDING, "§3 a code leads to pending");
  is(world.writes, 1, "one record write for a code");
  ok(world.frame.indexOf("GQVQ-JKec") >= 0, "§2.1 the user code is shown unaltered");
  ok(
    world.frame.split(" ").join("").indexOf("www.example.com/device") >= 0,
    "§8 the address is shown"
  );
  var slept = sleepUntilRequest(60000);
  ok(slept >= 5000 && slept < 6000, "§8 the first poll waits for the interval");
  is(world.sent.endpoint, Endpoint.TOKEN, "§4.2 polls go to the token endpoint");
  is(parameter(world.sent.body, "device_code"), "4/dev#code&%+", "§4.2 device_code, encoded");
  is(parameter(world.sent.body, "client_id"), "tv client/1", "§4.2 client_id");
  is(parameter(world.sent.body, "client_secret"), "s&cret=", "§4.2 client_secret");
  is(
    parameter(world.sent.body, "grant_type"),
    "urn:ietf:params:oauth:grant-type:device_code",
    "§4.2 grant_type"
  );
  var first = world.sent.body;
  answer(428, PENDING);
  is(world.device[Property.STATE], State.PENDING, "§7 428 authorization_pending: goes on");
  slept = sleepUntilRequest(60000);
  ok(slept >= 5000 && slept < 6000, "§8 one poll per interval");
  is(world.sent.body, first, "§4.2 a poll sends the same bytes again");
  is(world.writes, 1, "no record write for a poll");
  answer(200, TOKENS);
  is(world.device[Property.STATE], State.SIGNED_IN, "§3 tokens: signed in");
  is(textIn(Field.ACCESS_TOKEN), "ya29.first", "§2.2 the access token is there");
  is(textIn(Region.REFRESH_TOKEN), "1//refresh", "§2.2 the refresh token is there");
  is(world.writes, 2, "two record writes per sign-in");
  ok(world.frame.indexOf("GQVQ") < 0, "RFC 8628 §5 the code is cleared from the display");
  is(world.requests, 3, "one code request, one poll per interval");
});

part("the code's lifetime", function () {
  boot(emptySlots(), { renewalsMax: 1 });
  picogrant.signIn(world.device);
  pump(0);
  answer(200, '{"device_code":"d","user_code":"U","verification_uri":"http://e.x","expires_in":3}');
  is(
    world.device[Property.STATE],
    State.PENDING,
    "RFC 8628 §3.2 verification_uri, no interval: accepted"
  );
  var slept = sleepUntilRequest(20000);
  is(world.sent.endpoint, Endpoint.TOKEN, "§3 only pending expires: an expired code is polled");
  ok(slept >= 5000 && slept < 6000, "the interval holds for that, too");
  answer(428, PENDING);
  slept = sleepUntilRequest(20000);
  is(world.sent.endpoint, Endpoint.DEVICE_AUTHORIZATION, "§3 expired: a new code by itself");
  ok(slept <= 6000, "at once, spread over five seconds");
  answer(200, '{"device_code":"e","user_code":"V","verification_uri":"http://e.x","expires_in":3}');
  sleepUntilRequest(20000);
  answer(400, '{"error":"expired_token"}');
  is(world.device[Property.STATE], State.FAILED, "renewals are capped");
  is(world.device[Property.ERROR], ErrorCode.RENEWALS_EXHAUSTED, "and the user is told");
  is(world.slots[0] || world.slots[1], null, "no expired code is kept");
  picogrant.signIn(world.device);
  pump(0);
  is(world.device[Property.STATE], State.REQUESTING, "the user's command starts anew");
  is(world.open, 1, "at once");
});

part("slow_down", function () {
  bootPending({});
  sleepUntilRequest(6000);
  answer(403, SLOW_DOWN);
  is(world.device[Property.STATE], State.PENDING, "§7 403 slow_down: goes on");
  var slept = sleepUntilRequest(60000);
  ok(slept >= 10000 && slept < 11000, "RFC 8628 §3.5 five seconds more");
  answer(428, PENDING);
  slept = sleepUntilRequest(60000);
  ok(slept >= 10000 && slept < 11000, "RFC 8628 §3.5 for good");
  answer(403, '{"error":"slow_down","interval":22}');
  slept = sleepUntilRequest(60000);
  ok(slept >= 22000 && slept < 23000, "a longer interval that the server names is taken");
});

part("a long sleep", function () {
  bootPending({});
  var before = world.requests;
  pump(600000);
  is(world.requests, before + 1, "§8 a long sleep gives one poll, no burst");
  answer(428, PENDING);
  is(world.requests, before + 1, "and the interval counts from its answer");
});

part("the user while a code is shown", function () {
  bootPending({});
  sleepUntilRequest(6000);
  picogrant.cancel(world.device);
  pump(0);
  is(world.aborts, 1, "cancel gives up the request under way");
  is(world.device[Property.STATE], State.SIGNED_OUT, "and the attempt");
  answer(200, TOKENS);
  is(world.device[Property.STATE], State.SIGNED_OUT, "a late answer is dropped");
  is(textIn(Field.ACCESS_TOKEN), "-", "with its tokens");
  is(world.slots[0] || world.slots[1], null, "no restart takes the attempt up");
  bootPending({});
  picogrant.signIn(world.device);
  pump(0);
  is(world.device[Property.STATE], State.REQUESTING, "sign in again: a new code is asked for");
});

part("a restart", function () {
  bootPending({});
  var slots = world.slots;
  boot(slots, {});
  is(world.device[Property.STATE], State.PENDING, "a restart goes on with the pending code");
  ok(world.frame.indexOf("GQVQ-JKec") >= 0, "which is back at once");
  ok(world.frame.indexOf(" ?") >= 0, "marked as being checked");
  var slept = sleepUntilRequest(60000);
  ok(slept >= 5000, "§8 the interval passes first: the last poll may have been just before");
  is(parameter(world.sent.body, "device_code"), "4/dev#code&%+", "and polls the same device code");
  answer(428, PENDING);
  ok(world.frame.indexOf("GQVQ-JKec") >= 0, "the code is shown again");
  ok(world.frame.indexOf(" ?") < 0, "as good, once the server has confirmed it");
  sleepUntilRequest(60000);
  answer(200, TOKENS);
  is(world.device[Property.STATE], State.SIGNED_IN, "and the grant completes");
  boot(slots, { clientId: "another" });
  is(world.device[Property.STATE], State.SIGNED_OUT, "a record of another client is not used");
  slots[0] = slots[1] = bytesOf("PG garbage that is no record at all, whatever it says");
  boot(slots, {});
  is(world.device[Property.STATE], State.SIGNED_OUT, "nor a damaged one");
});

part("a power cut within a write", function () {
  bootPending({});
  var code = world.slots;
  var older = code[0] ? 0 : 1;
  var whole = code[older];
  var kept = 0;
  var cuts = 0;
  sleepUntilRequest(6000);
  answer(200, TOKENS);
  // The code's record is erased behind the tokens': the power goes before.
  var newer = 1 - older;
  var record = code[newer];
  for (var cut = 0; cut < record.length; cut += 3) {
    var slots = [null, null];
    slots[older] = whole;
    slots[newer] = bytesOf(textOf(record, 0, cut));
    boot(slots, {});
    cuts++;
    if (world.device[Property.STATE] === State.PENDING) kept++;
  }
  is(kept, cuts, "cut at any byte, the record before is still there");
});

part("small memory", function () {
  is(boot(emptySlots(), { memoryBytes: 512 }), null, "too little memory: create says so");
  bootPending({});
  sleepUntilRequest(6000);
  var token = "";
  for (var i = 0; i < 400; i++) token += "0123456789";
  answer(200, '{"access_token":"' + token + '","token_type":"Bearer"}');
  is(
    world.device[Property.ERROR],
    ErrorCode.VALUE_TOO_LONG,
    "a token that does not fit is an error"
  );
  is(world.device[Property.ERROR_FIELD], Field.ACCESS_TOKEN, "that names the field");
  is(textIn(Field.ACCESS_TOKEN), "-", "and nothing of it is used");
});

part("a display of each size", function () {
  var sizes = [16, 2, 20, 4, 40, 2, 80, 8];
  for (var i = 0; i < sizes.length; i += 2) {
    bootPending({ columns: sizes[i], rows: sizes[i + 1], memoryBytes: 6144 });
    var name = sizes[i] + "x" + sizes[i + 1];
    is(world.frame.length, sizes[i] * sizes[i + 1], name + ": the frame fills the display");
    var at = world.frame.indexOf("GQVQ-JKec");
    ok(at >= 0, "§8 " + name + ": the code is on it");
    ok(at % sizes[i] <= sizes[i] - 9, "§8 " + name + ": on one line");
    picogrant.setStatus(world.device, bytesOf("a line of the application's"), 0, 27);
    pump(3000);
    pump(3000);
  }
});

/** Both poll in one interval, each cut in two by the other; the first is allowed, the second refused. */
function answersInTurn(first, second) {
  var DENIED = '{"error":"access_denied"}';
  world = first;
  ok(sleepUntilRequest(6000) >= 5000, "the first polls after its interval");
  world = second;
  ok(sleepUntilRequest(6000) >= 5000, "the second after its own");
  is(parameter(first.sent.body, "client_id"), "tv client/1", "the first polls as its client");
  is(parameter(second.sent.body, "client_id"), "radio", "the second as its own");
  world = first;
  picogrant.responseStart(first.device, first.sent.id, 200, -1);
  pour(TOKENS, 0, 40);
  world = second;
  picogrant.responseStart(second.device, second.sent.id, 403, -1);
  pour(DENIED, 0, 12);
  world = first;
  pour(TOKENS, 40, -1);
  endAnswer();
  world = second;
  pour(DENIED, 12, -1);
  endAnswer();
}

part("two devices on one engine", function () {
  bootPending({});
  var first = world;
  bootPending({
    clientId: "radio",
    scope: "email",
    deviceParameters: "&device=radio",
    columns: 40
  });
  var second = world;
  answersInTurn(first, second);
  is(first.device[Property.STATE], State.SIGNED_IN, "one device signs in");
  is(second.device[Property.STATE], State.FAILED, "the other is refused, each by its own answer");
  is(second.device[Property.ERROR], ErrorCode.ACCESS_DENIED, "and knows why");
  is(first.device[Property.ERROR], ErrorCode.NONE, "which the first knows nothing of");
  world = second;
  is(textIn(Field.ACCESS_TOKEN), "-", "the other has no token");
  picogrant.signIn(second.device);
  pump(0);
  is(parameter(second.sent.body, "device"), "radio", "it asks again with its own parameters");
  world = first;
  is(textIn(Field.ACCESS_TOKEN), "ya29.first", "the first keeps its token");
  is(first.slots === second.slots, false, "and its slots");
  is(first.writes, 2, "each writes its own records: a code and tokens");
  is(second.writes, 1, "a code");
});
