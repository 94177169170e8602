// Emits the core as C99, line by line and with the comments of the sources: picogrant.c and picogrant-core.h. Syntax
// without an equivalent in C is an error with file and line. api.c has the code that only C needs.

import { readFileSync } from "node:fs";
import ts from "typescript";
import { release } from "../../core/device/property.ts";
import * as surface from "../bundle/surface.ts";
import { core, refuseOpenOrder, UnsupportedSyntax } from "./unsupported-syntax.ts";

const byHand = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

/** picogrant.c and picogrant-core.h, which picogrant.h includes. */
export type CFile = Readonly<Record<"source" | "header", string>>;

/** The arrays of the device: size and type. Positions in the memory (`start`) are below 65,536. */
const lists: Readonly<Record<string, readonly [size: string, type: string]>> = {
  start: ["PG_REGIONS_MAX", "uint16_t"],
  length: ["PG_REGIONS_MAX", "int16_t"],
  capacity: ["PG_REGION_COUNT", "int16_t"],
  excess: ["PG_REGION_KEY + 1", "int32_t"],
  seenEvents: ["8", "int32_t"],
};

function narrowed(type: string, value: string): string {
  if (type === "int32_t" || /^-?\d+$/.test(value)) return value;
  if (type === "int16_t") return `pgc_to_int16(${value})`;
  return `(${type})${/^[\w>.-]+$/.test(value) ? value : `(${value})`}`;
}

const types: Readonly<Record<string, string>> = {
  Bytes: "const uint8_t *",
  CallKind: "const struct pg_call_kind *",
  Config: "const struct pg_core_config *",
};

const deviceType = "struct pg_core *";

/** Enums that only hosts without an engine need. The emitted header contains them. */
const ownEnums = ["ConfigMember", "ErrorKind", "OfferError", "LiteralEnd"];

const levels = [...surface.variants].reverse();

/** Nodes that are the same in C and TypeScript, except for their children. */
const alike =
  "Block IfStatement WhileStatement DoStatement ForStatement ReturnStatement SwitchStatement CaseBlock CaseClause " +
  "DefaultClause BreakStatement ContinueStatement ExpressionStatement ParenthesizedExpression PrefixUnaryExpression " +
  "PostfixUnaryExpression ConditionalExpression QuestionToken ColonToken TrueKeyword FalseKeyword " +
  "ElementAccessExpression EnumMember ObjectLiteralExpression VariableStatement";
const alikeKinds = alike.split(" ").map((name) => ts.SyntaxKind[name as "Block"]);

/** Operators with the same result in C for integers of 27 bits. */
const operators = /^(?:[-+*%&|^]=?|<<=?|>>=?|[<>]=?|=|&&|\|\||[!=]==)$/;

/** Converts `waitMs` or `ErrorCode` to C style: WAIT_MS, ERROR_CODE. */
const capitals = (name: string): string => name.replace(/(?<=[^A-Z_])[A-Z]/g, "_$&").toUpperCase();
const small = (name: string): string => capitals(name).toLowerCase();
const declarationOf = ({ declarations }: ts.Symbol): ts.Node | undefined => declarations?.[0];
const constantOf = (name: string): string =>
  surface.deviceProperties.includes(name) ? `PG_${capitals(name)}` : small(name);
const declared = (type: string, name: string): string => `${type} ${name}`.replace("* ", "*");

function headOf(name: string, parameters: readonly string[]): string {
  const line = `${name}(${parameters.join(", ")})`;
  return line.length < 100 ? line : `${name}(\n    ${parameters.join(", ")})`;
}

/** The name in C of a function, constant or variable. Functions and constants begin with pgc_ or PGC_. */
function nameInC(declaration: ts.Declaration, name: string): string {
  if (ts.isFunctionDeclaration(declaration)) return functionName(declaration);
  if (!ts.isVariableDeclaration(declaration) || !isNamed(declaration)) return small(name);
  return /[a-z]/.test(name) ? `pgc_${small(name)}` : `PGC_${name}`;
}

const functionName = ({ name }: ts.FunctionDeclaration): string => `pgc_${small(name!.text)}`;

type Named = ts.FunctionDeclaration | ts.VariableDeclaration | ts.EnumDeclaration;

export class Printer {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #device: ReadonlyMap<string, ts.Node>;
  readonly #inHeader: ReadonlySet<string>;
  readonly #api = byHand("api.c");
  /** All declarations to print, each with the smallest build that contains it. */
  readonly #levels = new Map<Named, number>();

  /**
   * @param numbered the enums that picogrant-numbers.h contains
   * @param change replaces a source's text, for tests
   */
  constructor(numbered: readonly string[], change = (text: string): string => text) {
    const config = ts.readConfigFile(`${core}tsconfig.json`, ts.sys.readFile).config;
    const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, core);
    const host = ts.createCompilerHost(options);
    host.readFile = (name) => change(readFileSync(name, "utf8"));
    this.#program = ts.createProgram(fileNames, options, host);
    this.#checker = this.#program.getTypeChecker();
    this.#inHeader = new Set([...numbered, ...ownEnums]);
    const device = this.#exported("device/memory.ts").find(({ name }) => name === "Device")!;
    const properties = this.#checker.getDeclaredTypeOfSymbol(device).getProperties();
    this.#device = new Map(properties.map((one) => [one.name, declarationOf(one)!]));
    levels.forEach((variant, level) => {
      const functions: readonly string[] = surface.functionsOf(variant);
      for (const one of this.#exported(surface.entryOf(variant))) {
        if (functions.includes(one.name)) this.#reach(one, level);
      }
    });
  }

  #exported(file: string): ts.Symbol[] {
    const source = this.#checker.getSymbolAtLocation(this.#program.getSourceFile(core + file)!)!;
    return this.#checker.getExportsOfModule(source);
  }

  /** Emits both files. @throws Error with file, line and construct if a source has no equivalent in C */
  files(): CFile {
    const functions = this.#reached(ts.isFunctionDeclaration);
    for (const { body } of functions) refuseOpenOrder(body!, this.#checker);
    const enums = this.#reached(ts.isEnumDeclaration);
    const variables = this.#reached(ts.isVariableDeclaration);
    const kinds = variables.filter((one) => ts.isObjectLiteralExpression(one.initializer!));
    const kindsInC = this.#perLevel(kinds, (one) => `\n${this.#constant(one)}`);
    const whole = this.#api.replace("/* functions */\n", () => this.#functions(functions));
    const constants = [
      ...enums.filter(({ name }) => !this.#inHeader.has(name.text)).map((one) => this.#enum(one)),
      ...variables.filter((one) => !kinds.includes(one)).map((one) => this.#constant(one)),
      this.#declarations(functions, kindsInC + whole),
      kindsInC,
    ];
    const part = (unit: number): number => Math.floor(release / unit) % 1000;
    const source = whole
      .replace("/* properties */\n", this.#properties())
      .replace("/* calls */\n", this.#calls(functions, true))
      .replace("picogrant VERSION", `picogrant ${[1e6, 1e3, 1].map(part).join(".")}`)
      .replaceAll("RELEASE", String(release))
      .replace("/* core */\n", () => constants.join("\n"));
    const own = enums.filter(({ name }) => ownEnums.includes(name.text));
    const header = byHand("api.h")
      .replace("/* enums */\n", own.map((one) => this.#enum(one)).join("\n"))
      .replace("/* device */\n", this.#members(source))
      .replace("/* calls */\n", this.#calls(functions, false));
    return { source: this.#commented(source, small), header: this.#commented(header, constantOf) };
  }

  /**
   * Translates names in comments to C, and removes remarks about JavaScript.
   * @param property returns the C name of a property
   */
  #commented(text: string, property: (name: string) => string): string {
    const calls: readonly string[] = surface.functionsOf("complete");
    const names = new Map<string, string>([["`create`", "`pg_core_open`"]]);
    for (const one of this.#reached(ts.isFunctionDeclaration)) {
      for (const { name } of one.parameters) names.set(name.getText(), small(name.getText()));
      const { text: own } = one.name!;
      names.set(own, calls.includes(own) ? `pg_${small(own)}` : functionName(one));
    }
    for (const name of this.#device.keys()) names.set(name, property(name));
    const enumNames = new Set(this.#reached(ts.isEnumDeclaration).map(({ name }) => name.text));
    const translated = (comment: string): string =>
      comment
        .replace(/(?<=@param (\w+) )`\1\[\w+\.\.\w+\)`: /g, "")
        .replace(/\[(?:from|start)\.\.(?:to|end)\)/g, "")
        .replace(/(?<![\w/.])(?:`create`|[a-z]+[A-Z]\w*)/g, (word) => names.get(word) ?? word)
        .replace(/\b([A-Z]\w*)\.([A-Z][A-Z_]+)\b/g, (word, list: string, member: string) =>
          enumNames.has(list) ? `${this.#prefixOf(list)}_${member}` : word,
        );
    const parts = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|\/\*[\s\S]*?\*\/|\/\/.*/g;
    const own = text
      .replace(/^ *\/\/ JavaScript:.*\n/gm, "")
      .replace(/ After (?:this call|`create`), the core does not allocate[^.]*\./g, "");
    return own.replace(parts, (part) => (part.startsWith("/") ? translated(part) : part));
  }

  /** Whether a C text such as api.c defines the function. */
  #isByHand(name: string, text = this.#api): boolean {
    return new RegExp(`^\\w[\\w *]*\\b${name}\\(`, "m").test(text);
  }

  #reached<Kind extends Named>(isKind: (node: ts.Node) => node is Kind): Kind[] {
    // The compiler lists a file after those that it imports.
    const files = this.#program.getSourceFiles();
    const placeOf = (one: Named): number => files.indexOf(one.getSourceFile());
    const all = [...this.#levels.keys()].filter(isKind);
    return all.sort((a, b) => placeOf(a) - placeOf(b) || a.pos - b.pos);
  }

  /** Declares the functions that a text uses before it defines them. */
  #declarations(functions: readonly ts.FunctionDeclaration[], text: string): string {
    const early = functions.filter((one) => {
      const named = text.search(new RegExp(`\\b${functionName(one)}\\b`));
      return named < text.indexOf(`static ${this.#signature(one)} {`);
    });
    return this.#perLevel(early, (one) => `static ${this.#signature(one)};\n`);
  }

  #reach(symbol: ts.Symbol, level: number): void {
    const found = this.#original(symbol).valueDeclaration;
    const node = found && ts.isEnumMember(found) ? found.parent : found;
    if (!node?.getSourceFile().fileName.startsWith(core)) return;
    if (!isNamed(node) || this.#levels.has(node)) return;
    const name = node.name!.getText();
    const isTaken = [...this.#levels.keys()].some((one) => one.name!.getText() === name);
    if (isTaken && name !== "create")
      throw new UnsupportedSyntax(node, "a second thing of this name");
    this.#levels.set(node, level);
    const isByHand = this.#isByHand(`pgc_${small(name)}`);
    const visit = (one: ts.Node): void => {
      if (ts.isLabeledStatement(one) || ts.isTypeNode(one)) return;
      const named = ts.isIdentifier(one) && this.#checker.getSymbolAtLocation(one);
      // If api.c has the function itself, only the texts that its body names are needed, such as MESSAGES.
      if (named && (!isByHand || this.#isText(named))) this.#reach(named, level);
      ts.forEachChild(one, visit);
    };
    ts.forEachChild(node, visit);
  }

  #isText(symbol: ts.Symbol): boolean {
    const type = this.#checker.getTypeOfSymbol(this.#original(symbol));
    return !(symbol.flags & ts.SymbolFlags.Enum) && (type.flags & ts.TypeFlags.StringLike) > 0;
  }

  /** Joins texts, with preprocessor conditions for the builds that contain them. */
  #perLevel<Kind extends Named>(all: readonly Kind[], print: (one: Kind) => string): string {
    let text = "";
    let open = "";
    for (const one of all) {
      const level = this.#levels.get(one)!;
      const comparison = one.name!.getText() === "create" ? "==" : level > 0 ? ">=" : "";
      const required = comparison && ` ${comparison} PICOGRANT_${capitals(levels[level]!)}`;
      if (required !== open) {
        if (open) text += "#endif\n";
        if (required) text += `#if PICOGRANT_BUILD${required}\n`;
        open = required;
      }
      text += print(one);
    }
    return open ? `${text}#endif\n` : text;
  }

  #functions(all: readonly ts.FunctionDeclaration[]): string {
    let file: ts.SourceFile | undefined;
    const printed = all.filter((one) => {
      return !this.#isByHand(functionName(one)) && !this.#isEmpty(one);
    });
    return this.#perLevel(printed, (one) => {
      const isNext = file !== one.getSourceFile();
      file = one.getSourceFile();
      const comments = /^(?:\/\/.*\n)*/.exec(file.text)![0];
      const head = isNext ? `\n// ${file.fileName.replace(core, "core/")}\n//\n${comments}` : "";
      return `${head}\n${commentOf(one)}static ${this.#signature(one)} ${this.#emit(one.body!)}\n`;
    });
  }

  #signature(one: ts.FunctionDeclaration): string {
    const makes = this.#cType(one.type!) === deviceType;
    const parameters = one.parameters.map(({ name, type }) => {
      const words = declared(this.#cType(type!), small(name.getText()));
      return makes ? words.replace("const uint8_t", "uint8_t") : words;
    });
    // The caller owns the device, so a function that creates a device gets its address.
    if (makes) parameters.unshift("struct pg_core *made");
    return headOf(declared(this.#cType(one.type!), functionName(one)), parameters);
  }

  #cType(node: ts.Node): string {
    const checker = this.#checker;
    const type = ts.isTypeNode(node)
      ? checker.getTypeFromTypeNode(node)
      : checker.getTypeAtLocation(node);
    if (type.flags & ts.TypeFlags.Void) return "void";
    const present = checker.getNonNullableType(type);
    const parts = present.isUnion() ? present.types : [present];
    if (parts.some(({ flags }) => flags & ts.TypeFlags.BooleanLike)) return "bool";
    if (parts.every(({ flags }) => flags & ts.TypeFlags.NumberLike)) return "int32_t";
    if (present.flags & ts.TypeFlags.StringLike) return "const char *";
    const name = types[present.symbol?.name ?? ""];
    if (name !== undefined) return name;
    const properties = present.getProperties();
    const isDevice = properties.every((one) => this.#device.get(one.name) === declarationOf(one));
    if (properties.length > 0 && isDevice) return deviceType;
    throw new UnsupportedSyntax(node, `the type ${checker.typeToString(type)}`);
  }

  #listOf(node: ts.Node): (typeof lists)[string] | undefined {
    const isDevice =
      ts.isPropertyAccessExpression(node) && this.#cType(node.expression) === deviceType;
    return isDevice ? lists[node.name.text] : undefined;
  }

  /** The original of an imported symbol, or the symbol itself. */
  #original(symbol: ts.Symbol): ts.Symbol {
    const isAlias = symbol.flags & ts.SymbolFlags.Alias;
    return isAlias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #named(name: ts.Node): ts.Declaration | undefined {
    const symbol = this.#checker.getSymbolAtLocation(name);
    return symbol && this.#original(symbol).declarations?.[0];
  }

  #emit(node: ts.Node): string {
    if (alikeKinds.includes(node.kind)) return this.#spliced(node);
    if (ts.isIdentifier(node)) return this.#identifier(node);
    if (ts.isNumericLiteral(node)) return this.#number(node);
    if (ts.isStringLiteral(node)) return JSON.stringify(node.text);
    if (node.kind === ts.SyntaxKind.NullKeyword) return "NULL";
    if (ts.isNonNullExpression(node)) return this.#emit(node.expression);
    if (ts.isVariableDeclarationList(node)) return this.#variable(node);
    if (ts.isPropertyAccessExpression(node)) return this.#property(node);
    if (ts.isPropertyAssignment(node))
      return `.${small(node.name.getText())} = ${this.#emit(node.initializer)}`;
    if (ts.isBinaryExpression(node)) return this.#binary(node);
    if (ts.isCallExpression(node)) return this.#call(node);
    throw new UnsupportedSyntax(node, ts.SyntaxKind[node.kind]!);
  }

  #spliced(node: ts.Node, from = node.getStart()): string {
    const { text } = node.getSourceFile();
    let words = "";
    let at = from;
    node.forEachChild((child) => {
      if (child.getStart() < from) return;
      const isLeft = this.#isLeftOut(child);
      words += text.slice(at, isLeft ? child.pos : child.getStart());
      if (!isLeft) words += this.#emit(child);
      at = child.end;
    });
    return words + text.slice(at, node.end);
  }

  /** Whether an expression is a byte of text, as its name or its array shows. */
  #isByte(node: ts.Node): boolean {
    if (ts.isElementAccessExpression(node))
      return !this.#listOf(node.expression) && this.#cType(node.expression) === types.Bytes;
    return /^(?:c|byte|first|unit)$|\.charCodeAt\(.*\)$/.test(node.getText());
  }

  /** Prints a number. If it is compared with a byte or passed as one, prints it as a character. */
  #number(node: ts.NumericLiteral): string {
    const { parent } = node;
    let other: ts.Node | undefined;
    if (ts.isConditionalExpression(parent)) {
      other = parent.whenTrue === node ? parent.whenFalse : parent.whenTrue;
    } else if (ts.isBinaryExpression(parent) && parent.right === node) {
      const sign = parent.operatorToken.getText();
      // `c - 55` is a number, not the distance from a character.
      if (/[=<>]/.test(sign) || (sign === "-" && /^(?:32|48|65)$/.test(node.text)))
        other = parent.left;
    } else if (ts.isCallExpression(parent)) {
      const parameters = this.#checker.getResolvedSignature(parent)!.parameters;
      other = parameters[parent.arguments.indexOf(node)]?.valueDeclaration;
      if (other && ts.isParameter(other)) other = other.name;
    }
    return other && this.#isByte(other) ? characterOf(Number(node.text)) : node.text;
  }

  /**
   * Whether to omit a node: an assertion, a call of a function that does nothing in C, the creation of a list, which C
   * fills in place, or a 0 in a new device, whose bytes are 0.
   */
  #isLeftOut(node: ts.Node): boolean {
    if (ts.isLabeledStatement(node)) return node.label.text === "ASSERT";
    const words = ts.isExpressionStatement(node) && node.expression;
    if (words && ts.isCallExpression(words)) return this.#isEmpty(this.#named(words.expression));
    if (!words || !ts.isBinaryExpression(words)) return false;
    const within = ts.findAncestor(node, ts.isFunctionDeclaration)!.name!.text;
    const isZero = /^make[A-Z]/.test(within) && this.#isZero(words.right);
    return isZero || this.#listOf(words.left) !== undefined;
  }

  #isZero(node: ts.Expression): boolean {
    const found = ts.isPropertyAccessExpression(node) && this.#named(node.name);
    if (found && ts.isEnumMember(found)) return this.#checker.getConstantValue(found) === 0;
    return /^(?:0|null)$/.test(node.getText());
  }

  /** Whether a function does nothing in C. */
  #isEmpty(node: ts.Declaration | undefined): boolean {
    const isFunction = node && ts.isFunctionDeclaration(node);
    return !!isFunction && node.body!.statements.every((one) => this.#isLeftOut(one));
  }

  #identifier(node: ts.Identifier): string {
    const found = this.#named(node);
    if (!found) throw new UnsupportedSyntax(node, "a name that is not declared");
    if (ts.isEnumMember(found)) return this.#member(found);
    const name = nameInC(found, node.text);
    const value = ts.isVariableDeclaration(found) && found.initializer;
    return value && ts.isObjectLiteralExpression(value) ? `&${name}` : name;
  }

  #member({ parent, name }: ts.EnumMember): string {
    return `${this.#prefixOf(parent.name.text)}_${name.getText()}`;
  }

  #prefixOf(list: string): string {
    return `${this.#inHeader.has(list) ? "PG" : "PGC"}_${capitals(list)}`;
  }

  #variable(list: ts.VariableDeclarationList): string {
    const [declaration, more] = list.declarations;
    const { name: declaredName, initializer } = declaration!;
    const name = small(declaredName.getText());
    if (more || !initializer) throw new UnsupportedSyntax(list, "this declaration");
    if (this.#isOutlived(declaration!))
      throw new UnsupportedSyntax(list, "a use outside of the block");
    // C fills an array of the device in place.
    if (ts.isArrayLiteralExpression(initializer))
      return `${lists[declaredName.getText()]![1]} *${name} = device->${name}`;
    const isMade = initializer.getText().startsWith("{}");
    return `${declared(this.#cType(declaredName), name)} = ${isMade ? "made" : this.#emit(initializer)}`;
  }

  /** Whether a variable is used outside of the block or loop that declares it, which only JavaScript's `var` allows. */
  #isOutlived(declaration: ts.VariableDeclaration): boolean {
    const symbol = this.#checker.getSymbolAtLocation(declaration.name)!;
    const scopes = symbol.declarations!.map(({ parent }) =>
      ts.isForStatement(parent.parent) ? parent.parent : parent.parent.parent,
    );
    const isOutside = (node: ts.Node): boolean =>
      ts.isIdentifier(node) && this.#checker.getSymbolAtLocation(node) === symbol
        ? !scopes.some((scope) => scope.pos <= node.pos && node.end <= scope.end)
        : ts.forEachChild(node, (child) => isOutside(child) || undefined) === true;
    return isOutside(ts.findAncestor(declaration, ts.isFunctionDeclaration)!.body!);
  }

  #property(node: ts.PropertyAccessExpression): string {
    const { expression, name } = node;
    const found = this.#named(name);
    if (found && ts.isEnumMember(found)) return this.#member(found);
    if (found?.parent !== this.#device.get("length")!.parent && name.text === "length") {
      return this.#length(expression);
    }
    const of = this.#cType(expression);
    const whole = this.#emit(expression);
    // pgc_call_of returns NULL in the build of the grant alone.
    if (found === this.#device.get("call")) return `pgc_call_of(${whole})`;
    if (of === types.Config) {
      // An empty text is false in TypeScript, but not in C.
      const isTruth = !isUsed(node) && this.#cType(node) === "const char *";
      return `${isTruth ? "*" : ""}${whole}->${small(name.text)}`;
    }
    if (of === types.CallKind || of === deviceType) return `${whole}->${small(name.text)}`;
    throw new UnsupportedSyntax(node, "this property");
  }

  #length(of: ts.Expression): string {
    const words = this.#emit(of);
    const list = this.#listOf(of);
    if (list) return list[0];
    if (words === "device->memory") return `${words}_size`;
    if (/^PGC_\w+$/.test(words)) return `(int32_t)sizeof ${words} - 1`;
    if (this.#cType(of) === "const char *") return `pgc_text_length(${words})`;
    throw new UnsupportedSyntax(of, "the length of this");
  }

  #binary(node: ts.BinaryExpression): string {
    const { left, right } = node;
    const operator = node.operatorToken.getText();
    if (!operators.test(operator)) throw new UnsupportedSyntax(node, `the operator ${operator}`);
    const isText = this.#checker.getTypeAtLocation(left).flags & ts.TypeFlags.StringLike;
    const isChoice = operator === "||" || operator === "&&";
    if (isChoice && isUsed(node) && this.#cType(node) !== "bool") return this.#choice(node);
    if (operator === "=") return this.#assignment(node);
    // `a[i] += b` becomes `a[i] = (type)(a[i] + b)`, because the elements are narrower than the sum.
    if (/^[+-]=$/.test(operator) && ts.isElementAccessExpression(left))
      return this.#assignment(node, `${this.#emit(left)} ${operator.charAt(0)} `);
    // Omits `| 0` and `& 255`, because values in C are integers, and elements of byte arrays are bytes.
    const isByte = ts.isElementAccessExpression(left) && this.#isByte(left);
    if (/^\| 0$|^& 255$/.test(`${operator} ${right.getText()}`) && (operator === "|" || isByte))
      return this.#emit(left);
    let sign = operator.slice(0, /^[!=]==$/.test(operator) ? 2 : undefined);
    if (sign !== operator && ts.isTypeOfExpression(left))
      return `${this.#emit(left.expression)} != NULL`;
    if (sign !== operator && isText) {
      if (right.getText() !== '""') throw new UnsupportedSyntax(node, "a comparison of texts");
      return `*${this.#emit(left)} ${sign} 0`;
    }
    if (operator === "+" && isText) sign = "";
    // `c > 47` becomes `c >= '0'`.
    if (this.#isByte(left) && ts.isNumericLiteral(right) && /^[<>]$/.test(sign)) {
      const next = Number(right.text) + (sign === ">" ? 1 : -1);
      if (/[\w ~]/.test(String.fromCharCode(next)))
        return `${this.#emit(left)} ${sign}= ${characterOf(next)}`;
    }
    const between = node.getSourceFile().text.slice(left.end, right.getStart());
    return this.#emit(left) + between.replace(operator, sign) + this.#emit(right);
  }

  #choice(node: ts.BinaryExpression): string {
    const [left, right] = [this.#emit(node.left), this.#emit(node.right)];
    if (node.operatorToken.getText() === "&&") return `(${left} ? ${right} : 0)`;
    // The operands become arguments, and C always evaluates both. So the right operand must have no side effect.
    if (/[(=]|\+\+|--/.test(right))
      throw new UnsupportedSyntax(node, "a choice of more than values");
    return `${this.#cType(node) === "int32_t" ? "pgc_or_else" : "pgc_text_or_else"}(${left}, ${right})`;
  }

  #assignment({ left, right }: ts.BinaryExpression, before = ""): string {
    const value = before + this.#emit(right);
    if (!ts.isElementAccessExpression(left)) {
      return `${this.#emit(left).replace(/^pgc_call_of\((.*)\)$/, "$1->call")} = ${value}`;
    }
    const [, type] = this.#listOf(left.expression) ?? ["", "uint8_t"];
    return `${this.#emit(left)} = ${narrowed(type, value)}`;
  }

  #call(node: ts.CallExpression): string {
    const [callee, first] = [node.expression, node.arguments[0]];
    if (ts.isPropertyAccessExpression(callee)) {
      const of = callee.expression.getText();
      if (callee.name.text === "charCodeAt")
        return `(uint8_t)${this.#emit(callee.expression)}[${this.#emit(first!)}]`;
      if (callee.name.text !== "push") return this.#spliced(node);
      if (!lists[of]) throw new UnsupportedSyntax(node, "a list that is not the device's");
      return `*${small(of)}++ = ${narrowed(lists[of][1], this.#emit(first!))}`;
    }
    const found = this.#checker.getResolvedSignature(node)?.declaration;
    if (!found || !ts.isFunctionDeclaration(found)) throw new UnsupportedSyntax(node, "this call");
    const text = this.#spliced(node).replace(/,(\s*\))$/, "$1");
    return this.#cType(found.type!) === deviceType ? text.replace("(", "(made, ") : text;
  }

  #constant(one: ts.VariableDeclaration): string {
    const [name, value] = [nameInC(one, one.name.getText()), this.#emit(one.initializer!)];
    const type = this.#cType(one.name);
    let words = `#define ${name} \\\n  ${value.replace(/\n/g, " \\\n")}`;
    if (type === "int32_t") words = `enum { ${name} = ${value} };`;
    if (type === types.CallKind)
      words = `static ${declared(type, name).replace("*", "")} = ${value};`;
    return `${commentOf(one.parent.parent)}${words}\n`;
  }

  #enum(one: ts.EnumDeclaration): string {
    const tag = this.#inHeader.has(one.name.text) ? `pg_${small(one.name.text)} ` : "";
    return `${commentOf(one)}enum ${tag}{${this.#spliced(one, one.members.pos)};\n`;
  }

  /** Sorts the most used members first and arrays last, because the start of a struct needs shorter instructions. */
  #members(source: string): string {
    const uses = (name: string): number =>
      lists[name] ? 0 : source.split(new RegExp(`->${small(name)}\\b`)).length;
    const sorted = [...this.#device].sort(([a], [b]) => uses(b) - uses(a));
    const members = sorted.map(([name, declaration]) => {
      const [size, type] = lists[name] ?? [];
      const own = small(name);
      const words = type ? `${type} ${own}[${size}]` : declared(this.#cType(declaration), own);
      return `${commentOf(declaration).replace(/^(?=.)/gm, "  ")}  ${words};\n`;
    });
    const memory = "  const uint8_t *memory;\n";
    return members
      .join("")
      .replace(memory, "  uint8_t *memory;\n  int32_t memory_size;\n  const uint8_t *texts;\n");
  }

  #properties(): string {
    return surface.deviceProperties
      .filter((name) => !lists[name] && this.#cType(this.#device.get(name)!) === "int32_t")
      .map((name) => `    [PG_${capitals(name)}] = PGC_PLACE(${small(name)}),\n`)
      .join("");
  }

  /** Prints the functions of the C API, as declarations or as definitions. */
  #calls(functions: readonly ts.FunctionDeclaration[], isDefined: boolean): string {
    const names = surface.functionsOf("complete").filter((name) => name !== "create");
    const lacking = (text?: string): ts.FunctionDeclaration[] =>
      functions.filter(({ name }) => {
        return names.includes(name!.text) && !this.#isByHand(`pg_${small(name!.text)}`, text);
      });
    if (!isDefined) {
      const byHost = lacking(byHand("api.h") + byHand("../host/portable/picogrant.h"));
      return byHost.map((one) => `${commentOf(one)}${this.#atApi(one)[0]};\n`).join("\n");
    }
    return this.#perLevel(lacking(), (one) => {
      const [head, passed] = this.#atApi(one);
      const back = head.startsWith("void") ? "" : "return ";
      return `\n${head} {\n  ${back}pgc_${small(one.name!.text)}(${passed});\n}\n`;
    });
  }

  /** The head of a function of the C API, and the arguments that it passes to the core's function. The API has a
   * pointer and a size in place of a range `bytes, from, to`. */
  #atApi(one: ts.FunctionDeclaration): [head: string, passed: string] {
    const parameters = ["struct pg_core *core"];
    const passed = ["core"];
    for (let i = 1; i < one.parameters.length; i++) {
      const { name, type } = one.parameters[i]!;
      const isBytes = this.#cType(type!) === types.Bytes;
      const own = small(name.getText());
      parameters.push(isBytes ? `const uint8_t *${own}, size_t ${own}_size` : `int ${own}`);
      passed.push(isBytes ? `${own}, 0, (int32_t)${own}_size` : own);
      if (isBytes) i += 2;
    }
    const type = this.#cType(one.type!) === "void" ? "void" : "int";
    return [headOf(`${type} pg_${small(one.name!.text)}`, parameters), passed.join(", ")];
  }
}

function isNamed(node: ts.Node): node is Named {
  if (ts.isVariableDeclaration(node)) return ts.isSourceFile(node.parent.parent.parent);
  return ts.isFunctionDeclaration(node) || ts.isEnumDeclaration(node);
}

/** A printable character, or its number. */
function characterOf(code: number): string {
  const character = String.fromCharCode(code);
  if (!/[\t\n\r -~]/.test(character)) return `${code}`;
  const escaped = JSON.stringify(character).slice(1, -1);
  return `'${escaped === '\\"' ? '"' : escaped.replace("'", "\\'")}'`;
}

function isUsed(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isParenthesizedExpression(parent)) return isUsed(parent);
  if (ts.isBinaryExpression(parent)) {
    return !["&&", "||"].includes(parent.operatorToken.getText()) || isUsed(parent);
  }
  if (ts.isConditionalExpression(parent)) return parent.condition !== node && isUsed(parent);
  if (ts.isForStatement(parent)) return parent.condition !== node;
  if (ts.isPrefixUnaryExpression(parent)) return parent.operator !== ts.SyntaxKind.ExclamationToken;
  return !(ts.isIfStatement(parent) || ts.isWhileStatement(parent) || ts.isDoStatement(parent));
}

function commentOf(node: ts.Node): string {
  const above = node.getSourceFile().text.slice(node.pos, node.getStart());
  const lines = above.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => `${line.trim().replace(/^\*/, " *")}\n`).join("");
}
