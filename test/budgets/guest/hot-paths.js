// Runs inside the engine: the core's hot paths and what one would write instead, as batches of one
// operation each. `now` (milliseconds) and `print` are the engine's. Behind polls.js.

/** So long that the cycle around it does not count. */
function benchLongText() {
  var item =
    '"0123456789 abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ, \\u00e9\\n and so on",' +
    '[1,2.5,-3e2,true,false,null,{"a":{"b":[]}}],';
  var text = '{"error":"authorization_pending","interval":5,"more":[';
  while (text.length < 16000) text += item;
  return text + "0]}";
}
var benchText = benchLongText();
var benchBody = pollBytes(benchText);
var benchValue = "https://scope.example/auth/video.readonly 4/dev#code&%+ email profile";
var benchValueBytes = pollBytes(benchValue);
var benchPendingText =
  '{"error":"authorization_pending","error_description":"Precondition Required"}';
var benchKept = 0;

function benchIdle(count) {
  for (var i = 0; i < count; i++) benchKept += picogrant.tick(pollDevice, 0);
}

/** What a loop without a core asks itself: is it time yet? */
var benchDeadline = Date.now() + 100000000;
function benchClock(count) {
  for (var i = 0; i < count; i++) if (Date.now() >= benchDeadline) benchKept++;
}

/** Requests and their answers, with the time in between at once: no countdown is drawn. */
function benchAnswers(count, bytes) {
  for (var i = 0; i < count; ) {
    if (pollTick(5000)) {
      i++;
      pollAnswer(428, bytes);
    }
  }
}

function benchPoll(count) {
  benchAnswers(count, pollPending);
}

function benchEncode(text) {
  if (typeof URLSearchParams === "function") {
    return new URLSearchParams([["v", text]]).toString();
  }
  return "v=" + encodeURIComponent(text).split("%20").join("+");
}

/** The same by hand: a form, an answer parsed, the error looked at. */
function benchPlainPoll(count) {
  for (var i = 0; i < count; i++) {
    var form =
      "client_id=" +
      encodeURIComponent("client") +
      "&client_secret=" +
      encodeURIComponent("secret") +
      "&grant_type=" +
      encodeURIComponent("urn:ietf:params:oauth:grant-type:device_code") +
      "&device_code=" +
      encodeURIComponent("0123456789abcdef0123456789abcdef");
    var answer = JSON.parse(benchPendingText);
    if (answer.error === "authorization_pending") benchKept += form.length;
  }
}

function benchScan(count) {
  benchAnswers(count, benchBody);
}

/** From bytes, as they come from a socket. */
function benchParse(count) {
  for (var i = 0; i < count; i++) {
    var text = "";
    for (var k = 0; k < benchBody.length; k++) text += String.fromCharCode(benchBody[k]);
    benchKept += JSON.parse(text).interval;
  }
}

function benchParseText(count) {
  for (var i = 0; i < count; i++) benchKept += JSON.parse(benchText).interval;
}

function benchForm(count) {
  for (var i = 0; i < count; i++) {
    picogrant.beginCall(pollDevice);
    picogrant.addQueryValue(pollDevice, benchValueBytes, 0, benchValueBytes.length);
  }
}

function benchFormText(count) {
  for (var i = 0; i < count; i++) benchKept += benchEncode(benchValue).length;
}

function benchTime(run, count) {
  var start = now();
  run(count);
  return now() - start;
}

/** Nanoseconds for one operation of each: the middle of seven rounds, taken in turns. */
function benchPair(name, ours, otherName, other, bytes) {
  var counts = [1, 1];
  var runs = [ours, other];
  for (var k = 0; k < 2; k++) while (benchTime(runs[k], counts[k]) < 15) counts[k] *= 2;
  var times = [[], []];
  for (var round = 0; round < 7; round++) {
    for (var j = 0; j < 2; j++) times[j].push(benchTime(runs[j], counts[j]) / counts[j]);
  }
  for (var m = 0; m < 2; m++) {
    times[m].sort(function (a, b) {
      return a - b;
    });
  }
  var scale = 1000000 / bytes;
  print("bench|" + name + "|" + times[0][3] * scale + "|" + otherName + "|" + times[1][3] * scale);
}

// A code that lives through all of it.
picogrant.signIn(pollDevice);
pollTick(0);
pollAnswer(
  200,
  pollBytes(
    '{"device_code":"0123456789abcdef0123456789abcdef","user_code":"ABCD-EFGH","interval":5,' +
      '"expires_in":130000000,"verification_url":"https://www.example.com/device"}'
  )
);
pollTick(0);
benchPair("idle tick", benchIdle, "Date.now() against a deadline", benchClock, 1);
benchPair("pending poll cycle", benchPoll, "encodeURIComponent and JSON.parse", benchPlainPoll, 1);
benchPair(
  "JSON scan, per byte",
  benchScan,
  "string of bytes, JSON.parse",
  benchParse,
  benchBody.length
);
benchPair(
  "JSON scan, per byte",
  benchScan,
  "JSON.parse of a string",
  benchParseText,
  benchBody.length
);
// The host signs in: an encoding of its own is only to be had in a session.
pollWait();
pollAnswer(
  200,
  pollBytes('{"access_token":"a","refresh_token":"r","token_type":"Bearer","expires_in":36000}')
);
pollTick(0);
if (!picogrant.beginCall(pollDevice)) throw new Error("no session to encode in");
benchPair(
  "form encoding, per byte",
  benchForm,
  typeof URLSearchParams === "function" ? "URLSearchParams" : "encodeURIComponent",
  benchFormText,
  benchValue.length
);
