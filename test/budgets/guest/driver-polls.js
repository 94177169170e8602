// Runs inside the engine: pending polls through the driver of platform/, with adapters that allocate
// nothing themselves. Behind the bundle, the driver (`driverModule`) and polls.js, whose answers it uses.

var driverNow = 0;
var driverAlarmMs = 0;
var driverRing = null;
var driverPolls = 0;
var driverLeaks = 0;
var driverLeak = null;
/** It outlives the polls that are counted: an object for each record that is stored is the driver's to make. */
var driverCode = pollBytes(
  '{"device_code":"0123456789abcdef","user_code":"ABCD-EFGH","expires_in":90000,' +
    '"verification_uri":"https://www.example.com/device","interval":5}'
);

var driverPlatform = {
  http: {
    send: function (request, sink) {
      if (request.url === "https://example.com/device") {
        sink.status(200, -1);
        sink.body(driverCode, 0, driverCode.length);
      } else {
        driverPolls++;
        if (driverLeaks) driverLeak = {};
        sink.status(428, -1);
        sink.body(pollPending, 0, 7);
        sink.body(pollPending, 7, pollPending.length);
      }
      sink.end();
    },
    abort: function () {}
  },
  timers: {
    now: function () {
      return driverNow;
    },
    alarm: function (afterMs, ring) {
      driverAlarmMs = afterMs;
      driverRing = ring;
    },
    cancel: function () {
      driverRing = null;
    }
  },
  storage: {
    capacity: 1024,
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
  platform: driverPlatform,
  config: guestConfig,
  endpoints: {
    deviceAuthorization: "https://example.com/device",
    token: "https://example.com/token",
    revocation: "",
    metadata: "",
    events: "",
    resources: []
  }
});

/** So many polls of one code. */
function driverCycles(count) {
  var end = driverPolls + count;
  while (driverPolls < end) {
    driverNow += driverAlarmMs;
    driverRing();
  }
}

/** Gross allocations of so many polls, each of which makes an object where `leaks` is 1. */
function driverCount(count, leaks) {
  driverLeaks = leaks;
  var before = counter[0];
  driverCycles(count);
  return counter[0] - before;
}

driver.start();
// What hears a poll is made with it, and polls have two in turn.
driverCycles(2);
