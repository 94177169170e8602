// What the bundle does not set at the start (one-device.ts) is set before it is read: shown on the readable bundle,
// in which each read of such a variable asks whether it has been set since the last create.

import { parse } from "acorn";
import fc from "fast-check";
import MagicString from "magic-string";
import { describe, expect, test } from "vitest";
import type * as core from "../../core/complete.ts";
import { deviceConfig } from "../../platform/fake/config.ts";
import { engines } from "../../scripts/engines/catalogue.ts";
import { conformanceScript } from "../../scripts/engines/script.ts";
import { readTap } from "../../scripts/engines/tap.ts";
import { bundleCore, type Variant } from "../../targets/firmware/bundle.ts";
import { SET_BEFORE_READ } from "../../targets/firmware/one-device.ts";
import { type Tree, walk } from "../../targets/firmware/syntax-tree.ts";

/** The variable that a node reads, by itself or in changing it. */
function readIn(node: Tree, parent: Tree | undefined): string | undefined {
  if (node.type === "UpdateExpression") return node.argument.name;
  if (node.type === "AssignmentExpression" && node.operator !== "=") return node.left.name;
  const isTarget =
    parent?.type === "UpdateExpression" ||
    (parent?.type === "AssignmentExpression" && parent.left === node) ||
    (parent?.type === "VariableDeclarator" && parent.id === node);
  return node.type === "Identifier" && !isTarget ? node.name : undefined;
}

/** The bundle with its reads checked, and the variables that it reads. */
function watched(code: string, names: ReadonlySet<string>): { code: string; read: Set<string> } {
  const text = new MagicString(code);
  const read = new Set<string>();
  const unset = [...names].map((name) => `$${name}`);
  walk(parse(code, { ecmaVersion: 5 }) as Tree, (node, parent) => {
    if (node.type === "FunctionExpression" && node.params[0]?.name === "memory") {
      // Where the device is made: nothing of an earlier one is left.
      text.appendRight(node.body.start + 1, `${unset.join(" = ")} = undefined;`);
    }
    const name = readIn(node, parent);
    if (name === undefined || !unset.includes(name)) return;
    read.add(name.slice(1));
    text.appendLeft(node.start, `(must(${name}, "${name}"), `);
    text.appendRight(node.end, ")");
  });
  return { code: `var ${unset.join()};${MUST}${text}`, read };
}

const MUST = `function must(value, name) {
  if (value === undefined) throw new Error(name + " is not set");
}`;

/** Bodies that lead on, and one that does not. */
const BODIES = [
  '{"device_code":"d","user_code":"ABCD","verification_uri":"https://a.example","expires_in":600}',
  '{"access_token":"a","refresh_token":"r","token_type":"Bearer","expires_in":100}',
  '{"error":"authorization_pending"}',
  '{"error":"invalid_grant"}',
  '{"moreAvailable":false,"sets":{"j":"e30.eyJqdGkiOiJ4In0."}}',
  "{",
].map((text) => [...Buffer.from(text)]);

type Bundle = typeof core;

/** A host that calls what it likes, in any order; answers go to the last request. */
function hostOf(bundle: Bundle): readonly ((n: number) => void)[] {
  const device = bundle.create(new Uint8Array(6144), { ...deviceConfig, autoStart: 1 })!;
  const some = (n: number): number[] => BODIES[n % BODIES.length]!;
  const answer = (status: number, body: readonly number[]): void => {
    bundle.responseStart(device, device.requestId, status, -1);
    bundle.responseBody(device, device.requestId, body, 0, body.length);
    bundle.responseEnd(device, device.requestId);
  };
  const tick = (n: number): void => {
    bundle.tick(device, [0, 0, 900, 70000][n % 4]!);
  };
  return [
    tick,
    tick,
    tick,
    () => bundle.wakeIn(device),
    (n) => bundle.storageDone(device, n % 2),
    (n) => answer(200, some(n)),
    (n) => answer(400 + (n % 2), some(n)),
    () => bundle.responseFailed(device, device.requestId),
    (n) => bundle.responseBody(device, device.requestId, some(n), 0, 20),
    () => bundle.signIn(device),
    () => bundle.cancel(device),
    () => bundle.signOut(device),
    (n) => bundle.setStatus(device, some(n), 0, 9),
    (n) => bundle.discover?.(device, some(n), 0, 9),
    () => bundle.beginCall?.(device),
    (n) => bundle.sendCall?.(device, 5, n % 2, null, 0, 0),
    () => bundle.nextPage?.(device),
    (n) => bundle.createOffer?.(device, some(n), 0, 9, some(n), 0, some(n).length),
    () => bundle.pollEvents?.(device),
    (n) => bundle.eventVerified?.(device, device.requestId, n % 2),
    (n) => bundle.applySecurityEvent?.(device, some(n), 0, some(n).length),
  ];
}

const calls = fc.array(fc.tuple(fc.nat(20), fc.nat(59)), { minLength: 1, maxLength: 60 });

/** What any hosts on one bundle, one after the other, and the conformance script find unset; empty where nothing is. */
async function faultsOf(code: string): Promise<string> {
  const output = await engines[0]!.run(conformanceScript(code, false));
  const bundle = new Function(`${code};return picogrant;`)() as Bundle;
  const hosts = fc.check(
    fc.property(calls, (list) => {
      const host = hostOf(bundle);
      for (const [which, n] of list) host[which]!(n);
    }),
    { numRuns: 3000 },
  );
  return `${readTap(output).failures}${hosts.errorInstance ?? ""}`;
}

describe("what is not set at the start", () => {
  test.each(["grant", "complete"] as Variant[])("is set before it is read: %s", async (variant) => {
    const { code } = await bundleCore(variant, { minify: false });
    const checked = watched(code, SET_BEFORE_READ);
    expect(await faultsOf(checked.code)).toBe("");
    if (variant === "complete") expect(checked.read).toEqual(SET_BEFORE_READ);
  });

  // Each is found by one of the two alone.
  test.each(["waitMs", "outputUse"])("%s is not, and that is found", async (name) => {
    const { code } = await bundleCore("complete", { minify: false });
    const checked = watched(code, new Set([name]));
    // Out of the chain of what begins with 0.
    const unset = checked.code.replace(/[^;{}]*\$carryMs[^;]* = 0;/, (chain) =>
      chain.replace(`$${name} = `, ""),
    );
    expect(unset).not.toBe(checked.code);
    expect(await faultsOf(unset)).toContain(`$${name} is not set`);
  });
});
