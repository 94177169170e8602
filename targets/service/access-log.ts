// The access log of the command line: one line per exchange, nothing secret in it.
import type { ServiceEvent } from "./observers.ts";

/** The line for an event, or undefined for events that the log leaves out. */
export function accessLogLine(event: ServiceEvent): string | undefined {
  const time = new Date(event.atMs).toISOString().slice(11, 19);
  switch (event.type) {
    case "exchange": {
      const query = event.query === "" ? "" : `?${event.query}`;
      const client = /(?:^|&)client_id=([^&]*)/.exec(event.requestBody)?.[1];
      const details = [client && `client=${client}`, errorOf(event.responseBody)].filter(Boolean);
      return clean([time, event.method, event.path + query, event.status, ...details].join(" "));
    }
    case "attempt":
      return clean(
        [time, "attempt", event.state, event.clientId, event.accountId, event.refusal]
          .filter(Boolean)
          .join(" "),
      );
    case "security-event":
      return clean([time, "event", event.eventType, "for", event.receiverId].join(" "));
    case "failure":
      return clean(`${time} FAILURE ${event.message}`);
    case "gone":
      return clean(`${time} ${event.method} ${event.path} the client went away`);
    case "push":
      return clean([time, "push", event.status || "unreachable", event.receiverId].join(" "));
    default:
      return undefined;
  }
}

function errorOf(responseBody: string): string | undefined {
  return /"error(?:_code)?":"([^"]{1,60})"/.exec(responseBody)?.[1];
}

// A path may hold anything: control characters must not reach a terminal.
function clean(line: string): string {
  return line.replace(/[^\x20-\x7e]/g, "?").slice(0, 500);
}
