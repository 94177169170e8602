// Of the rooms of one file or a few: sealed storage, discovery, configuration, servers.

import type { Explanation } from "./explanation.ts";

export const OTHERS: readonly Explanation[] = [
  {
    file: "platform/servers/translating-http.ts",
    line: "#retryAfterSeconds = -1;",
    mutants: ["-1 => +1"],
    why: "The status of an answer comes before its end (contracts.ts), and sets it.",
  },
  {
    file: "platform/discovery.ts",
    line: "platform: { ...host, storage, display, entropy: { fill: () => false } },",
    mutants: ["() => false => () => undefined", "false => true"],
    why: "What is drawn spreads the waits of many devices, and one document is asked for without a wait.",
  },
  {
    file: "platform/discovery.ts",
    line: 'clientId: "",',
    mutants: ['"" => "Stryker was here!"'],
    why: "Metadata are asked for in nobody's name: the core wants a client, and no request has it.",
  },
  {
    file: "platform/discovery.ts",
    line: 'clientSecret: "",',
    mutants: ['"" => "Stryker was here!"'],
    why: "The same: no request has it.",
  },
  {
    file: "platform/discovery.ts",
    line: 'scope: "",',
    mutants: ['"" => "Stryker was here!"'],
    why: "The same: no request has it.",
  },
  {
    file: "platform/discovery.ts",
    line: 'const outcome = status >= 500 || status === 429 ? "passing" : "refused";',
    mutants: ['"refused" => ""'],
    why: "It is the outcome that nobody asks for: every other one is, by its name.",
  },
  {
    file: "platform/sealed-storage.ts",
    line: "const EMPTY = -2;",
    mutants: ["-2 => +2"],
    why: "It stands for an empty slot alone, as -2 does: what a box that opens holds has ten bytes and more.",
  },
  {
    file: "platform/sealed-storage.ts",
    line: "if (length < 0) done(false);",
    mutants: ["length < 0 => length <= 0"],
    why: "Sealing gives -1, or 51 bytes and more.",
  },
  {
    file: "platform/sealed-storage.ts",
    line: "if (opened !== 0) return -1;",
    mutants: ["opened !== 0 => false"],
    why: "A box that does not open leaves the message as it is, wiped: its version, 0, is refused by the line after the next. The verdict of the authenticator is to be heeded all the same, whatever is wiped.",
  },
  {
    file: "platform/sealed-storage.ts",
    line: "for (let i = 0; i < LABEL.length; i++) input[i] = LABEL.charCodeAt(i);",
    mutants: ["i < LABEL.length => i <= LABEL.length"],
    why: "The byte behind the label is written next, with the length of the device key.",
  },
];
