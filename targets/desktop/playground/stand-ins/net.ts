// What the simulated service takes from node:net, for a page.

/** 4 or 6 for an address of that version, 0 for a name. */
export function isIP(text: string): number {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return 4;
  return text.includes(":") ? 6 : 0;
}
