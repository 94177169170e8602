// The size that was reached and is kept: a change that costs more bytes than it is worth is noticed when
// it is made. The goals beyond it are in `npm run budgets`.

import { expect, test } from "vitest";
import { bundleCore } from "../../targets/firmware/bundle.ts";

test("the file of the grant alone, with the line that names its map, fits 10 KiB", async () => {
  const { code } = await bundleCore("grant");
  const file = `${code}//# sourceMappingURL=picogrant-grant.js.map\n`;
  expect(Buffer.byteLength(file)).toBeLessThanOrEqual(10_240);
});
