// What each client costs to ship and to load: its size when bundled for the device grant, the heap of
// QuickJS that loading it takes, and the names that it expects and QuickJS does not have.

import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type AnyNode, parse } from "acorn";
import { full, simple } from "acorn-walk";
import { build } from "esbuild";
import { heapSteps } from "../budgets/heap.ts";
import { runInQuickjs, variants } from "../engines/quickjs-wasm.ts";
import { builtBundle } from "../engines/script.ts";

/** What of each library takes part in code, poll, refresh and revocation; the rest is shaken off. */
export const used: Readonly<Record<string, string>> = {
  oauth4webapi:
    "deviceAuthorizationRequest, processDeviceAuthorizationResponse, deviceCodeGrantRequest, " +
    "processDeviceCodeResponse, refreshTokenGrantRequest, processRefreshTokenResponse, " +
    "revocationRequest, processRevocationResponse, ClientSecretPost, ResponseBodyError",
  "openid-client":
    "Configuration, initiateDeviceAuthorization, pollDeviceAuthorizationGrant, refreshTokenGrant, " +
    "tokenRevocation, ClientSecretPost",
  "@octokit/auth-oauth-device": "createOAuthDeviceAuth",
};

async function peerBundle(name: string): Promise<string> {
  const result = await build({
    stdin: {
      contents: `export { ${used[name]} } from ${JSON.stringify(name)};`,
      resolveDir: fileURLToPath(new URL("../../..", import.meta.url)),
    },
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    globalName: "peer",
    target: "es2022",
    platform: "browser",
    legalComments: "none",
    logLevel: "silent",
  });
  return result.outputFiles[0]!.text;
}

/** Names that a declaring place declares. */
function declaredBy(place: unknown): string[] {
  const pattern = place as AnyNode | null | undefined;
  switch (pattern?.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) => {
        return declaredBy(property.type === "Property" ? property.value : property);
      });
    case "ArrayPattern":
      return pattern.elements.flatMap(declaredBy);
    case "AssignmentPattern":
      return declaredBy(pattern.left);
    case "RestElement":
      return declaredBy(pattern.argument);
    default:
      return [];
  }
}

/** Names that a script uses and nothing in it declares, `globalThis.name` included. */
function freeNames(code: string): string[] {
  const program = parse(code, { ecmaVersion: "latest" });
  const declared = new Set(["undefined", "arguments"]);
  full(program, (node) => {
    if (node.type !== "VariableDeclarator" && !/Function|Class|Catch/.test(node.type)) return;
    const { id, params, param } = node as { id?: unknown; params?: unknown[]; param?: unknown };
    for (const place of [id, param, ...(params ?? [])]) {
      for (const name of declaredBy(place)) declared.add(name);
    }
  });
  const free = new Set<string>();
  simple(program, {
    Identifier: (node) => {
      if (!declared.has(node.name)) free.add(node.name);
    },
    MemberExpression: ({ object, property }) => {
      const isGlobal = object.type === "Identifier" && object.name === "globalThis";
      if (isGlobal && property.type === "Identifier") free.add(property.name);
    },
  });
  return [...free].sort();
}

/** Which of the names QuickJS does not have. */
async function missingIn(names: readonly string[]): Promise<string[]> {
  const script = names.map((name) => `if (typeof ${name} === "undefined") print("${name}");`);
  const output = await runInQuickjs(variants.release, script.join("\n"));
  return output.split("\n").filter((name) => name !== "" && name !== "module");
}

interface Shipped {
  readonly name: string;
  readonly min: number;
  readonly gzip: number;
  readonly missing: readonly string[];
  /** Whether it loads in QuickJS as it is. */
  readonly loads: boolean;
  /** Heap taken by loading it, with empty stand-ins for what is missing. */
  readonly heap: number;
}

async function shipped(name: string, code: string): Promise<Shipped> {
  const missing = await missingIn(freeNames(code));
  const standIns = `var globalNames = ${JSON.stringify(missing)};
    for (var i = 0; i < globalNames.length; i++) globalThis[globalNames[i]] = function () {};
    if (typeof Headers === "function") Headers.prototype.set = function () {};`;
  const loads = !/Error/.test(await runInQuickjs(variants.release, code));
  const [, heap] = await heapSteps([standIns, code]);
  return {
    name,
    min: code.length,
    gzip: gzipSync(code, { level: 9 }).length,
    missing,
    loads,
    heap: heap!,
  };
}

export async function shippedClients(): Promise<Shipped[]> {
  const list = [
    await shipped("picogrant, complete", await builtBundle("complete")),
    await shipped("picogrant, grant alone", await builtBundle("grant")),
  ];
  for (const name of Object.keys(used)) list.push(await shipped(name, await peerBundle(name)));
  return list;
}
