// Turns the device into an array: replaces each property of the device by an index, because a named property needs more
// memory in QuickJS. Also marks calls of functions in tables, because these functions become numbers (dispatch.ts). The
// compiler's types determine which names belong to the device, and which functions to a table. If the types are not
// sufficient, the build stops: code that destructures a device, indexes it with a name, or passes it as another type
// would use names that no longer exist.

import { fileURLToPath } from "node:url";
import * as ts from "@typescript/native/unstable/ast";
import {
  API,
  type Checker,
  type Project,
  type Symbol as PropertySymbol,
  SignatureKind,
  type Type,
} from "@typescript/native/unstable/sync";
import MagicString from "magic-string";
import { CALL } from "./surface.ts";

interface Placing {
  /** The project's tsconfig.json. `file` declares `type`, whose properties get places. */
  readonly config: string;
  readonly file: string;
  readonly type: string;
  /** Properties that get the first indexes, in this order. The others follow in the order of their declaration. */
  readonly first: readonly string[];
  /** Properties that keep their names, because this build does not have them. */
  readonly absent: readonly string[];
}

/** A project in which properties are replaced by places. */
export interface Placed {
  /** The changed sources by path, each with its source map as JSON. */
  readonly sources: ReadonlyMap<string, { readonly code: string; readonly map: string }>;
  /** The index of each property by name. */
  readonly places: ReadonlyMap<string, number>;
}

interface Known {
  readonly program: Project["program"];
  readonly checker: Checker;
  readonly device: Type;
  /** The names of the properties, by the position of their declaration. */
  readonly nameOf: ReadonlyMap<string, string>;
  readonly places: ReadonlyMap<string, number>;
}

/** The reason why the build stops. The caller adds the position. */
class Unsure extends Error {}

/** @throws Error if it is not certain whether a name belongs to the device */
export function placeProperties(placing: Placing): Placed {
  const api = new API({ cwd: fileURLToPath(new URL("../../", import.meta.url)) });
  try {
    const { config } = placing;
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (!project) throw new Error(`the build cannot open ${config}`);
    const known = learn(project, placing);
    const sources = new Map<string, { code: string; map: string }>();
    for (const name of project.program.getSourceFileNames()) {
      const file = project.program.getSourceFile(name)!;
      const text = file.isDeclarationFile ? undefined : placeIn(file, name, known);
      if (text?.hasChanged()) {
        const map = text.generateMap({ source: name, hires: true, includeContent: true });
        sources.set(name, { code: text.toString(), map: map.toString() });
      }
    }
    return { sources, places: known.places };
  } finally {
    api.close();
  }
}

/** Identifies a property by its declaration, which is the same in all types that contain the property. */
function declarationOf(symbol: PropertySymbol | undefined): string {
  const places = symbol?.declarations.map(({ path, index }) => `${path} ${index}`) ?? [];
  return [...new Set(places)].join();
}

function learn({ program, checker }: Project, { type, file, first, absent }: Placing): Known {
  const declared = program
    .getSourceFile(file)
    ?.statements.filter(
      (node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node),
    )
    .find(({ name }) => name.text === type) as ts.InterfaceDeclaration | undefined;
  const device = declared && checker.getTypeAtLocation(declared.name);
  if (!device) throw new Error(`${file} does not declare ${type}`);
  const symbols = checker.getPropertiesOfType(device);
  const names = symbols.map(({ name }) => name);
  const strange = [...first, ...absent].filter((name) => !names.includes(name));
  if (strange.length > 0) throw new Error(`${type} has no property ${strange.join(", ")}`);
  const present = [...new Set([...first, ...names])].filter((name) => !absent.includes(name));
  return {
    program,
    checker,
    device,
    nameOf: new Map(symbols.map((symbol) => [declarationOf(symbol), symbol.name])),
    places: new Map(present.map((name, place) => [name, place])),
  };
}

function placeIn(file: ts.SourceFile, name: string, known: Known): MagicString {
  const text = new MagicString(file.text);
  const visit = (node: ts.Node): undefined => {
    try {
      if (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node)) refuseFunction(node, known);
      if (ts.isPropertyAccessExpression(node)) placeAccess(node, text, known);
      else if (ts.isCallExpression(node)) placeCall(node, text, known);
      else if (ts.isObjectLiteralExpression(node)) placeLiteral(node, file, text, known);
      else refuse(node, known);
    } catch (error) {
      if (!(error instanceof Unsure)) throw error;
      const line = file.text.slice(0, node.getStart(file)).split("\n").length;
      throw new Error(`${name}:${line}: ${node.getText(file)}: ${error.message}`);
    }
    node.forEachChild(visit);
  };
  file.forEachChild(visit);
  return text;
}

/** Whether a value of this type can be the device or a part of it. */
function canBeDevice(type: Type | undefined, { checker, device }: Known): boolean {
  return type !== undefined && checker.isTypeAssignableTo(device, type);
}

/** Whether all properties of the type are those of the device. */
function isDevice(type: Type, { checker, nameOf }: Known): boolean {
  const properties = checker.getPropertiesOfType(checker.getNonNullableType(type) ?? type);
  return (
    properties.length > 0 && properties.every((property) => nameOf.has(declarationOf(property)))
  );
}

function placeAccess(node: ts.PropertyAccessExpression, text: MagicString, known: Known): void {
  const { checker, nameOf, places } = known;
  const name = nameOf.get(declarationOf(checker.getSymbolAtLocation(node.name)));
  if (name === undefined) {
    const isAlike = [...nameOf.values()].includes(node.name.text);
    if (isAlike && canBeDevice(checker.getTypeAtLocation(node.expression), known)) {
      throw new Unsure("this can be the device under another type");
    }
    return;
  }
  const place = places.get(name);
  if (place === undefined) return;
  if (node.questionDotToken) throw new Unsure("a place cannot be read in this way");
  text.overwrite(node.expression.getEnd(), node.getEnd(), `[${place}]`);
}

/** Marks `table.name(...)`, because functions in tables become numbers (dispatch.ts). */
function placeCall(node: ts.CallExpression, text: MagicString, known: Known): void {
  const { expression: callee } = node;
  if (ts.isIdentifier(callee) || isOfLanguage(callee, known)) return;
  text.appendLeft(callee.getStart(), `${CALL}(`);
  text.overwrite(callee.getEnd(), node.arguments.pos, node.arguments.length > 0 ? ", " : "");
}

/** Whether a function is built into the language. Such a function stays unchanged. */
function isOfLanguage(node: ts.Expression, { checker, program }: Known): boolean {
  const symbol = checker.getSymbolAtLocation(
    ts.isPropertyAccessExpression(node) ? node.name : node,
  );
  const declarations = symbol?.declarations ?? [];
  const isOwn = ({ path }: { path: string }) => !program.getSourceFile(path)!.isDeclarationFile;
  const mayBeEither = declarations.some((one) => {
    return isOwn(one) && one.kind === ts.SyntaxKind.MethodSignature;
  });
  if (declarations.length === 0 || mayBeEither)
    throw new Unsure("nothing says whose function this is");
  return !declarations.some(isOwn);
}

/** Nodes in which a name declares a function, or passes it to a table or to another file. */
const naming = [
  ...[ts.isPropertyAssignment, ts.isPropertySignatureDeclaration, ts.isFunctionDeclaration],
  ...[ts.isMethodSignatureDeclaration, ts.isImportSpecifier, ts.isExportSpecifier],
];

/** Rejects a function that is neither called nor put into a table, because its number cannot be used elsewhere. */
function refuseFunction(node: ts.Identifier | ts.PropertyAccessExpression, known: Known): void {
  const { checker } = known;
  const { parent } = node;
  if (ts.isCallExpression(parent) && parent.expression === node) return;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return;
  if (naming.some((isNaming) => isNaming(parent))) return;
  const type = checker.getTypeAtLocation(node);
  if (!type || checker.getSignaturesOfType(type, SignatureKind.Call).length === 0) return;
  if (!isOfLanguage(node, known)) {
    throw new Unsure("this function is neither called nor put into a table");
  }
}

/** Replaces the `{}` of a new device by an array with all elements. Rejects other literals that may become a device. */
function placeLiteral(
  node: ts.ObjectLiteralExpression,
  file: ts.SourceFile,
  text: MagicString,
  known: Known,
): void {
  const { checker, device, places } = known;
  const required = checker.getContextualType(node);
  if (required && isDevice(required, known)) {
    if (node.properties.length > 0)
      throw new Unsure("the device is created empty, and then filled");
    text.overwrite(node.getStart(file), node.getEnd(), `[${Array(places.size).fill(0)}]`);
  } else if (required && canBeDevice(required, known))
    throw new Unsure("this can become the device");
  else {
    const type = checker.getTypeAtLocation(node);
    const isWhole = type && checker.isTypeAssignableTo(type, device);
    if (isWhole) throw new Unsure("this is a device under another type");
  }
}

/** Rejects other uses of a device: an index, destructuring, or passing it as another type. */
function refuse(node: ts.Node, known: Known): void {
  const { checker } = known;
  if (ts.isElementAccessExpression(node)) {
    if (canBeDevice(checker.getTypeAtLocation(node.expression), known)) {
      throw new Unsure("the device is indexed");
    }
  } else if (ts.isObjectBindingPattern(node) || ts.isSpreadAssignment(node)) {
    if (canBeDevice(checker.getTypeAtLocation(node), known)) {
      throw new Unsure("the device is destructured");
    }
  } else if (
    ts.isIdentifier(node) &&
    ts.isExpression(node) &&
    !ts.isPropertyAccessExpression(node.parent)
  ) {
    const type = checker.getTypeAtLocation(node);
    if (!type || !isDevice(type, known)) return;
    const required = checker.getContextualType(node);
    if (required && !isDevice(required, known)) {
      throw new Unsure("the device is passed as another type");
    }
  }
}
