// Where the bytes of the bundle come from. `npm run budgets` holds the sizes to their ceilings.

import { expect, test } from "vitest";
import { bundleCore } from "../../targets/bundle/make-bundle.ts";
import { bytesByFile } from "../../targets/workbench/budgets/by-file.ts";

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
