// A server of a test's own that the C host signs in at, and says what the test wants.

import { createServer } from "node:net";
import { listening } from "../listening.ts";

/** A server whose answers are bytes; the requests as they came. */
export async function answering(
  answers: readonly string[],
): Promise<{ port: number; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((socket) => {
    let text = "";
    socket.on("error", () => undefined);
    socket.on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1");
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (text.length < text.indexOf("\r\n\r\n") + 4 + length || !text.includes("\r\n\r\n")) return;
      requests.push(text);
      socket.end(answers[Math.min(requests.length, answers.length) - 1]);
    });
  });
  return { port: await listening(server), requests };
}

export const CODE = JSON.stringify({
  ...{ device_code: "d", user_code: "ABCD-EFGH", verification_url: "https://example.test/device" },
  ...{ verification_uri: "https://example.test/device", expires_in: 1800, interval: 1 },
});
export const ok = (body: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

export function endpointsAt(port: number, query = ""): Record<string, unknown> {
  const base = `http://127.0.0.1:${port}`;
  return {
    endpoints: {
      deviceAuthorization: `${base}/device/code${query}`,
      token: `${base}/token${query}`,
      revocation: `${base}/revoke${query}`,
    },
  };
}
