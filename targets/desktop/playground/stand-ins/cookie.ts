// hono/cookie for a page. Browsers take Set-Cookie out of every answer that a script makes, so here it travels
// under another name; phone.ts reads it there.
import type { Context } from "hono";

export { getCookie } from "hono/cookie";

export const COOKIE_HEADER = "x-playground-cookie";

export function setCookie(c: Context, name: string, value: string): void {
  c.header(COOKIE_HEADER, `${name}=${value}`, { append: true });
}
