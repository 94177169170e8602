// The size of the bundle: its ceilings (core/DESIGN.md, Sizes), and where the bytes come from.

import { expect, test } from "vitest";
import { bundleCore } from "../../targets/bundle/bundled-core.ts";
import { sizeCeilings } from "../../targets/workbench/budgets/budget-limits.ts";
import { bytesByFile } from "../../targets/workbench/budgets/by-file.ts";

test.each(["complete", "api", "grant"] as const)(
  "%s: the file is below its ceiling",
  async (variant) => {
    const { length } = (await bundleCore(variant)).code;
    const left = sizeCeilings[variant] - length;
    console.log(`${variant}: ${length} B of ${sizeCeilings[variant]}, ${left} B are left`);
    expect(
      left,
      "core/DESIGN.md says what the ceiling is for, and how it is raised",
    ).toBeGreaterThanOrEqual(0);
  },
);

test.each(["grant", "complete"] as const)(
  "%s: every byte is some file's, and each file of the build has some",
  async (variant) => {
    const bundle = await bundleCore(variant);
    const bytes = bytesByFile(bundle);
    const sum = [...bytes.values()].reduce((total, some) => total + some, 0);
    expect(sum).toBe(bundle.code.indexOf("\n"));
    for (const name of ["create.ts", "json-scanner.ts", "tick.ts"]) {
      expect(bytes.get(name)).toBeGreaterThan(50);
    }
    expect(bytes.has("security-event.ts")).toBe(variant === "complete");
  },
);
