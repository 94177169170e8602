// The servers that run on this machine, each with a public client and two confidential ones: whether a
// device gets through everything with them. The date is moved for all of the process meanwhile.

import { startBetterAuth } from "../peers/better-auth-server.ts";
import { METHODS } from "../peers/foreign-server.ts";
import { startProvider } from "../peers/oidc-provider-server.ts";
import { startOwnService } from "../peers/own-service-server.ts";
import { SharedTime } from "../peers/peer-device.ts";
import { HAPPENINGS, play } from "../peers/scenarios.ts";

/** A table of Markdown; a cell says "yes", or what went wrong. */
export async function runningTable(): Promise<string> {
  const lines = [
    `| server | client | ${HAPPENINGS.join(" | ")} |`,
    `|${" --- |".repeat(2 + HAPPENINGS.length)}`,
  ];
  for (const start of [startProvider, startBetterAuth, startOwnService]) {
    const server = await start();
    for (const method of METHODS) {
      const cells: string[] = [];
      for (const happening of HAPPENINGS) {
        cells.push(
          await withMovedDate((time) => play(server, method, happening, time)).then(
            () => "yes",
            (error: Error) => error.message.split("\n")[0]!,
          ),
        );
      }
      lines.push(`| ${server.name} | \`${method}\` | ${cells.join(" | ")} |`);
    }
    await server.close();
  }
  return lines.join("\n");
}

async function withMovedDate(action: (time: SharedTime) => Promise<void>): Promise<void> {
  const RealDate = Date;
  let nowMs = RealDate.now();
  class MovedDate extends RealDate {
    constructor(...values: [] | [number | string | Date]) {
      super(...((values.length === 0 ? [nowMs] : values) as [number]));
    }
    static override now(): number {
      return nowMs;
    }
  }
  globalThis.Date = MovedDate as DateConstructor;
  try {
    await action(new SharedTime((ms) => (nowMs = ms)));
  } finally {
    globalThis.Date = RealDate;
  }
}
