// What the service has handed out in a life and which of it belongs together. The oracle's books: kept
// from what crosses the wire, never from what the device believes.

/** One authorization attempt's codes, as the device was told them. */
export interface IssuedCode {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly intervalS: number;
  readonly expiresInS: number;
  /** `code_challenge` of the request that brought it (RFC 7636 §4.3); "" where it had none. */
  readonly challenge: string;
  /** When the device had it whole (virtual milliseconds); -1: it never did. */
  arrivedMs: number;
}

type Members = Record<string, unknown>;

/** The object that a body holds, {} where it holds none. */
export function membersOf(body: Uint8Array): Members {
  try {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Members) : {};
  } catch {
    return {};
  }
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export class Ledger {
  readonly #codes = new Map<string, IssuedCode>();
  /** Sessions by each of their tokens, refresh and access. */
  readonly #sessions = new Map<string, number>();
  /** Sessions that end by themselves: access for a limited time. */
  readonly #limited = new Set<number>();
  #count = 0;

  /** The service has answered a request for codes. */
  addCode(form: URLSearchParams, members: Members): void {
    const code: IssuedCode = {
      deviceCode: text(members.device_code),
      userCode: text(members.user_code),
      intervalS: Number(members.interval ?? 5),
      expiresInS: Number(members.expires_in),
      challenge: form.get("code_challenge") ?? "",
      arrivedMs: -1,
    };
    if (code.deviceCode) this.#codes.set(code.deviceCode, code);
  }

  /** The service has answered a token request with tokens. */
  addTokens(form: URLSearchParams, members: Members): void {
    const access = text(members.access_token);
    if (!access) return;
    const before = this.#sessions.get(form.get("refresh_token") ?? "");
    const session = before ?? ++this.#count;
    this.#sessions.set(access, session);
    const refresh = text(members.refresh_token);
    if (refresh) this.#sessions.set(refresh, session);
    if (members.refresh_token_expires_in !== undefined) this.#limited.add(session);
  }

  isLimited(session: number): boolean {
    return this.#limited.has(session);
  }

  code(deviceCode: string): IssuedCode | undefined {
    return this.#codes.get(deviceCode);
  }

  /** Number of the session that a token belongs to; 0: no token that was ever issued. */
  session(token: string): number {
    return this.#sessions.get(token) ?? 0;
  }

  /** Whether a text holds any user code that was ever issued. */
  namesUserCode(told: string): boolean {
    for (const { userCode } of this.#codes.values()) if (told.includes(userCode)) return true;
    return false;
  }

  /** The issued user codes that stand in a frame as words of their own. */
  codesIn(frame: string): IssuedCode[] {
    const found: IssuedCode[] = [];
    for (const code of this.#codes.values()) {
      const at = frame.indexOf(code.userCode);
      if (at < 0) continue;
      const next = frame[at + code.userCode.length];
      const before = frame[at - 1];
      if ((!next || next === " " || next === "\n") && (!before || before <= " ")) found.push(code);
    }
    return found;
  }
}
