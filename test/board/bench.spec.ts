// Runs every row of the bench (`picogrant conform --device`) on eight boards in parallel.

import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { it } from "vitest";
import { boardFolder } from "../../targets/workbench/board/build.ts";
import { expectAllPass, KEYS } from "../bench-run.ts";

it("RFC 8628, RFC 6749, RFC 7009, RFC 9112, RFC 9700: over https, with a settings page", async () => {
  const outfile = `${boardFolder}bench/device.mjs`;
  const entryPoints = [fileURLToPath(new URL("bench-device.ts", import.meta.url))];
  buildSync({
    ...{ entryPoints, outfile, bundle: true, packages: "external", platform: "node" },
    ...{ format: "esm", logLevel: "error" },
  });
  // The emulator connects the board to 127.0.0.1, so the bench must use this address for the name `localhost`.
  process.env.NODE_OPTIONS = "--dns-result-order=ipv4first";
  const where = ["--https", "--host", "localhost", "--restart", "> r", "--timeout", "120"];
  // The device aborts a response that is delayed by 20 s.
  const limits = { memoryBytes: 4800, connectSeconds: 60, exchangeSeconds: 18 };
  const settings = ["--with", JSON.stringify({ limits, display: { columns: 16, rows: 2 } })];
  const device = `exec ${process.execPath} ${outfile} {page} {directory}`;
  await expectAllPass(device, [...where, ...settings, ...KEYS]);
});
