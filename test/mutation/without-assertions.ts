// What the core says that must hold (core/device/assertion.ts) is not mutated: it does not ship, and no test of a core
// without a fault can find one that is weaker. For each assertion test/model/assertions.test.ts plants a fault that it
// finds.

import type { Ignorer } from "@stryker-mutator/api/ignore";
import { declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin";

const LABEL = "ASSERT";

/** What Stryker's own type does not say of its paths. */
interface Place {
  readonly node: { readonly type: string; readonly label?: { readonly name: string } };
}

const withoutAssertions: Ignorer = {
  shouldIgnore: (path) => {
    const { node } = path as Place;
    const isAssertion = node.type === "LabeledStatement" && node.label?.name === LABEL;
    return isAssertion ? "an assertion does not ship" : undefined;
  },
};

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, "without-assertions", withoutAssertions),
];
