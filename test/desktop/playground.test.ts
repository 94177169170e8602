// The playground can be built, and signs security events as Node does (RFC 8037).
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { expect, test } from "vitest";
import { writePlayground } from "../../targets/desktop/playground/folder.ts";
import * as page from "../../targets/desktop/playground/node-replacements.ts";
import { temporaryFolder } from "../listening.ts";

test("every Node import of the service has a replacement", async () => {
  expect(await writePlayground(temporaryFolder())).toContain("panel.js");
});

test("RFC 8037: keys, signatures and hashes are the same as Node's", () => {
  const seed = Uint8Array.from({ length: 32 }, (_, at) => (at * 7) % 256);
  const key = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  const nodeKey = createPrivateKey({ key, format: "der", type: "pkcs8" });
  const pageKey = page.createPrivateKey({ key });
  const data = new TextEncoder().encode("header.claims");
  expect(Buffer.from(page.sign(null, data, pageKey))).toEqual(sign(null, data, nodeKey));
  expect(page.createPublicKey(pageKey).export()).toEqual(
    createPublicKey(nodeKey).export({ format: "jwk" }),
  );
  expect(page.createHash("sha256").update("{}").digest("base64url")).toBe(
    createHash("sha256").update("{}").digest("base64url"),
  );
});
