// What the complete build adds: an API call, discovery, an offer, security events (the documents' 4.5
// and 6, the second document). Left out where the build has none of it.

var OFFER_NAMES = "com.example.tv\npremium.plan\nmonthly\nintro-1\n2022/02";
var OFFER =
  '{"packageName":"com.example.tv","productId":"premium.plan","basePlanId":"monthly",' +
  '"offerId":"intro-1","phases":[{"duration":"P1M","recurrenceCount":1}]}';
var METADATA =
  '{"issuer":"https://as.example","device_authorization_endpoint":"https://as.example/device",' +
  '"token_endpoint":"https://as.example/token","revocation_endpoint":"https://as.example/revoke"}';

/** Calls GET /video/v3/liveBroadcasts?part=id%2Csnippet&mine=true. */
function callBroadcasts() {
  var device = world.device;
  var path = bytesOf("/video/v3/");
  var query = bytesOf("?mine=true&part=");
  if (!picogrant.beginCall(device)) return 0;
  picogrant.addPath(device, path, 0, path.length);
  picogrant.addSegment(device, bytesOf("live/B"), 0, 6);
  picogrant.addPath(device, query, 0, query.length);
  picogrant.addQueryValue(device, bytesOf("id,snippet"), 0, 10);
  var sent = picogrant.sendCall(device, Endpoint.RESOURCE, 1, null, 0, 0);
  pump(0);
  return sent;
}

function callDone(error, name) {
  is(world.device[Property.CALL_STATE], CallState.DONE, name + ": done");
  is(world.device[Property.CALL_ERROR], error, name + ": its error");
}

function apiCalls() {
  boot(emptySlots(), {});
  is(callBroadcasts(), 0, "§4.5 nobody signed in: no call");
  bootSignedIn({});
  is(callBroadcasts(), 1, "§4.5 a call goes out");
  is(world.sent.isGet, 1, "§4.5 by GET");
  is(world.sent.target, "/video/v3/live%2FB?mine=true&part=id%2Csnippet", "§4.5 path and query");
  is(world.sent.bearer, "ya29.first", "§4.5 with the bearer token");
  answer(401, '{"error":{"code":401,"status":"UNAUTHENTICATED"}}');
  is(world.device[Property.STATE], State.REFRESHING, "RFC 6750 §3.1 401: the token is refreshed");
  sleepUntilRequest(20000);
  is(parameter(world.sent.body, "grant_type"), "refresh_token", "at once");
  answer(200, REFRESHED);
  sleepUntilRequest(20000);
  is(world.sent.bearer, "ya29.second", "and the call sent again");
  world.chunk = 1;
  answer(200, '{"kind":"list","nextPageToken":"CAUQAA=","error":"a field of ours","items":[]}');
  callDone(ErrorCode.NONE, "§4.5 the answer");
  is(world.device[Property.CALL_STATUS], 200, "§4.5 its status");
  is(picogrant.nextPage(world.device), 1, "there is a further page");
  sleepUntilRequest(20000);
  ok(world.sent.target.indexOf("&pageToken=CAUQAA%3D") > 0, "it is asked for");
  answer(403, '{"error":{"code":403,"message":"no","status":"PERMISSION_DENIED","errors":[]}}');
  is(world.device[Property.CALL_STATUS], 403, "an API error is the caller's");
  is(textIn(Field.VALUE_A), "PERMISSION_DENIED", "with its status");
  is(textIn(Field.VALUE_C), "no", "and its message");
  is(world.device[Property.STATE], State.SIGNED_IN, "and the session's no matter");
  callBroadcasts();
  answer(401, "");
  sleepUntilRequest(20000);
  answer(200, REFRESHED);
  sleepUntilRequest(20000);
  answer(401, "");
  callDone(ErrorCode.INVALID_TOKEN, "401 twice: no third try");
}

function discovery() {
  var issuer = bytesOf("https://as.example");
  boot(emptySlots(), {});
  is(picogrant.discover(world.device, issuer, 0, issuer.length), 1, "§4.1 discovery goes out");
  sleepUntilRequest(20000);
  is(world.sent.endpoint, Endpoint.METADATA, "to the metadata");
  world.chunk = 1;
  answer(200, METADATA);
  callDone(ErrorCode.NONE, "RFC 8414 §3 discovery");
  is(textIn(Field.VALUE_B), "https://as.example/device", "device_authorization_endpoint");
  is(textIn(Field.VALUE_C), "https://as.example/token", "token_endpoint");
  is(textIn(Field.VALUE_D), "https://as.example/revoke", "revocation_endpoint");
  var other = bytesOf("https://other.example");
  picogrant.discover(world.device, other, 0, other.length);
  sleepUntilRequest(20000);
  answer(200, METADATA);
  callDone(ErrorCode.MALFORMED_RESPONSE, "RFC 8414 §3.3 another issuer is refused");
}

function offers() {
  var device;
  var body = bytesOf(OFFER);
  bootSignedIn({});
  device = world.device;
  var names = bytesOf(OFFER_NAMES);
  is(
    picogrant.createOffer(device, names, 0, names.length, body, 0, body.length),
    OfferError.NONE,
    "offer: it goes out"
  );
  sleepUntilRequest(20000);
  is(world.sent.endpoint, Endpoint.RESOURCE + 1, "offer: to the publishing API");
  is(
    world.sent.target,
    "/publisher/v3/applications/com.example.tv/subscriptions/premium.plan/basePlans/monthly" +
      "/offers?offerId=intro-1&regionsVersion.version=2022%2F02",
    "offer: the target"
  );
  is(world.sent.body, OFFER, "offer: the body, as it is");
  answer(200, OFFER.substring(0, OFFER.length - 1) + ',"state":"DRAFT"}');
  callDone(ErrorCode.NONE, "offer: a draft");
  picogrant.createOffer(device, names, 0, names.length, body, 0, body.length);
  sleepUntilRequest(20000);
  answer(200, '{"state":"ACTIVE"}');
  callDone(ErrorCode.UNEXPECTED_STATE, "offer: another state");
  var wrong = bytesOf("com.example.tv\npremium.plan\nmonthly\n-intro\n2022/02");
  is(
    picogrant.createOffer(device, wrong, 0, wrong.length, body, 0, body.length),
    OfferError.OFFER_ID,
    "offer: an identifier that breaks its format"
  );
}

function base64url(text) {
  var letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  var result = "";
  for (var at = 0; at < text.length; at += 3) {
    var bits = text.charCodeAt(at) << 16;
    if (at + 1 < text.length) bits |= text.charCodeAt(at + 1) << 8;
    if (at + 2 < text.length) bits |= text.charCodeAt(at + 2);
    var count = text.length - at < 3 ? text.length - at : 3;
    for (var i = 0; i <= count; i++) result += letters.charAt((bits >> (18 - 6 * i)) & 63);
  }
  return result;
}

function claims(id, type, more) {
  return (
    '{"iss":"https://as.example","aud":"tv","jti":"' +
    id +
    '","events":{"https://schemas.openid.' +
    "net/secevent/" +
    type +
    '":{"subject":{"subject_type":"iss-sub","sub":"7"}' +
    more +
    "}}}"
  );
}

function securityEventToken(payload) {
  return base64url('{"alg":"none"}') + "." + base64url(payload) + ".c2ln";
}

function events() {
  bootSignedIn({ memoryBytes: 6144 });
  var device = world.device;
  is(picogrant.pollEvents(device), 1, "§6 events are asked for");
  sleepUntilRequest(20000);
  is(world.sent.endpoint, Endpoint.EVENTS, "RFC 8936 §2.4 by a poll");
  world.chunk = 1;
  var token = securityEventToken(claims("id-1", "risc/event-type/sessions-revoked", ""));
  answer(200, '{"sets":{"id-1":"' + token + '"},"moreAvailable":false}');
  is(world.verified, 1, "RFC 8417 the host checks the signature");
  is(device[Property.STATE], State.REFRESHING, "§6 sessions-revoked: the refresh token is tried");
  sleepUntilRequest(20000);
  // Whichever comes first, the acknowledgement or the refresh.
  for (var i = 0; i < 4 && world.open; i++) {
    if (world.sent.endpoint === Endpoint.EVENTS) {
      ok(world.sent.body.indexOf('"ack":["id-1"]') > 0, "RFC 8936 §2.4 it is acknowledged");
      answer(200, '{"sets":{}}');
    } else answer(200, REFRESHED);
    sleep(1);
  }
  callDone(ErrorCode.NONE, "§6 no more events");
  is(device[Property.STATE], State.SIGNED_IN, "§6 the refresh token is good: the session goes on");
  var own = bytesOf(claims("id-2", "oauth/event-type/token-revoked", ""));
  is(picogrant.applySecurityEvent(device, own, 0, own.length), 1, "§6 an event of the host's own");
  pump(0);
  is(device[Property.STATE], State.FAILED, "§6 token-revoked: the session has ended");
  is(device[Property.ERROR], ErrorCode.TOKEN_REVOKED, "§6 and says why");
  is(world.slots[0] || world.slots[1], null, "§6 no token is kept");
}

if (typeof picogrant.sendCall === "function") {
  part("an API call", apiCalls);
  part("discovery", discovery);
}

if (typeof picogrant.createOffer === "function") {
  part("a subscription offer", offers);
  part("security events", events);
}

print("1.." + tapCount);
print(tapFailed ? "# " + tapFailed + " failed" : "# all passed");
