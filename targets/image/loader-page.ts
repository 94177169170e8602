// The boot loader's page, which the factory programs (layout: targets/host/ports/board/loader/page.h): which product
// the device is, and whose images it runs.

import { crc32Of, FactoryPageError, number } from "./factory-page.ts";
import { isFieldText, KEYS_MAX, PUBLIC_KEY_BYTES, Width } from "./format.ts";

const PRODUCT_BYTES = 36;

/**
 * @param keys the maker's public keys, oldest first
 * @param counterMin of hardware that counts; 0 where there is none
 * @throws FactoryPageError with one line: what does not fit
 */
export function makeLoaderPage(
  product: string,
  keys: readonly Uint8Array[],
  counterMin = 0,
): Buffer {
  if (!isFieldText(product, Width.product)) {
    throw new FactoryPageError(`the product has 1 to ${Width.product} printable characters`);
  }
  if (keys.length === 0 || keys.length > KEYS_MAX) {
    throw new FactoryPageError(`a loader knows 1 to ${KEYS_MAX} keys, not ${keys.length}`);
  }
  const name = Buffer.alloc(PRODUCT_BYTES);
  name.write(product, "latin1");
  const room = Buffer.alloc(KEYS_MAX * PUBLIC_KEY_BYTES);
  keys.forEach((key, index) => {
    room.set(key, index * PUBLIC_KEY_BYTES);
  });
  const content = Buffer.concat([name, number(counterMin, 4), number(keys.length, 4), room]);
  return Buffer.concat([Buffer.from("PGLP"), number(crc32Of(content), 4), content]);
}
