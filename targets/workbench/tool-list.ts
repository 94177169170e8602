// The commands of `npm run tool -- NAME`. The scripts of package.json are for everyday work.

interface Tool {
  readonly description: string;
  readonly program?: string;
  readonly tests?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const all = "test/vitest.config.ts";

export const TOOLS: Readonly<Record<string, Tool>> = {
  coverage: {
    description: "rows of the specifications and their tests",
    program: "test/coverage/main.ts",
  },
  model: { description: "the core against its model", program: "test/model/main.ts" },
  package: { description: "the folders that npm publishes", program: "scripts/package.ts" },
  peers: { description: "the comparison with other clients", program: "scripts/peers.ts" },
  picogrant: {
    description: "runs the command picogrant from its sources",
    program: "targets/command/main.ts",
  },
  sample: {
    description: "draws mutants and reports which tests catch them",
    program: "test/sampler/main.ts",
  },
  "random-sessions": {
    description: "random runs of the session",
    program: "test/session-model/main.ts",
  },
  "test-browser": {
    description: "the tests of panel, pages and site in Chromium",
    tests: ["test/suites.config.ts", "--project=browser"],
  },
  "test-dist": {
    description: "the core's tests on the built bundles",
    program: "scripts/test-dist.ts",
  },
  "test-integers": {
    description: "the core's tests and its model with every number checked",
    tests: [all, "test/core", "test/model", "test/engines/integers.test.ts"],
    environment: { PICOGRANT_ALL: "1", PICOGRANT_INTEGERS: "1" },
  },
  "test-package": {
    description: "the tests of the npm packages",
    tests: ["test/suites.config.ts", "--project=package"],
  },
  "test-peers": {
    description: "interoperability with other servers and clients, run here",
    tests: [all, "test/peers/"],
    environment: { PICOGRANT_ALL: "1" },
  },
  "test-qjs": {
    description: "the tests on stock QuickJS",
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
