// The size of the bundle: its ceilings (core/DESIGN.md, Sizes).

import { expect, test } from "vitest";
import { bundleCore } from "../../targets/bundle/bundled-core.ts";
import { sizeCeilings } from "../../targets/workbench/budgets/budget-limits.ts";

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
