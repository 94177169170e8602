// Which hosts are this machine itself: one list (platform/address.ts) for the driver, `signIn`, the simulator and the
// service. RFC 8252 §8.3 has the reason: what goes there crosses no network.

import { describe, expect, it } from "vitest";
import { addressProblem, isLoopback, isLoopbackHost } from "../../platform/address.ts";

const HOSTS: [host: string, expected: boolean][] = [
  ["localhost", true],
  ["127.0.0.1", true],
  ["[::1]", true],
  // Not in the list, though a system may route them to itself: C hosts and cores compare with three names.
  ["127.0.0.2", false],
  ["127.1", false],
  ["0.0.0.0", false],
  ["[::]", false],
  ["[::ffff:127.0.0.1]", false],
  ["localhost.example.com", false],
  ["127.0.0.1.example.com", false],
  ["my-localhost", false],
  ["2130706433", false],
  ["", false],
];

describe("RFC 8252 §8.3: http is for this machine itself", () => {
  it.each(HOSTS)("%j: %s", (host, expected) => {
    expect(isLoopbackHost(host)).toBe(expected);
    for (const address of [`http://${host}`, `http://${host}:8080/token`, `http://${host}/?a=b`]) {
      expect(isLoopback(address), address).toBe(expected);
      expect(addressProblem(address) === "", address).toBe(expected);
    }
  });

  it("a socket's own way to write ::1 counts, too", () => expect(isLoopbackHost("::1")).toBe(true));

  it("a user before the host is no host", () => {
    for (const address of ["http://localhost@example.com/", "http://127.0.0.1:80@example.com/"]) {
      expect(isLoopback(address)).toBe(false);
    }
  });
});
