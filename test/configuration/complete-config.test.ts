// Completes a device.json for hosts without discovery, with the values of a profile or of the metadata. The format is
// the same for all hosts. A settings page contains every member except those in JAVASCRIPT_ONLY.

import { describe, expect, it } from "vitest";
import { completeConfig, JAVASCRIPT_ONLY } from "../../platform/configuration/complete-config.ts";
import { parseDeviceConfig } from "../../platform/configuration/device-config.ts";
import { noEndpoints } from "../../platform/driver.ts";
import type { DiscoveredServer } from "../../platform/servers/discovery.ts";

const issuer = "https://login.example.com";
const found: DiscoveredServer = {
  issuer,
  endpoints: {
    ...noEndpoints,
    deviceAuthorization: `${issuer}/device`,
    token: `${issuer}/token`,
    revocation: "",
  },
  clientAuthenticationMethods: ["client_secret_basic", "client_secret_post"],
};
const responding = (methods: readonly string[]) => async (requested: string) => {
  expect(requested).toBe(issuer);
  return { ...found, clientAuthenticationMethods: methods };
};
const nobody = (): never => {
  throw new Error("unexpected request");
};
const read = (members: object) =>
  parseDeviceConfig(JSON.stringify({ clientId: "c", scope: "s", ...members }));

describe("RFC 8414 §2 the client authentication comes from the metadata", () => {
  it.each([
    [["client_secret_basic", "client_secret_post"], "client_secret_basic"],
    [["client_secret_post", "private_key_jwt"], "client_secret_post"],
  ])("%j: %s", async (methods, method) => {
    const config = await completeConfig(read({ issuer, clientSecret: "x" }), responding(methods));
    expect(config.clientAuthentication).toBe(method);
    expect(config.endpoints).toEqual({
      deviceAuthorization: `${issuer}/device`,
      token: `${issuer}/token`,
    });
  });

  it("a client without a secret uses none, and the file's own setting takes precedence", async () => {
    const plain = await completeConfig(read({ issuer }), responding(["client_secret_basic"]));
    expect(plain.clientAuthentication).toBe("none");
    const output = read({ issuer, clientSecret: "x", clientAuthentication: "client_secret_post" });
    const own = await completeConfig(output, responding(["client_secret_basic"]));
    expect(own.clientAuthentication).toBe("client_secret_post");
  });

  it.each(["deviceAuthorization", "token"])(
    "a file with only %s: the other addresses are discovered",
    async (name) => {
      const own = `${issuer}/own`;
      const members = { clientId: "c", scope: "s", issuer, endpoints: { [name]: own } };
      const { endpoints } = await completeConfig(members, responding([]));
      expect(endpoints).toEqual({
        ...{ deviceAuthorization: `${issuer}/device`, token: `${issuer}/token` },
        [name]: own,
      });
    },
  );

  it("a server that accepts no secret: the error names the member", async () => {
    const requested = completeConfig(
      read({ issuer, clientSecret: "x" }),
      responding(["private_key_jwt", "tls_client_auth"]),
    );
    await expect(requested).rejects.toThrow(
      "clientSecret cannot go: the server takes no client secret, only: private_key_jwt, tls_client_auth",
    );
  });
});

describe("a file that is already complete", () => {
  it("has addresses: no request is sent", async () => {
    const endpoints = { deviceAuthorization: `${issuer}/a`, token: `${issuer}/b` };
    const config = read({ issuer, endpoints });
    expect(await completeConfig(config, nobody)).toEqual(config);
  });

  it("has no issuer: no request is sent, whatever is missing", async () => {
    const config = { clientId: "c", scope: "s", endpoints: { token: `${issuer}/t` } };
    expect(await completeConfig(config, nobody)).toEqual(config);
  });

  it("a profile's name is replaced by its addresses", async () => {
    const config = await completeConfig(read({ server: "google", clientSecret: "x" }), nobody);
    expect(config).not.toHaveProperty("server");
    expect(config.endpoints?.token).toMatch(/^https:\/\//);
    expect(parseDeviceConfig(JSON.stringify(config))).toEqual(config);
  });
});

it.each(["form", "json"])("bodies %s stays, because C hosts support it too", async (bodies) => {
  expect(await completeConfig(read({ server: "gitlab", bodies }), nobody)).toMatchObject({
    bodies,
  });
});

it("a language is replaced by texts in the display's character set; texts in the file take precedence", async () => {
  const own = { language: "de", messages: { signedIn: "Bereit" }, reasons: { noCable: "A|B" } };
  const { messages, reasons } = await completeConfig(read({ server: "gitlab", ...own }), nobody);
  expect(messages).toMatchObject({
    requesting: "Hole Code",
    resuming: "Pr\xfcfe Code",
    signedIn: "Bereit",
  });
  expect(reasons).toMatchObject({ noCable: "A|B", noSeed: "Zufallswert leer|Hersteller rufen" });
  expect(() => read({ server: "gitlab", language: "ja", displayRom: "A02" })).toThrow(
    /displayRom cannot be: the ROM A02 has no/,
  );
});

it("members that only JavaScript hosts support are removed", async () => {
  const keycloak = { server: "keycloak", serverParameters: { host: "a.example", realm: "r" } };
  const more = { allowHttp: true, language: "de", displayRom: "A02" };
  const output = read({ ...keycloak, ...more });
  const completed = await completeConfig(output, nobody);
  for (const member of JAVASCRIPT_ONLY) {
    expect(output).toHaveProperty(member);
    expect(completed).not.toHaveProperty(member);
  }
});

it("the C host rejects an address that needs allowHttp", async () => {
  const endpoints = { deviceAuthorization: "http://a.example/d", token: `${issuer}/t` };
  const requested = completeConfig(read({ allowHttp: true, endpoints }), nobody);
  await expect(requested).rejects.toThrow(
    /endpoints\.deviceAuthorization must be an https address/,
  );
});
