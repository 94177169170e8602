// Runs inside the engine, before the bundle is loaded: what the device is made of is there already, and is not
// counted. `counter` and `collect` are the host's (scripts/engines/*-host.c).

var heapMemory = typeof Uint8Array === "function" ? new Uint8Array(4096) : [];
while (heapMemory.length < 4096) heapMemory.push(0);
var heapConfig = {
  clientId: "client",
  clientSecret: "secret",
  scope: "email",
  deviceParameters: "",
  columns: 20,
  rows: 4,
  seed: 1,
  autoStart: 1,
  renewalsMax: 3,
  clientAuthentication: 1,
  server: "https://auth.example",
  tokenParameters: "",
  messages: ""
};
var heapDevice = null;
collect();
var heapBefore = counter[1];
