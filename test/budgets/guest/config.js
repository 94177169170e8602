// Runs inside the engine, in front of the other scripts: how the devices that they measure are set.

var guestConfig = {
  clientId: "client",
  clientSecret: "secret",
  scope: "email",
  deviceParameters: "",
  columns: 20,
  rows: 4,
  seed: 1,
  autoStart: 1,
  renewalsMax: 3,
  clientAuthentication: 3,
  server: "https://auth.example",
  tokenParameters: "",
  messages: ""
};
