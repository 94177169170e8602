// A session: refresh, rotation, what ends it, signing out, and a restart within it (the documents' 4.3
// and 4.4, RFC 6749 §6, RFC 7009).

var REFRESHED =
  '{"access_token":"ya29.second","expires_in":3600,"scope":"email","token_type":"Bearer"}';
var ROTATED =
  '{"access_token":"ya29.third","expires_in":3600,"refresh_token":"1//rotated",' +
  '"refresh_token_expires_in":7200,"token_type":"Bearer"}';
var INVALID_GRANT = '{"error":"invalid_grant","error_description":"Token has been revoked."}';

part("refreshing", function () {
  bootSignedIn({});
  var slept = sleepUntilRequest(3600000);
  ok(slept > 2700000 && slept < 3600000, "§3 the access token is refreshed ahead of its expiry");
  is(world.device[Property.STATE], State.REFRESHING, "the state");
  is(world.sent.endpoint, Endpoint.TOKEN, "§4.3 at the token endpoint");
  is(parameter(world.sent.body, "grant_type"), "refresh_token", "§4.3 grant_type");
  is(parameter(world.sent.body, "refresh_token"), "1//refresh", "§4.3 refresh_token");
  is(parameter(world.sent.body, "client_id"), "tv client/1", "§4.3 client_id");
  is(parameter(world.sent.body, "client_secret"), "s&cret=", "§4.3 client_secret");
  answer(500, HTML);
  is(world.device[Property.STATE], State.REFRESHING, "a failure that passes signs nobody out");
  sleepUntilRequest(200000);
  breakConnection();
  is(world.device[Property.STATE], State.REFRESHING, "nor does a lost connection");
  sleepUntilRequest(200000);
  answer(200, REFRESHED);
  is(world.device[Property.STATE], State.SIGNED_IN, "§4.3 refreshed");
  is(textIn(Field.ACCESS_TOKEN), "ya29.second", "the new access token");
  is(textIn(Region.REFRESH_TOKEN), "1//refresh", "§2.2 the refresh token is kept");
  is(world.writes, 2, "no record write where the refresh token is the same");
});

part("a token that the application's own request was refused with", function () {
  bootSignedIn({});
  picogrant.accessTokenRefused(world.device);
  pump(0);
  is(world.device[Property.STATE], State.REFRESHING, "RFC 6750 §3.1 it is renewed at once");
  is(parameter(world.sent.body, "grant_type"), "refresh_token", "by a refresh");
  answer(200, REFRESHED);
  is(world.device[Property.STATE], State.SIGNED_IN, "and the session goes on");
  is(textIn(Field.ACCESS_TOKEN), "ya29.second", "with the new one");
});

part("rotation", function () {
  bootSignedIn({});
  sleepUntilRequest(3600000);
  answer(200, ROTATED);
  is(textIn(Region.REFRESH_TOKEN), "1//rotated", "RFC 6749 §6 a new refresh token");
  is(world.writes, 3, "is stored");
  ok(world.frame.indexOf("Sign in again soon") >= 0, "§2.2 §8 the user is warned of its end");
  var slots = world.slots;
  boot(slots, {});
  is(world.device[Property.STATE], State.REFRESHING, "a restart refreshes first");
  sleepUntilRequest(6000);
  is(parameter(world.sent.body, "refresh_token"), "1//rotated", "with the newest token");
  answer(400, INVALID_GRANT);
  is(world.device[Property.STATE], State.REFRESHING, "refused: the one before is tried once");
  sleepUntilRequest(20000);
  is(parameter(world.sent.body, "refresh_token"), "1//refresh", "which is it");
  answer(400, INVALID_GRANT);
  is(world.device[Property.STATE], State.FAILED, "refused, too: the session has ended");
  is(world.device[Property.ERROR], ErrorCode.SESSION_ENDED, "and the user is told");
  is(textIn(Region.REFRESH_TOKEN), "-", "no token is left in memory");
  is(slots[0] || slots[1], null, "nor in storage");
});

var UNKNOWN = '{"error":"tenant_on_holiday"}';

/** Signed in; then each refresh meets a name that nobody knows, for so many hours. */
function refusedFor(hours) {
  bootSignedIn({});
  sleepUntilRequest(3600000);
  answer(400, UNKNOWN);
  for (var ms = 0; ms < hours * 3600000 && world.device[Property.STATE] === State.REFRESHING; ) {
    ms += sleepUntilRequest(6000000);
    answer(400, UNKNOWN);
  }
}

/** What a person can do at any time, and where it leads to. */
var WAYS_OUT = ["sign-in, twice", "cancel", "sign-out"];
var LEADS_TO = [State.REQUESTING, State.SIGNED_OUT, State.SIGNED_OUT];

function takeWayOut(way) {
  var device = world.device;
  if (way === 0) {
    picogrant.signIn(device);
    pump(0);
    // The tokens are tried once more at once, where there are any.
    if (parameter(world.sent.body, "grant_type") === "refresh_token") answer(400, UNKNOWN);
    picogrant.signIn(device);
  } else if (way === 1) {
    picogrant.cancel(device);
  } else {
    picogrant.signOut(device);
    pump(0);
    if (device[Property.STATE] === State.REVOKING) answer(200, "");
  }
}

part("refusals by a name that nobody knows, for a day, and every way out of them", function () {
  for (var hours = 0; hours < 30; hours += hours === 22 ? 4 : 11) {
    for (var way = 0; way < WAYS_OUT.length; way++) {
      var name = "after " + hours + " hours, " + WAYS_OUT[way];
      refusedFor(hours);
      var state = hours < 24 ? State.REFRESHING : State.FAILED;
      is(world.device[Property.STATE], state, name + ": the session is kept for a day");
      is(
        world.device[Property.ERROR],
        hours < 24 ? ErrorCode.UNKNOWN_ERROR : ErrorCode.SESSION_ENDED,
        name + ": and the error says why"
      );
      is(textIn(Region.REFRESH_TOKEN), hours < 24 ? "1//refresh" : "-", name + ": the token");
      takeWayOut(way);
      sleep(100);
      is(world.device[Property.STATE], LEADS_TO[way], name + ": leads out of it");
    }
  }
});

part("signing out", function () {
  bootSignedIn({});
  picogrant.signOut(world.device);
  pump(0);
  is(world.device[Property.STATE], State.REVOKING, "§4.4 the token is revoked first");
  is(world.sent.endpoint, Endpoint.REVOCATION, "§4.4 at its endpoint");
  is(parameter(world.sent.target.substring(1), "token"), "1//refresh", "§4.4 in the query");
  boot([world.slots[0], world.slots[1]], {});
  is(world.device[Property.STATE], State.REVOKING, "a restart goes on signing out");
  sleepUntilRequest(6000);
  answer(200, "");
  is(world.device[Property.STATE], State.SIGNED_OUT, "§4.4 200: signed out");
  is(world.slots[0] || world.slots[1], null, "nothing is left in storage");
  is(textIn(Region.REFRESH_TOKEN), "-", "nor in memory");
  bootSignedIn({});
  picogrant.signOut(world.device);
  pump(0);
  answer(400, '{"error":"invalid_request"}');
  sleepUntilRequest(200000);
  is(
    parameter(world.sent.target.substring(1), "token"),
    "1//refresh",
    "§4.4 the next try is alike"
  );
  for (
    var refusals = 0;
    world.device[Property.STATE] === State.REVOKING && refusals < 10;
    refusals++
  ) {
    answer(400, '{"error":"invalid_token"}');
    sleepUntilRequest(200000);
  }
  is(world.device[Property.STATE], State.SIGNED_OUT, "§7 Revoke 400: signed out all the same");
  bootSignedIn({});
  picogrant.signOut(world.device);
  pump(0);
  for (var tries = 0; world.device[Property.STATE] === State.REVOKING && tries < 10; tries++) {
    breakConnection();
    sleepUntilRequest(200000);
  }
  is(world.device[Property.STATE], State.SIGNED_OUT, "no connection: signed out after some tries");
  ok(tries > 1, "but not at the first");
});

part("a storage that fails", function () {
  bootPending({});
  sleepUntilRequest(6000);
  world.writeOk = 0;
  answer(200, TOKENS);
  sleep(2000);
  is(world.device[Property.STATE], State.SIGNED_IN, "the session goes on without");
  is(world.device[Property.NOT_SAVED], 1, "and the host can tell");
  ok(world.writes > 2, "after it was tried again");
});
