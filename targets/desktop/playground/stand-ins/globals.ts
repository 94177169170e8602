// What Node has everywhere and a page does not.
import { Buffer as PageBuffer } from "buffer";

// The package does not know base64url; it reads it as base64.
const plainToString = PageBuffer.prototype.toString;
PageBuffer.prototype.toString = function (encoding?: BufferEncoding, from?: number, to?: number) {
  if (encoding !== "base64url") return plainToString.call(this, encoding, from, to);
  const text = plainToString.call(this, "base64", from, to);
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};
const plainFrom = PageBuffer.from.bind(PageBuffer) as (...values: unknown[]) => PageBuffer;
PageBuffer.from = ((...[data, encoding, length]: unknown[]) =>
  plainFrom(
    data,
    encoding === "base64url" ? "base64" : encoding,
    length,
  )) as typeof PageBuffer.from;

export { PageBuffer as Buffer };

const waiting: (() => void)[] = [];
const channel = new MessageChannel();
channel.port1.onmessage = () => waiting.shift()?.();

/** After the events that wait already, and without a timer's delay. */
export function setImmediate(run: () => void): void {
  waiting.push(run);
  channel.port2.postMessage(0);
}
