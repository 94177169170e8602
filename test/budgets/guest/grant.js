// Runs inside the engine: a whole grant, a refresh and a sign-out, with nothing that grows but what the
// core makes at its start. Loaded before the bundle, so that its own size is not counted.

function grantBytes(text) {
  var bytes = new Uint8Array(text.length);
  for (var i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

var grantMemory = new Uint8Array(4096);
var grantCode = grantBytes(
  '{"device_code":"0123456789abcdef0123456789abcdef","user_code":"ABCD-EFGH","expires_in":1800,' +
    '"verification_url":"https://www.example.com/device","interval":5}'
);
var grantPending = grantBytes('{"error":"authorization_pending"}');
var grantTokens = grantBytes(
  '{"access_token":"ya29.0123456789","expires_in":3600,"refresh_token":"1//0123456789",' +
    '"scope":"email","token_type":"Bearer"}'
);
var grantRefreshed = grantBytes(
  '{"access_token":"ya29.9876543210","expires_in":3600,"scope":"email","token_type":"Bearer"}'
);
var grantDevice = null;

function grantWait() {
  var elapsedMs = 0;
  for (var sent = 0; !sent; ) {
    for (;;) {
      var command = picogrant.tick(grantDevice, elapsedMs);
      elapsedMs = 0;
      if (command === 0) break;
      if (command === 1) sent = 1;
      else if (command === 4) picogrant.storageDone(grantDevice, 0);
      else if (command > 4) picogrant.storageDone(grantDevice, 1);
    }
    elapsedMs = picogrant.wakeIn(grantDevice);
  }
}

function grantAnswer(status, bytes) {
  grantWait();
  picogrant.responseStart(grantDevice, grantDevice[Property.REQUEST_ID], status, -1);
  picogrant.responseBody(grantDevice, grantDevice[Property.REQUEST_ID], bytes, 0, bytes.length);
  picogrant.responseEnd(grantDevice, grantDevice[Property.REQUEST_ID]);
}

function grantCreate() {
  grantDevice = picogrant.create(grantMemory, guestConfig);
}

function grantRun() {
  grantAnswer(200, grantCode);
  grantAnswer(428, grantPending);
  grantAnswer(428, grantPending);
  grantAnswer(200, grantTokens);
  grantAnswer(200, grantRefreshed);
  picogrant.signOut(grantDevice);
  grantAnswer(200, grantBytes(""));
  return grantDevice[Property.STATE];
}
