// Of the driver.

import type { Explanation } from "./explanation.ts";

export const DRIVER: readonly Explanation[] = [
  {
    file: "platform/driver.ts",
    line: "const tokens = mayHoldToken ? [] : secretsOf(this.device, this.memory);",
    mutants: ['[] => ["Stryker was here"]'],
    why: "No address has these words in it.",
  },
  {
    file: "platform/driver/answer-sink.ts",
    line: "#streams = false;",
    mutants: ["false => true"],
    why: "It counts from `begin` on, which sets it.",
  },
  {
    file: "platform/driver/answer-sink.ts",
    line: "this.request = {",
    mutants: ["{ => {}"],
    why: "Each request writes all of it before it is sent (requests.ts).",
  },
  {
    file: "platform/driver/answer-sink.ts",
    line: 'method: "POST",',
    mutants: ['"POST" => ""'],
    why: "Each request writes all of it before it is sent (requests.ts).",
  },
  {
    file: "platform/driver/answer-sink.ts",
    line: 'url: "",',
    mutants: ['"" => "Stryker was here!"'],
    why: "Each request writes all of it before it is sent (requests.ts).",
  },
  {
    file: "platform/driver/answer-sink.ts",
    line: 'contentType: "",',
    mutants: ['"" => "Stryker was here!"'],
    why: "Each request writes all of it before it is sent (requests.ts).",
  },
  {
    file: "platform/driver/answer-sink.ts",
    line: 'authorization: "",',
    mutants: ['"" => "Stryker was here!"'],
    why: "Each request writes all of it before it is sent (requests.ts).",
  },
  {
    file: "platform/driver/answer-sink.ts",
    line: 'status(status: number, retryAfterSeconds: number, authenticate = ""): void {',
    mutants: ['"" => "Stryker was here!"'],
    why: "That asks for no sign-in either.",
  },
  {
    file: "platform/driver/code-challenges.ts",
    line: "if (!this.#isHeard) return;",
    mutants: ["!this.#isHeard => false"],
    why: "What is matched counts only where it is heard: this saves the work.",
  },
  {
    file: "platform/driver/code-challenges.ts",
    line: "for (let at = 0; at < text.length; at++) {",
    mutants: ["at < text.length => at <= text.length"],
    why: "A typed array takes nothing beyond its end.",
  },
  {
    file: "platform/driver/headers.ts",
    line: "for (const list of [headers.grant ?? [], headers.resource ?? []]) {",
    mutants: ['[] => ["Stryker was here"]'],
    why: "Taken for a header it has a name of one letter and a value of one: nothing is wrong with it.",
  },
  {
    file: "platform/driver/headers.ts",
    line: "const names = headers.map(([name]) => name.toLowerCase());",
    mutants: ["name.toLowerCase() => name.toUpperCase()"],
    why: "Both make names alike that differ in case alone.",
  },
  {
    file: "platform/driver/thrown.ts",
    line: "if (this.#onError === undefined) return;",
    mutants: ["this.#onError === undefined => false"],
    why: "Calling what is not there throws, and the error is kept, as without the line.",
  },
];
