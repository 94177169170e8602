// The size that was reached and is kept: a change that costs more bytes than it is worth is noticed when
// it is made. The goals beyond it are in `npm run budgets`.

import { expect, test } from "vitest";
import { bytesByFile } from "../../scripts/budgets/by-file.ts";
import { bundleCore } from "../../targets/firmware/bundle.ts";

test.each([
  ["the grant alone", "grant", "picogrant-grant.js", 9.5],
  ["everything", "complete", "picogrant.js", 14],
] as const)("the file of %s, with the line that names its map, fits its KiB", async (...row) => {
  const [, variant, name, kibibytes] = row;
  const { code } = await bundleCore(variant);
  const file = `${code}//# sourceMappingURL=${name}.map\n`;
  expect(Buffer.byteLength(file)).toBeLessThanOrEqual(kibibytes * 1024);
});

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
