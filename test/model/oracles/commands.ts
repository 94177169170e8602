// What goes out with a command: a request's address and bytes, a record's bytes and the slot that it goes to.

import { Authorization, Command, Endpoint, Field, Region } from "../../../core/complete.ts";
import { encode } from "../ideal/record.ts";
import type { Request } from "../ideal/requests.ts";
import { holds, type Scene, same, textAt } from "./oracle.ts";

const name = (endpoint: number): string => Endpoint[endpoint] ?? `endpoint ${endpoint}`;

export function checkRequest(scene: Scene, right: Request, isOneUnderWay: boolean): void {
  const { device, memory } = scene;
  holds(scene, "requests", "a request while another is under way", !isOneUnderWay);
  same(scene, "requests", "the endpoint", name(device.endpoint), name(right.endpoint));
  same(scene, "requests", "isGet", device.isGet, right.isGet ? 1 : 0);
  const target = textAt(memory, device.target, device.targetLength);
  same(scene, "requests", "the target", target, right.target);
  const lent = device.callBody;
  same(scene, "requests", "a lent body", lent !== null, right.isBodyLent);
  let body = textAt(memory, device.body, device.bodyLength);
  if (lent) {
    body = "";
    for (let at = device.callBodyFrom; at < device.callBodyTo; at++) {
      body += String.fromCharCode(lent[at]!);
    }
  }
  same(scene, "requests", "the body", body, right.body);
  same(scene, "requests", "Authorization", authorizationOf(scene), right.authorization);
}

/** The header that a host makes of what the device says. */
function authorizationOf({ device, memory }: Scene): string | undefined {
  if (device.authorization === Authorization.NONE) return undefined;
  const isBearer = device.authorization === Authorization.BEARER;
  const region = isBearer ? Field.ACCESS_TOKEN : Region.CLIENT_CREDENTIALS;
  const text = textAt(memory, device.start[region]!, device.length[region]!);
  return `${isBearer ? "Bearer" : "Basic"} ${text}`;
}

export function checkStorage(scene: Scene, command: number): void {
  const { device, ideal, memory } = scene;
  same(scene, "records", `the slot of ${Command[command]}`, device.slot, ideal.storage.slotDue());
  if (command === Command.ERASE) return;
  const isInside = device.data >= 0 && device.data + device.dataLength <= memory.length;
  holds(scene, "records", "the range of a record is outside the memory", isInside);
  if (command !== Command.STORE) return;
  const right = Buffer.from(encode(ideal.record(), ideal.binding)).toString("latin1");
  const seen = textAt(memory, device.data, device.dataLength);
  same(scene, "records", "the record", hex(seen), hex(right));
}

function hex(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("hex");
}
