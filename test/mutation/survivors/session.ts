// Of the session.

import type { Explanation } from "./explanation.ts";

export const SESSION: readonly Explanation[] = [
  {
    file: "platform/session/answer-ear.ts",
    line: "body = [];",
    mutants: ['[] => ["Stryker was here"]'],
    why: "Behind the end of an answer nobody reads it any more.",
  },
  {
    file: "platform/session/claims.ts",
    line: 'if (text.length > BYTES_MAX) return "";',
    mutants: ['"" => "Stryker was here!"'],
    why: "Neither is JSON: what is too long counts as nothing.",
  },
  {
    file: "platform/session/fetch.ts",
    line: 'const address = isMeant ? url.origin : "";',
    mutants: ['"" => "Stryker was here!"'],
    why: "Neither has an origin: every address is another server's.",
  },
  {
    file: "platform/session/fetch.ts",
    line: 'const redirect = init.redirect ?? request?.redirect ?? "follow";',
    mutants: ['"follow" => ""'],
    why: 'It is only asked whether it is "manual" or "error".',
  },
  {
    file: "platform/session/fetch.ts",
    line: "if (to === undefined || rest === undefined) {",
    mutants: ["to === undefined => false"],
    why: "Without a redirect there is no rest either: this tells the compiler.",
  },
  {
    file: "platform/session/fetch.ts",
    line: 'const becomesGet = !isReading && (status === 303 || (status < 303 && method === "POST"));',
    mutants: ["status < 303 => status <= 303"],
    why: "303 is named in front of it.",
  },
  {
    file: "platform/session/id-token.ts",
    line: 'const [, family = "", bits = ""] = /^(HS|RS|PS|ES)(256|384|512)$/.exec(String(alg)) ?? [];',
    mutants: ['"" => "Stryker was here!"', '[] => ["Stryker was here"]'],
    why: "No family of algorithms is called so, either.",
  },
  {
    file: "platform/session/id-token.ts",
    line: 'return [await subtle.importKey("raw", secret, key, false, ["verify"])];',
    mutants: ["false => true"],
    why: "Whether it could be exported again: nobody is given the key.",
  },
  {
    file: "platform/session/id-token.ts",
    line: 'const { kid: own, use, n = "" } = jwk as JsonWebKey & { readonly kid?: string };',
    mutants: ['"" => "Stryker was here!"'],
    why: "Neither is base64url of 256 bytes: a key without a modulus is too short.",
  },
  {
    file: "platform/session/id-token.ts",
    line: "const isOfKind = jwk.kty === kty && (crv === undefined || jwk.crv === crv);",
    mutants: [
      "jwk.kty === kty && (crv === undefined || jwk.crv === crv) => true",
      "jwk.kty === kty && (crv === undefined || jwk.crv === crv) => jwk.kty === kty || crv === undefined || jwk.crv === crv",
      "jwk.kty === kty => true",
      "crv === undefined || jwk.crv === crv => true",
      "crv === undefined => false",
      "crv === undefined => crv !== undefined",
    ],
    why: "Defence in depth: importKey refuses a key of another kind or curve (Web Cryptography API), and what is refused does not count.",
  },
  {
    file: "platform/session/id-token.ts",
    line: 'subtle.importKey("jwk", { kty, crv, n, e, x, y } as JsonWebKey, key, false, ["verify"]),',
    mutants: ["false => true"],
    why: "Whether it could be exported again: nobody is given the key.",
  },
  {
    file: "platform/session/settings.ts",
    line: "rediscover: known && kept?.rediscover && (() => kept.rediscover!(choice)),",
    mutants: ["kept?.rediscover => kept.rediscover"],
    why: "What is known comes from what is kept: this tells the compiler.",
  },
  {
    file: "platform/session/settings.ts",
    line: 'const { clientId, clientSecret = "", memoryBytes = SESSION_BYTES } = client;',
    mutants: ['"" => "Stryker was here!"'],
    why: "Here it is only asked whether it is printable; what is sent is read elsewhere.",
  },
  {
    file: "platform/session/value-storage.ts",
    line: "const bytes = text === undefined ? undefined : bytesOf(text);",
    mutants: ["text === undefined => false"],
    why: "atob takes undefined for that word, which is no base64.",
  },
  {
    file: "platform/session/value-storage.ts",
    line: 'if (parts === null) throw new Error("not a value of picogrant");',
    mutants: ['"not a value of picogrant" => ""'],
    why: "What an error says is not repeated (failureOf): it may be the value. The words are for a debugger.",
  },
  {
    file: "platform/session/value-storage.ts",
    line: 'const known = [code, name].find((word) => /^[A-Za-z0-9_]{1,60}$/.test(String(word ?? "")));',
    mutants: ['"" => "Stryker was here!"'],
    why: "Neither is one word.",
  },
  {
    file: "platform/session/value-storage.ts",
    line: "} catch {",
    mutants: ["{ => {}"],
    why: "A function that ends without a value gives undefined as well.",
  },
  {
    file: "platform/session/session.ts",
    line: 'return this.status !== "ended" && this.#device.length[Region.REFRESH_TOKEN]! > 0;',
    mutants: [
      "this.#device.length[Region.REFRESH_TOKEN]! > 0 => this.#device.length[Region.REFRESH_TOKEN]! >= 0",
    ],
    why: "Of a token that there is not the length is -1.",
  },
  {
    file: "platform/session/session.ts",
    line: "if (heard === undefined || heard === this.#claims?.of) return this.#claims?.are;",
    mutants: ["heard === undefined => false"],
    why: "Before the first token both are undefined: this tells the compiler.",
  },
  {
    file: "platform/session/watch.ts",
    line: '#operation = "";',
    mutants: ['"" => "Stryker was here!"'],
    why: "A device begins with reading its records: the first look sets it.",
  },
  {
    file: "platform/session/watch.ts",
    line: "#isSilent = false;",
    mutants: ["false => true"],
    why: "A device begins with reading its records: the first look sets it.",
  },
  {
    file: "platform/session/watch.ts",
    line: "return (device.job !== 0 || device.storageCommand !== 0) && !this.#isSilent;",
    mutants: [
      "device.job !== 0 || device.storageCommand !== 0 => device.job !== 0 && device.storageCommand !== 0",
      "device.job !== 0 => false",
      "device.storageCommand !== 0 => false",
    ],
    why: "When the core rests, a job has its command out, and a command of the storage belongs to a job: either says it.",
  },
  {
    file: "platform/session/attempt.ts",
    line: '#shownCode = "";',
    mutants: ['"" => "Stryker was here!"'],
    why: "No server gives such a code.",
  },
  {
    file: "platform/session/attempt.ts",
    line: "this.settings.shared?.leave();",
    mutants: ["this.settings.shared?.leave => this.settings.shared.leave"],
    why: "Only a start with shared records begins again.",
  },
  {
    file: "platform/session/attempt.ts",
    line: "const isAsking = !this.#handlers.resumeOnly && this.#session === undefined;",
    mutants: [
      "!this.#handlers.resumeOnly && this.#session === undefined => true",
      "!this.#handlers.resumeOnly && this.#session === undefined => !this.#handlers.resumeOnly || this.#session === undefined",
      "this.#session === undefined => true",
    ],
    why: "A device that begins to ask for a code is given up before it has sent anything: this keeps it from beginning.",
  },
  {
    file: "platform/session/attempt.ts",
    line: "if (this.#isStale) return;",
    mutants: ["this.#isStale => false"],
    why: "Begun again twice in one turn it reads the same records twice.",
  },
  {
    file: "platform/session/attempt.ts",
    line: "if (this.#isReleased || this.#isStale) return;",
    mutants: [
      "this.#isReleased || this.#isStale => false",
      "this.#isReleased || this.#isStale => this.#isReleased && this.#isStale",
    ],
    why: "A driver that was stopped tells of no change; one with old records is at its end, which the lines behind look at, or as it was.",
  },
  {
    file: "platform/session/attempt.ts",
    line: "if (this.#isStale) return Number.POSITIVE_INFINITY;",
    mutants: ["this.#isStale => false"],
    why: "It is stopped, and its alarm with it, before that could ring.",
  },
  {
    file: "platform/session/attempt.ts",
    line: "return !isAsking && inFlight === 0 && job === 0 && storageCommand === 0;",
    mutants: ["job === 0 => true", "storageCommand === 0 => true"],
    why: "When the core rests, a job has its command out, and a command of the storage belongs to a job: either says it.",
  },
  {
    file: "platform/session/attempt.ts",
    line: "return state === State.SIGNED_OUT || state === State.REQUESTING || state === State.PENDING;",
    mutants: ["state === State.REQUESTING => false"],
    why: "A device that nobody wants a code of requests none; one that does finds out at its next request that its records are old.",
  },
];
