// Every error of the documents' section 7, those of other servers, and answers that are none; each fed
// whole and cut at every byte.

var HTML = "<!DOCTYPE html><html><body>Bad gateway</body></html>";

/** Rows of: name, status, body, state afterwards, error. */
function errorRows() {
  return [
    ["§7 428 authorization_pending", 428, PENDING, State.PENDING, ErrorCode.AUTHORIZATION_PENDING],
    ["§7 403 slow_down", 403, SLOW_DOWN, State.PENDING, ErrorCode.SLOW_DOWN],
    [
      "§7 403 access_denied",
      403,
      '{"error":"access_denied","error_description":"Forbidden"}',
      State.FAILED,
      ErrorCode.ACCESS_DENIED
    ],
    [
      "§7 400 admin_policy_enforced",
      400,
      '{"error":"admin_policy_enforced"}',
      State.FAILED,
      ErrorCode.ADMIN_POLICY_ENFORCED
    ],
    [
      "§7 401 invalid_client",
      401,
      '{"error":"invalid_client"}',
      State.FAILED,
      ErrorCode.INVALID_CLIENT
    ],
    ["§7 400 invalid_grant", 400, '{"error":"invalid_grant"}', State.REQUESTING, ErrorCode.NONE],
    [
      "§7 400 unsupported_grant_type",
      400,
      '{"error":"unsupported_grant_type"}',
      State.FAILED,
      ErrorCode.UNSUPPORTED_GRANT_TYPE
    ],
    ["§7 403 org_internal", 403, '{"error":"org_internal"}', State.FAILED, ErrorCode.ORG_INTERNAL],
    [
      "RFC 8628 §3.5 expired_token",
      400,
      '{"error":"expired_token"}',
      State.REQUESTING,
      ErrorCode.NONE
    ],
    [
      "a pending of another server, 400",
      400,
      PENDING,
      State.PENDING,
      ErrorCode.AUTHORIZATION_PENDING
    ],
    ["an error within 200", 200, PENDING, State.PENDING, ErrorCode.AUTHORIZATION_PENDING],
    [
      "an unknown code within 4xx",
      400,
      '{"error":"no_such_thing"}',
      State.FAILED,
      ErrorCode.UNKNOWN_ERROR
    ],
    ["502 with HTML", 502, HTML, State.PENDING, ErrorCode.UNAVAILABLE],
    ["503, empty", 503, "", State.PENDING, ErrorCode.UNAVAILABLE],
    ["302 of a captive portal", 302, HTML, State.PENDING, ErrorCode.UNAVAILABLE],
    ["200 with HTML", 200, HTML, State.PENDING, ErrorCode.MALFORMED_RESPONSE],
    ["200, empty", 200, "", State.PENDING, ErrorCode.MALFORMED_RESPONSE],
    ["200 without the fields", 200, "{}", State.PENDING, ErrorCode.MALFORMED_RESPONSE],
    ["200 cut off", 200, '{"access_token":"x', State.PENDING, ErrorCode.MALFORMED_RESPONSE],
    ["429", 429, HTML, State.PENDING, ErrorCode.RATE_LIMIT_EXCEEDED]
  ];
}

part("errors of a poll", function () {
  var rows = errorRows();
  for (var i = 0; i < rows.length; i++) {
    bootPending({});
    sleepUntilRequest(6000);
    answer(rows[i][1], rows[i][2]);
    is(world.device[Property.STATE], rows[i][3], rows[i][0] + ": the state");
    is(world.device[Property.ERROR], rows[i][4], rows[i][0] + ": the error");
    is(textIn(Field.ACCESS_TOKEN), "-", rows[i][0] + ": no token");
    if (rows[i][3] === State.PENDING) {
      ok(sleepUntilRequest(200000) >= 5000, rows[i][0] + ": never earlier than the interval");
      answer(200, TOKENS);
      is(world.device[Property.STATE], State.SIGNED_IN, rows[i][0] + ": passes");
    } else if (rows[i][3] === State.FAILED) {
      sleep(1000000);
      is(world.requests, 2, rows[i][0] + ": nothing more is sent");
      var kind = picogrant.errorKind(world.device, rows[i][4]);
      ok(
        kind === ErrorKind.USER || kind === ErrorKind.ADMINISTRATOR || kind === ErrorKind.MAKER,
        rows[i][0] + ": somebody can put it right"
      );
      picogrant.cancel(world.device);
      pump(0);
      is(world.device[Property.STATE], State.SIGNED_OUT, rows[i][0] + ": the user goes on");
    }
  }
});

/** Gives the device a new code, whatever it was doing: making another device would take ten times as long. */
function pendingAgain() {
  picogrant.cancel(world.device);
  picogrant.signIn(world.device);
  sleepUntilRequest(200000);
  answer(200, CODE);
  return (
    world.device[Property.STATE] === State.PENDING &&
    world.device[Property.ERROR] === ErrorCode.NONE
  );
}

part("errors of a poll, cut at every byte", function () {
  var rows = errorRows();
  boot(emptySlots(), {});
  for (var i = 0; i < rows.length; i++) {
    var same = 0;
    var cuts = 0;
    for (var chunk = 1; chunk <= rows[i][2].length; chunk++) {
      var isNew = pendingAgain();
      sleepUntilRequest(6000);
      world.chunk = chunk;
      answer(rows[i][1], rows[i][2]);
      world.chunk = 0;
      cuts++;
      if (
        isNew &&
        world.device[Property.STATE] === rows[i][3] &&
        world.device[Property.ERROR] === rows[i][4]
      )
        same++;
      // Small pieces try every place within a token; larger ones only move the one cut there is.
      if (chunk === 8) chunk += (rows[i][2].length >> 2) + 1;
    }
    ok(cuts > 0 || rows[i][2] === "", rows[i][0] + ": was cut");
    is(same, cuts, rows[i][0] + ": the outcome does not depend on the cuts");
  }
});

part("errors of a code request", function () {
  boot(emptySlots(), {});
  picogrant.signIn(world.device);
  pump(0);
  answer(403, '{"error_code":"rate_limit_exceeded"}');
  is(
    world.device[Property.ERROR],
    ErrorCode.RATE_LIMIT_EXCEEDED,
    "§7 403 rate_limit_exceeded is understood"
  );
  is(world.device[Property.STATE], State.REQUESTING, "§7 and passes");
  ok(sleepUntilRequest(200000) >= 1000, "§7 The caller backs off");
  breakConnection();
  is(world.device[Property.ERROR], ErrorCode.UNREACHABLE, "no connection passes, too");
  sleepUntilRequest(200000);
  answer(503, "", 30);
  ok(sleepUntilRequest(200000) >= 30000, "Retry-After is honoured");
  answer(200, '{"device_code":"d","user_code":"U"}');
  is(
    world.device[Property.ERROR],
    ErrorCode.MALFORMED_RESPONSE,
    "§2.1 a code response without its fields"
  );
  sleepUntilRequest(200000);
  answer(401, '{"error":"invalid_client"}');
  is(world.device[Property.STATE], State.FAILED, "§7 invalid_client is final");
});

part("codes that the server does not know as soon as they are polled", function () {
  boot(emptySlots(), {});
  picogrant.signIn(world.device);
  for (var count = 1; count <= 3; count++) {
    sleepUntilRequest(20000);
    answer(200, CODE);
    sleepUntilRequest(20000);
    answer(400, '{"error":"invalid_grant"}');
  }
  is(world.device[Property.STATE], State.FAILED, "the third in a row is final");
  is(world.device[Property.ERROR], ErrorCode.USELESS_ANSWERS, "and the maker's");
});

part("JSON that lacks what was asked for", function () {
  bootPending({});
  for (var count = 1; count < 10; count++) {
    sleepUntilRequest(200000);
    answer(200, '{"id_token":"e30.e30.e30"}');
    is(world.device[Property.ERROR_FIELD], Field.ACCESS_TOKEN, "the member is named");
    is(world.device[Property.STATE], State.PENDING, "it is tried again");
  }
  sleepUntilRequest(200000);
  answer(200, '{"id_token":"e30.e30.e30"}');
  is(world.device[Property.ERROR], ErrorCode.USELESS_ANSWERS, "ten times, and no more");
  is(world.device[Property.ERROR_FIELD], Field.ACCESS_TOKEN, "for want of the same member");
});

part("a byte order mark in front of an answer", function () {
  bootPending({});
  sleepUntilRequest(6000);
  picogrant.responseStart(world.device, world.sent.id, 200, -1);
  var mark = newMemory(3);
  mark[0] = 239;
  mark[1] = 187;
  mark[2] = 191;
  picogrant.responseBody(world.device, world.sent.id, mark, 0, 3);
  pour(TOKENS, 0, -1);
  endAnswer();
  is(world.device[Property.STATE], State.SIGNED_IN, "RFC 8259 §8.1 it is passed over");
});

part("a code response, cut at every byte", function () {
  boot(emptySlots(), {});
  var same = 0;
  var cuts = 0;
  for (var cut = 1; cut < CODE.length; cut++) {
    picogrant.signIn(world.device);
    pump(0);
    world.open = 0;
    picogrant.responseStart(world.device, world.sent.id, 200, -1);
    pour(CODE, 0, cut);
    pour(CODE, cut, -1);
    picogrant.responseEnd(world.device, world.sent.id);
    pump(0);
    cuts++;
    if (
      world.device[Property.STATE] === State.PENDING &&
      textIn(Field.DEVICE_CODE) === "4/dev#code&%+"
    ) {
      same++;
    }
  }
  is(same, cuts, "RFC 8259: the outcome does not depend on the cut");
});

part("a token response, cut and cut off at every byte", function () {
  boot(emptySlots(), {});
  var same = 0;
  var safe = 0;
  var cuts = 0;
  for (var cut = 1; cut < TOKENS.length; cut++) {
    pendingAgain();
    sleepUntilRequest(20000);
    picogrant.responseStart(world.device, world.sent.id, 200, -1);
    pour(TOKENS, 0, cut);
    world.open = 0;
    picogrant.responseFailed(world.device, world.sent.id);
    pump(0);
    if (world.device[Property.STATE] === State.PENDING && textIn(Field.ACCESS_TOKEN) === "-")
      safe++;
    sleepUntilRequest(200000);
    world.open = 0;
    picogrant.responseStart(world.device, world.sent.id, 200, -1);
    pour(TOKENS, 0, cut);
    pour(TOKENS, cut, -1);
    picogrant.responseEnd(world.device, world.sent.id);
    pump(0);
    cuts++;
    if (textIn(Field.ACCESS_TOKEN) === "ya29.first") same++;
    picogrant.signOut(world.device);
    pump(0);
    answer(200, "");
  }
  is(safe, cuts, "cut off: nothing of it is used, the code stays valid");
  is(same, cuts, "cut in two: the outcome does not depend on the cut");
});

part("JSON in all its forms", function () {
  bootPending({});
  sleepUntilRequest(6000);
  world.chunk = 1;
  answer(
    200,
    ' {"x":[1,{"access_token":"no"},-0.5e+3,true,false,null,"\\u00e9\\ud83d\\ude00\\n"],' +
      '"access_token":"old","token_type":"BEARER","scope":["a","b"],' +
      '"expires_in":"7200","acc\\u0065ss_token":"n\\u0065w\\/1"}\r\n'
  );
  is(textIn(Field.ACCESS_TOKEN), "new/1", "RFC 8259 §7 escapes, of names too; the last one counts");
  is(textIn(Field.SCOPE), "a b", "a scope as a list");
  // Without a refresh token nothing happens before the access token's end.
  var endsIn = picogrant.wakeIn(world.device);
  ok(endsIn > 7190000 && endsIn <= 7200000, "a number as a string of digits");
});
