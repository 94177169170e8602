// A firmware has one device. The sources hand its record to every function, so that a simulator can
// have thousands; in the bundle the record's properties become variables, but for those that a host
// reads, and nothing is handed over. Shorter, and on every engine faster than looking a property up.

import {
  assignment,
  bundleBody,
  copy,
  expression,
  identifier,
  replace,
  type Tree,
  variable,
  walk,
} from "./syntax-tree.ts";

/** Name that the sources give to the record, everywhere. */
const DEVICE = "device";

/** What stands for a variable's name twice, and once before each place that sets it. */
const MIRROR_COST = 3;

/**
 * What is set before it is read, whatever happens: by the request before its answer (an answer to none is not looked
 * at), by whatever is begun (writing, laying out, a call), by each move. It need not be set at the start as well.
 */
export const SET_BEFORE_READ: ReadonlySet<string> = new Set([
  "purpose",
  "exchangeMs",
  "status",
  "retryAfterS",
  "bodyBytes",
  "scanSeen",
  "scanUnit",
  "writeEnd",
  "binding",
  "pageStart",
  "cell",
  "rowEnd",
  "backoffMs",
  "callEndpoint",
  "callIsGet",
  "callRetried",
  "targetSize",
  "eventPolls",
]);

function isDevice(node: Tree | undefined): boolean {
  return node?.type === "Identifier" && node.name === DEVICE;
}

/** Chains `a = b = c = 0` for the variables that begin with the same value. */
function chains(assigned: Map<string, Tree>): Tree[] {
  const byValue = new Map<string, { value: Tree; names: string[] }>();
  for (const [name, value] of assigned) {
    const key = value.type === "Literal" ? String(value.value) : name;
    const chain = byValue.get(key) ?? { value, names: [] };
    chain.names.push(name);
    byValue.set(key, chain);
  }
  return [...byValue.values()].map(({ value, names }) =>
    expression(names.reduceRight((right, name) => assignment(identifier(name), right), value)),
  );
}

/**
 * Properties for hosts that the core itself reads often: they are set in both, and read in the variable.
 * Only what is set by plain assignments.
 */
function mirroredOf(tree: Tree, kept: ReadonlySet<string>): Set<string> {
  const gains = new Map<string, number>();
  walk(tree, (node, parent) => {
    if (node.type !== "MemberExpression" || !isDevice(node.object) || node.computed) return;
    const { name } = node.property as { name: string };
    const isSet = parent?.type === "AssignmentExpression" && parent.left === node;
    const isPlain = !isSet || parent.operator === "=";
    const gain = isSet ? -MIRROR_COST : name.length + 1;
    if (!isPlain || parent?.type === "UpdateExpression") gains.set(name, Number.NEGATIVE_INFINITY);
    else gains.set(name, (gains.get(name) ?? -2 * MIRROR_COST) + gain);
  });
  return new Set([...kept].filter((name) => (gains.get(name) ?? 0) > 0));
}

/**
 * Turns the record into variables, in place.
 * @param tree the bundle before it is minified
 * @param kept properties of the record that a host reads: they stay properties of the one record
 * @param exported functions that a host calls: they go on taking the record, and do not look at it
 */
export function oneDevice(
  tree: Tree,
  kept: ReadonlySet<string>,
  exported: ReadonlySet<string>,
): void {
  const variables = new Set<string>();
  const mirrored = mirroredOf(tree, kept);
  const name = (property: string): string => {
    variables.add(property);
    return `$${property}`;
  };
  const change = (node: Tree): Tree | Tree[] => {
    if (node.type === "FunctionDeclaration" && isDevice(node.params[0])) {
      if (exported.has(node.id.name)) node.params[0] = identifier("_device");
      else node.params.shift();
    } else if (node.type === "CallExpression" && isDevice(node.arguments[0])) {
      if (!exported.has(node.callee.name)) node.arguments.shift();
    } else if (node.type === "MemberExpression" && isDevice(node.object)) {
      const { property, computed } = node;
      if (!computed && (!kept.has(property.name) || mirrored.has(property.name)))
        return identifier(name(property.name));
    } else if (node.type === "AssignmentExpression" && mirrored.has(node.left.name?.slice(1))) {
      const property = identifier(node.left.name.slice(1));
      const member = { ...node, type: "MemberExpression", computed: false, property } as Tree;
      return assignment({ ...member, object: identifier(DEVICE) } as Tree, node);
    } else if (node.type === "VariableDeclaration" && isDevice(node.declarations[0].id)) {
      if (node.declarations.length > 1) throw new Error("`var device` must stand alone");
      const init = node.declarations[0].init as Tree;
      if (init.type !== "ObjectExpression") return expression(init);
      // Where the record is made.
      const assigned = new Map<string, Tree>();
      init.properties = (init.properties as Tree[]).filter((property) => {
        if (mirrored.has(property.key.name)) {
          assigned.set(name(property.key.name), copy(property.value));
        }
        if (kept.has(property.key.name)) return true;
        if (!SET_BEFORE_READ.has(property.key.name))
          assigned.set(name(property.key.name), property.value);
        return false;
      });
      return [expression(assignment(identifier(DEVICE), init)), ...chains(assigned)];
    }
    return node;
  };
  replace(tree, change);
  bundleBody(tree).unshift(
    ...[DEVICE, ...[...variables].map(name)].map((each) => variable(each, null)),
  );
  walk(tree, (node) => {
    if (node.type === "FunctionDeclaration" && node.params.some(isDevice)) {
      throw new Error(`${node.id.name} takes the device, but not as its first parameter`);
    }
  });
}
