// The lives (life.ts) are known to find something: each of these faults, planted in a copy of the sources.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";
import { isFullRun } from "../full-run.ts";
import type { LifeReport } from "./life.ts";
import { PLANTS, type Plant } from "./plants.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "picogrant-plants-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LIVES_MAX = 1500;
const FIRST_SEED = 1;

const sourceOf = (plant: Plant): string => readFileSync(path.join(root, plant.file), "utf8");

type LiveOnce = (seed: number, hasUpdates?: boolean) => Promise<LifeReport>;

/** The lives on sources with one fault. */
async function livesOf(plant: Plant, index: number): Promise<LiveOnce> {
  const planted = path.join(root, plant.file);
  const { outputFiles } = await build({
    entryPoints: [
      path.join(root, "test/session-model", plant.isShared ? "shared-life.ts" : "life.ts"),
    ],
    ...{ bundle: true, write: false, format: "esm", platform: "node", target: "node20" },
    plugins: [
      {
        name: "plant",
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, ({ path: file }) =>
            file === planted
              ? { contents: sourceOf(plant).replace(plant.from, () => plant.to), loader: "ts" }
              : undefined,
          );
        },
      },
    ],
    external: ["tweetnacl"],
  });
  const file = path.join(folder, `plant-${index}.mjs`);
  // tweetnacl is found from here.
  const require = `import { createRequire } from "node:module"; const require = createRequire(${JSON.stringify(`${root}/package.json`)});\n`;
  const code = outputFiles[0]!.text.replace(
    /import (\w+) from "tweetnacl";/,
    (_, name: string) => `const ${name} = require("tweetnacl");`,
  );
  writeFileSync(file, require + code);
  const made = (await import(pathToFileURL(file).href)) as Record<string, LiveOnce>;
  return made[plant.isShared ? "sharedLifeOnce" : "liveOnce"]!;
}

describe("planted faults", () => {
  it("each stands once in its file", () => {
    expect(PLANTS.length).toBeGreaterThanOrEqual(38);
    for (const plant of PLANTS) {
      expect(sourceOf(plant).split(plant.from).length - 1, plant.what).toBe(1);
    }
  });

  it.each(isFullRun ? PLANTS.map((plant, index) => [plant.what, plant, index] as const) : [])(
    "%s",
    async (_, plant, index) => {
      const ignore = (): void => {};
      process.on("unhandledRejection", ignore);
      try {
        const liveOnce = await livesOf(plant, index);
        let found = "";
        for (let seed = FIRST_SEED; seed < FIRST_SEED + LIVES_MAX && found === ""; seed++) {
          found = (await liveOnce(seed, plant.hasUpdates)).violations.join("; ");
        }
        expect(found).not.toBe("");
      } finally {
        process.off("unhandledRejection", ignore);
      }
    },
    600_000,
  );
});
