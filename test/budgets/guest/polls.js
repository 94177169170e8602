// Runs in the engine, appended to the bundle and the driver (`driverModule`). Polls for a pending code through the
// driver. The adapters here allocate nothing, so each allocation is by the driver or the core. The engine provides
// `counter` (targets/workbench/budgets/engine.ts).

function pollBytes(text) {
  var bytes = new Uint8Array(text.length);
  for (var i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

var pollPending = pollBytes(
  '{"error":"authorization_pending","error_description":"Precondition Required"}'
);
var pollNow = 0;
var pollRespondedMs = 0;
var pollAlarmMs = 0;
var pollRing = null;
var pollRequests = 0;
var pollEarliestMs = 134217727;
var pollLeaks = 0;
var pollLeak = null;
/** The code must not expire during the measurement, because the driver creates an object for each stored record. */
var pollCode = pollBytes(
  '{"device_code":"0123456789abcdef","user_code":"ABCD-EFGH","expires_in":90000,' +
    '"verification_uri":"https://www.example.com/device","interval":5}'
);

var pollPlatform = {
  http: {
    send: function (request, sink) {
      if (request.url === "https://example.com/device") {
        sink.status(200, -1);
        sink.body(pollCode, 0, pollCode.length);
      } else {
        pollRequests++;
        if (pollNow - pollRespondedMs < pollEarliestMs) pollEarliestMs = pollNow - pollRespondedMs;
        if (pollLeaks) pollLeak = {};
        sink.status(428, -1);
        sink.body(pollPending, 0, 7);
        sink.body(pollPending, 7, pollPending.length);
      }
      pollRespondedMs = pollNow;
      sink.end();
    },
    abort: function () {}
  },
  timers: {
    now: function () {
      return pollNow;
    },
    alarm: function (afterMs, ring) {
      pollAlarmMs = afterMs;
      pollRing = ring;
    },
    cancel: function () {
      pollRing = null;
    }
  },
  storage: {
    capacity: 2048,
    read: function (_slot, _into, _from, _to, done) {
      done(0);
    },
    write: function (_slot, _bytes, _from, _to, done) {
      done(true);
    },
    erase: function (_slot, done) {
      done(true);
    }
  },
  display: { columns: 20, rows: 4, show: function () {} },
  entropy: {
    fill: function () {
      return true;
    }
  }
};

var driver = new driverModule.Driver({
  core: driverModule.named(picogrant),
  platform: pollPlatform,
  config: {
    clientId: "client",
    clientSecret: "secret",
    scope: "email",
    deviceParameters: "",
    autoStart: 1,
    renewalsMax: 1000,
    clientAuthentication: 3,
    server: "https://auth.example",
    tokenParameters: "",
    messages: ""
  },
  endpoints: {
    deviceAuthorization: "https://example.com/device",
    token: "https://example.com/token",
    revocation: "",
    metadata: "",
    events: "",
    resources: []
  }
});

function pollCycles(count) {
  var end = pollRequests + count;
  while (pollRequests < end) {
    pollNow += pollAlarmMs;
    pollRing();
  }
}

/** Returns the number of allocations during `count` polls. If `leaks` is 1, each poll creates an object. */
function pollCount(count, leaks) {
  pollLeaks = leaks;
  pollRequests = 0;
  var before = counter[0];
  pollCycles(count);
  return counter[0] - before;
}

driver.start();
pollCycles(2);
