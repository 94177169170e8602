// The keys that ID tokens are signed with: one for each algorithm, made when first needed, rotated on command. A key
// that was replaced stays in the key set for a while, for tokens that it signed (OpenID Connect Core §10.1.1).
import type { Environment, SigningKey } from "../environment.ts";
import { utf8 } from "../wire.ts";

/** OpenID Connect Discovery §3 demands RS256; ES256 is what small clients verify with less. */
export const SIGNING_ALGORITHMS = ["RS256", "ES256"] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

interface Retired {
  readonly key: SigningKey;
  readonly untilMs: number;
}

export class ProviderKeys {
  readonly #env: Environment;
  readonly #current = new Map<SigningAlgorithm, SigningKey>();
  #retired: Retired[] = [];

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Whether the host can make keys: without them the service is no OpenID provider. */
  get areThere(): boolean {
    return this.#env.makeKey !== undefined;
  }

  /** The compact serialization of a signed JWT (RFC 7519). @throws Error where the host makes no keys */
  sign(claims: object, algorithm: SigningAlgorithm): string {
    const key = this.#key(algorithm);
    const header = { alg: algorithm, typ: "JWT", kid: key.publicJwk.kid };
    const signed = `${encode(JSON.stringify(header))}.${encode(JSON.stringify(claims))}`;
    return `${signed}.${encode(key.sign(utf8(signed)))}`;
  }

  /** New keys from now on; the old ones stay published for `seconds`. */
  rotate(seconds: number): void {
    if (!this.areThere) return;
    const untilMs = this.#env.now() + seconds * 1000;
    for (const algorithm of SIGNING_ALGORITHMS) {
      this.#retired.push({ key: this.#key(algorithm), untilMs });
      this.#current.delete(algorithm);
    }
  }

  /** The public keys, the newest first. */
  published(): readonly object[] {
    if (!this.areThere) return [];
    const nowMs = this.#env.now();
    this.#retired = this.#retired.filter(({ untilMs }) => nowMs < untilMs);
    const current = SIGNING_ALGORITHMS.map((algorithm) => this.#key(algorithm));
    return [...current, ...this.#retired.map(({ key }) => key)].map(({ publicJwk }) => publicJwk);
  }

  #key(algorithm: SigningAlgorithm): SigningKey {
    const known = this.#current.get(algorithm);
    if (known) return known;
    if (!this.#env.makeKey) throw new Error("this service signs no ID tokens: it has no makeKey");
    const key = this.#env.makeKey(algorithm);
    this.#current.set(algorithm, key);
    return key;
  }
}

function encode(data: string | Uint8Array): string {
  return Buffer.from(data).toString("base64url");
}
