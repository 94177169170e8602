// A request with a secret must pass a check of its address, mostly the leak guard. These lists name the files that
// open connections or send requests. If you add a connection, add it here together with its check.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Finds the files below the folders with matching lines, comments excluded, and the number of these lines. */
function filesWith(pattern: RegExp, outcome: string, ...folders: readonly string[]): string[] {
  return folders.flatMap((folder) => {
    const files = readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" });
    return files
      .filter((name) => name.endsWith(outcome))
      .flatMap((name) => {
        const text = readFileSync(path.join(root, folder, name), "utf8");
        const lines = text.split("\n").filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line));
        const count = lines.filter((line) => pattern.test(line)).length;
        return count > 0 ? [`${path.join(folder, name)}: ${count}`] : [];
      })
      .sort();
  });
}

const FOLDERS = ["platform", "targets/command", "targets/quickjs"];

describe("code that opens connections in JavaScript", () => {
  it("Node's HTTP clients", () => {
    const imports = /^import (?!type).*from "node:(http|https|http2|net|tls|dgram)"/;
    expect(filesWith(imports, ".ts", ...FOLDERS)).toEqual([
      "platform/node/connection-pool.ts: 3", // agents, and the check of certificates
      "platform/node/connection.ts: 3", // requests of the adapter, and tests of a connection that send nothing
      "targets/command/check-server.ts: 1", // a server with which a port in C is checked
      "targets/command/conform/conformance-server.ts: 2", // a server for tests of adapters
      "targets/command/conform/server.ts: 2", // a server for the bench of whole devices
    ]);
  });

  it("the global fetch: only for sessions on platforms without another one", () => {
    expect(filesWith(/(?<!get )(?<![.\w"`])fetch\(|\(settings\.fetch/, ".ts", ...FOLDERS)).toEqual([
      "platform/node/keep-signed-in.ts: 3", // wraps the session's fetch
      "platform/session/claims.ts: 1", // an issuer's metadata and keys, without token and redirects
      "platform/session/fetch.ts: 1",
      "platform/session/session.ts: 1",
    ]);
    const follow = readFileSync(path.join(root, "platform/session/fetch.ts"), "utf8");
    const [before, sends] = follow.split("await (settings.fetch ?? fetch)");
    expect(sends).toBeDefined();
    expect(before).toMatch(
      /if \(hasToken\) lookAt\(url, token, settings\);\n\s*const response = $/,
    );
  });

  it("only the end of the pipeline sends requests to the adapter, and only filters send to it", () => {
    expect(filesWith(/\bhttp\.send\(/, ".ts", ...FOLDERS)).toEqual([
      "platform/conformance/http-bench.ts: 1", // tests of adapters
      "platform/exchange/adapter-port.ts: 1",
    ]);
    const pipelines = filesWith(/new AdapterPort\(/, ".ts", ...FOLDERS);
    expect(pipelines).toEqual([
      "platform/driver/commands.ts: 1",
      "platform/servers/discovery.ts: 1",
    ]);
    for (const [file] of pipelines.map((line) => line.split(":"))) {
      expect(readFileSync(path.join(root, file!), "utf8")).toContain("new LeakGuard(");
    }
  });

  it("only filters, the adapter port and the caller receive the events of an exchange", () => {
    expect(filesWith(/^ *(override )?failed\(|\bfailed: \(/, ".ts", "platform")).toEqual([
      "platform/conformance/http-bench.ts: 1", // tests of adapters
      "platform/contracts.ts: 1",
      "platform/driver/responses.ts: 1", // reports to the core
      "platform/exchange/adapter-port.ts: 2", // receives the adapter's reports
      "platform/exchange/filter.ts: 2",
      "platform/exchange/log.ts: 1",
      "platform/exchange/response-recorder.ts: 1",
      "platform/servers/discovery.ts: 1",
    ]);
  });
});

describe("code that opens connections in C", () => {
  const folders = ["targets/host"];

  it("pg_connection_start is only called right after the leak guard, and by the check of a port", () => {
    expect(filesWith(/[^*\w]pg_connection_start\((?!struct)/, ".c", ...folders)).toEqual([
      "targets/host/portable/http.c: 1",
      "targets/host/ports/template/check-connection.c: 1",
    ]);
    const http = readFileSync(path.join(root, "targets/host/portable/http.c"), "utf8");
    const [before, behind] = http.split(
      "if (!pg_leak_guard(request, &address, &http->settings->allowed)) return 0;\n",
    );
    expect(before).not.toMatch(/return connect_to\(/);
    expect(behind).toMatch(/^[^}]*if \(!is_open\) return connect_to\(http\);/);
    // The second call connects to the same server, after the request for the time.
    expect(http.match(/\bconnect_to\(/g)).toHaveLength(3);
  });

  it("only connections open sockets", () => {
    const opens = /\b(curl_easy_init|tcp_new|tcp_connect|socket|connect|sendto)\(/;
    expect(filesWith(opens, ".c", ...folders)).toEqual([
      "targets/host/ports/board/connection.c: 2",
      "targets/host/ports/posix/connection-curl.c: 1",
      "targets/host/ports/template/connection.c: 2",
    ]);
  });
});
