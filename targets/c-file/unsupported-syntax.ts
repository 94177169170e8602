// The error for syntax without an equivalent in C, and the search for expressions whose order of evaluation C does not
// define. TypeScript evaluates from left to right. C may evaluate the operands of most operators, or the arguments of a
// call, in any order. So no operand may write a variable that another one uses.

import { fileURLToPath } from "node:url";
import ts from "typescript";

export const core = fileURLToPath(new URL("../../core/", import.meta.url));

export class UnsupportedSyntax extends Error {
  constructor(node: ts.Node, what: string) {
    const file = node.getSourceFile();
    const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    const words = node.getText().split("\n")[0];
    super(`${file.fileName.replace(core, "core/")}:${line}: ${what} cannot be said in C: ${words}`);
  }
}

function targetOf(node: ts.Node): ts.Node | undefined {
  let target: ts.Node | undefined;
  if (ts.isBinaryExpression(node) && /^[^=!<>]*=$|<<=|>>=/.test(node.operatorToken.getText()))
    target = node.left;
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node))
    target = /\+\+|--/.test(node.getText()) ? node.operand : undefined;
  if (target && ts.isElementAccessExpression(target)) target = target.expression;
  return target && ts.isPropertyAccessExpression(target) ? target.name : target;
}

function operandsOf(node: ts.Node): readonly ts.Node[] {
  if (ts.isCallExpression(node)) return node.arguments;
  if (ts.isElementAccessExpression(node)) return [node.expression, node.argumentExpression];
  if (!ts.isBinaryExpression(node) || /^(?:&&|\|\||,)$/.test(node.operatorToken.getText()))
    return [];
  const { left, right } = node;
  // In C, an assignment also writes last. But C may evaluate the index of its target before or after the value.
  if (node.operatorToken.kind !== ts.SyntaxKind.EqualsToken) return [left, right];
  return ts.isElementAccessExpression(left) ? [left.argumentExpression, right] : [right];
}

/** @throws UnsupportedSyntax at the first expression that depends on the order */
export function refuseOpenOrder(body: ts.Node, checker: ts.TypeChecker): void {
  /** The variables that a node writes or uses, also in functions that it calls. */
  const touched = (node: ts.Node, isWritten: boolean): Set<unknown> => {
    const [names, called] = [new Set<unknown>(), new Set<unknown>()];
    const visit = (one: ts.Node): void => {
      const callee = ts.isCallExpression(one) && checker.getResolvedSignature(one)?.declaration;
      if (callee && !called.has(callee)) {
        called.add(callee);
        ts.forEachChild(callee, visit);
      }
      const name = isWritten ? targetOf(one) : one;
      const found = name && ts.isIdentifier(name) && checker.getSymbolAtLocation(name);
      const declaration = found ? found.declarations?.[0] : undefined;
      // Skip the local variables of called functions, because other operands cannot use them.
      if (declaration && !called.has(ts.findAncestor(declaration, ts.isFunctionDeclaration)))
        names.add(declaration);
      if (!ts.isLabeledStatement(one)) ts.forEachChild(one, visit);
    };
    visit(node);
    return names;
  };
  const visit = (node: ts.Node): void => {
    const operands = operandsOf(node);
    for (const one of operands) {
      const written = touched(one, true);
      const others = operands.filter((other) => written.size > 0 && other !== one);
      if (others.some((other) => [...touched(other, false)].some((name) => written.has(name))))
        throw new UnsupportedSyntax(node, "an open order of evaluation");
    }
    ts.forEachChild(node, visit);
  };
  visit(body);
}
