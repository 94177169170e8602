// What is in the package that others have written, as CycloneDX: npm's own list, cut down to what is bundled or
// installed with it, and without what differs from one run to the next.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

interface Bill {
  readonly bomFormat: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** Made by `npm run tool -- package`: name and version of each package whose code is in a bundle. */
function bundled(): string[] {
  return JSON.parse(readFileSync(join(root, "dist/bundled-packages.json"), "utf8")) as string[];
}

export function billOfMaterials(): Bill {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
  const text = execFileSync("npm", args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const {
    serialNumber: _random,
    metadata,
    ...bill
  } = JSON.parse(text) as Bill & {
    serialNumber: string;
    metadata: { timestamp: string };
  };
  const { timestamp: _now, ...lasting } = metadata;
  const { name, dependencies: installed } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  ) as { name: string; dependencies: Record<string, string> };
  const wanted = new Set([
    ...bundled(),
    ...Object.entries(installed).map(([name, version]) => `${name}@${version}`),
  ]);
  const components = bill.components.filter(({ name, version }) =>
    wanted.delete(`${name}@${version}`),
  );
  if (wanted.size > 0) throw new Error(`npm's list does not have ${[...wanted].join(", ")}`);
  const refs = new Set(components.map((component) => component["bom-ref"]));
  const own = metadata.component["bom-ref"];
  return {
    ...bill,
    // npm takes the name of the folder, which is whoever's who made the release.
    metadata: { ...lasting, component: { ...metadata.component, name } },
    components: components.map(withoutDevelopment),
    dependencies: [
      { ref: own, dependsOn: [...refs].sort() },
      ...[...refs].sort().map((ref) => ({ ref, dependsOn: [] })),
    ],
  };
}

/** npm marks what only developers install; here it is shipped, as part of a bundle. */
function withoutDevelopment(component: Component): Component {
  const properties = component.properties?.filter(
    ({ name }) => name !== "cdx:npm:package:development",
  );
  return { ...component, ...(properties && { properties }) };
}
