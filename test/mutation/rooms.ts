// What is mutated, and which tests its mutants are run against.

import { existsSync, readdirSync } from "node:fs";
import path from "node:path";

/** Sources that are run against the same tests. */
export interface Room {
  readonly name: string;
  /** Files, or folders with all that is in them. */
  readonly sources: readonly string[];
  /** The quick ones first: they kill most mutants. */
  readonly tests: readonly string[];
  /**
   * All files at once: the tests are tried out once for all of them. Not in the core, whose scanner and checksum are so
   * busy that counting what is covered in all files at once makes every test ten times slower.
   */
  readonly isTogether: boolean;
}

const inPlatform = (...names: string[]): string[] =>
  names.map((name) => `test/platform/${name}.test.ts`);
const inServers = (...names: string[]): string[] =>
  names.map((name) => `test/servers/${name}.test.ts`);

const inNode = (names: readonly string[]): string[] =>
  names.map((name) => `platform/node/${name}.ts`);

/** What keeps records on a disk. */
const NODE_FILES = [
  ...["file-storage", "forget", "forget-directory"],
  ...["make-directory", "shared-directory", "state-directory-error", "state-lock", "state-owner"],
];
/** What speaks to servers. */
const NODE_NETWORK = [...["agent-fetch", "fetch", "http", "kept-connections", "timers"]];
/** What a program chooses, and what it shows. */
const NODE_PROGRAMS = [
  ...[
    "directory-platform",
    "entropy",
    "index",
    "options",
    "platform",
    "qr-code",
    "terminal-display",
  ],
];

const LIVES = ["test/core/storage-jobs.test.ts", "test/core/found.test.ts"];
/** A second or more each: they come last. */
const SLOW_IN_CORE = ["test/core/dialects.test.ts", "test/mutation/mutants.ts"];
const SESSIONS = "test/mutation/session-mutants.ts";

function coreTests(root: string): string[] {
  const quick = readdirSync(path.join(root, "test/core"))
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `test/core/${name}`)
    .filter((name) => !SLOW_IN_CORE.includes(name));
  return [...quick, ...LIVES, ...SLOW_IN_CORE];
}

/** All that is mutated. */
export function roomsOf(root: string): Room[] {
  return [
    { name: "core", sources: ["core"], tests: coreTests(root), isTogether: false },
    {
      name: "driver",
      sources: ["platform/driver.ts", "platform/driver"],
      tests: [
        ...inPlatform("answer-sink", "driver-requests", "driver-words", "driver-loop"),
        ...inPlatform(
          "driver-moments",
          "driver",
          "driver-faults",
          "driver-addresses",
          "body-forms",
        ),
        ...inPlatform("broken-adapters", "broken-storage", "code-challenges", "last-look"),
        ...inPlatform(
          "step-up",
          "log",
          "session",
          "session-end",
          "session-storage",
          "sealed-device",
        ),
        "test/service/device-events.test.ts",
        SESSIONS,
      ],
      isTogether: true,
    },
    {
      name: "session",
      sources: ["platform/session"],
      tests: [
        ...inPlatform("answer-ear", "claims", "server-settings", "value-slots"),
        ...inPlatform(
          "shared-state",
          "session-words",
          "session-failures",
          "session",
          "session-end",
        ),
        ...inPlatform("session-storage", "id-token", "session-fetch"),
        "test/servers/unknown-servers.test.ts",
        SESSIONS,
        ...inPlatform("log"),
      ],
      isTogether: true,
    },
    {
      name: "sealed storage",
      sources: ["platform/sealed-storage.ts"],
      tests: [...inPlatform("sealed-format", "sealed-storage", "sealed-device", "sealed-secrets")],
      isTogether: true,
    },
    {
      name: "discovery",
      sources: ["platform/discovery.ts"],
      tests: [...inPlatform("discovery", "metadata-fuzz"), ...inServers("unknown-servers")],
      isTogether: true,
    },
    {
      name: "configuration",
      sources: ["platform/configuration"],
      tests: ["schema-check", "complete-config", "driver-settings", "members", "device-config"].map(
        (name) => `test/configuration/${name}.test.ts`,
      ),
      isTogether: true,
    },
    {
      name: "node, files",
      sources: inNode(NODE_FILES),
      tests: [
        ...inPlatform("make-directory", "state-owner", "broken-medium"),
        ...inPlatform("node-state-lock", "file-storage"),
      ],
      isTogether: true,
    },
    {
      name: "node, conformance server",
      sources: inNode(["conformance-server"]),
      tests: inPlatform("conformance-server"),
      isTogether: true,
    },
    {
      name: "node, metadata",
      sources: ["platform/node/kept-metadata.ts"],
      tests: inPlatform("kept-metadata"),
      isTogether: true,
    },
    {
      name: "node, network",
      sources: inNode(NODE_NETWORK),
      tests: [
        ...inPlatform("node-timers", "http-adapter", "http-connections", "agent-fetch"),
        // The conformance suite waits in each of its cases for what must not come: these find what it finds here.
        ...inPlatform("session-fetch"),
      ],
      isTogether: true,
    },
    {
      name: "node, programs",
      sources: inNode(NODE_PROGRAMS),
      tests: inPlatform("qr-code", "terminal-display", "node-platform", "sign-in-options"),
      isTogether: true,
    },
    {
      name: "node, sign-in",
      sources: ["platform/node/sign-in.ts"],
      // Those of the proxy and of several processes take seconds each, and what they test of this file others do, too.
      tests: inPlatform("sign-in-options", "sign-in-parts", "sign-in"),
      isTogether: true,
    },
    {
      name: "servers",
      sources: ["platform/servers"],
      tests: [
        ...inServers("words", "translating-http", "translations", "conversations"),
        ...inServers("unknown-servers", "readme"),
      ],
      isTogether: true,
    },
  ];
}

export function roomNamed(root: string, name: string | undefined): Room {
  const room = roomsOf(root).find((one) => one.name === name);
  if (room === undefined) throw new Error(`there is no room "${name}" in test/mutation/rooms.ts`);
  return room;
}

/** What the core says that must hold does not ship. */
const ASSERTION = "core/device/assertion.ts";

/**
 * Its files that ship. The readable tables in core/tables do not: a test compares what they make with the dense ones
 * that do, byte by byte.
 */
export function filesOf(root: string, { sources }: Room): string[] {
  return sources
    .flatMap((source) => (source.endsWith(".ts") ? [source] : filesIn(root, source)))
    .filter((file) => file !== ASSERTION && !file.startsWith("core/tables/"))
    .filter((file) => existsSync(path.join(root, file)));
}

function filesIn(root: string, folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.split(path.sep).join("/")}`)
    .filter((name) => name.endsWith(".ts"));
}
