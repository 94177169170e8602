// What `npm run tool -- NAME` runs: test campaigns, measurements, publishing. The sixteen scripts of package.json are
// for everyday work.

interface Tool {
  readonly says: string;
  readonly program?: string;
  readonly tests?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const all = "test/vitest.config.ts";

export const TOOLS: Readonly<Record<string, Tool>> = {
  "analyse-c": { says: "static analysers over the host in C", program: "scripts/analyse-c.ts" },
  coverage: {
    says: "rows of the specifications and their tests",
    program: "test/coverage/main.ts",
  },
  fleet: { says: "many devices with one service", program: "targets/desktop/fleet/main.ts" },
  "fuzz-c": { says: "fuzzes the inputs of the C host", program: "scripts/fuzz-c.ts" },
  model: { says: "the core against its model", program: "test/model/main.ts" },
  package: { says: "the folders that npm publishes", program: "scripts/package.ts" },
  peers: { says: "the comparison with other clients", program: "scripts/peers.ts" },
  picogrant: {
    says: "runs the command picogrant from its sources",
    program: "targets/command/main.ts",
  },
  playground: { says: "the simulator as a static page", program: "scripts/playground.ts" },
  "prove-c": { says: "proofs about the C host", program: "scripts/prove-c.ts" },
  qjs: { says: "stock QuickJS from Debian's source", program: "scripts/qjs.ts" },
  runtimes: {
    says: "signs in with other bundlers and runtimes; fetches them",
    program: "scripts/runtimes.ts",
  },
  sample: {
    says: "draws mutants and reports which tests catch them",
    program: "test/sampler/main.ts",
  },
  "session-lives": { says: "random runs of the session", program: "test/session-model/main.ts" },
  sessions: { says: "costs of sessions on Node", program: "test/platform/session-costs.ts" },
  "test-browser": {
    says: "the tests of panel, pages and site in Chromium",
    tests: ["test/suites.config.ts", "--project=browser"],
  },
  "test-dist": { says: "the core's tests on the built bundles", program: "scripts/test-dist.ts" },
  "test-integers": {
    says: "the core's tests and its model with every number checked",
    tests: [all, "test/core", "test/model", "test/engines/integers.test.ts"],
    environment: { PICOGRANT_ALL: "1", PICOGRANT_INTEGERS: "1" },
  },
  "test-package": {
    says: "the tests of the npm packages",
    tests: ["test/suites.config.ts", "--project=package"],
  },
  "test-peers": {
    says: "interoperability with other servers and clients, run here",
    tests: [all, "test/peers/clients.test.ts", "test/peers/servers.test.ts"],
    environment: { PICOGRANT_ALL: "1" },
  },
  "test-qjs": {
    says: "the tests on stock QuickJS",
    tests: ["test/suites.config.ts", "--project=quickjs"],
  },
};

export function argumentsOf(tool: Tool, words: readonly string[]): string[] {
  if (tool.tests !== undefined) {
    const [config, ...files] = tool.tests;
    return ["node_modules/vitest/vitest.mjs", "run", "--config", config!, ...files, ...words];
  }
  return ["--import", "tsx", tool.program!, ...words];
}
