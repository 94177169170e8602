// The size that was reached and is kept: a change that costs more bytes than it is worth is noticed when
// it is made. The goals beyond it are in `npm run budgets`.

import { expect, test } from "vitest";
import { bundleCore } from "../../targets/firmware/bundle.ts";

test.each([
  ["the grant alone", "grant", "picogrant-grant.js", 10],
  ["everything", "complete", "picogrant.js", 15],
] as const)("the file of %s, with the line that names its map, fits its KiB", async (...row) => {
  const [, variant, name, kibibytes] = row;
  const { code } = await bundleCore(variant);
  const file = `${code}//# sourceMappingURL=${name}.map\n`;
  expect(Buffer.byteLength(file)).toBeLessThanOrEqual(kibibytes * 1024);
});
