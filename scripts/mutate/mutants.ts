import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Node, SourceFile } from "typescript/unstable/ast";
import { SyntaxKind } from "typescript/unstable/ast";
import { API } from "typescript/unstable/async";

/** One small change to one source file. */
export interface Mutant {
  /** Relative to the root of the repository. */
  file: string;
  start: number;
  end: number;
  replacement: string;
  /** The line that `start` is on, from 1, and its text without the white space around it. */
  line: number;
  lineText: string;
  /** The old and the new code, each cut to one short line. */
  change: string;
  /** True for a changed value, which the type checker may reject. A changed condition only affects narrowing. */
  typed: boolean;
}

/** Called with the span of code to replace, the new code, and whether the new code must fit the types. */
type Report = (start: number, end: number, replacement: string, typed?: boolean) => void;

/** Parses source files with TypeScript's parser and returns the mutants of each, in the order of the code. */
export async function mutantsOf(root: string, files: readonly string[], scratch: string): Promise<Mutant[]> {
  // A separate project without libraries and imports, so that only these files are parsed.
  const project = join(scratch, "parse");
  mkdirSync(project, { recursive: true });
  const config = join(project, "tsconfig.json");
  const compilerOptions = { noResolve: true, noLib: true, types: [], noEmit: true, allowImportingTsExtensions: true };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: files.map((file) => join(root, file)) }));
  const api = new API({ cwd: project });
  try {
    const program = (await api.updateSnapshot({ openProjects: [config] })).getProject(config)?.program;
    const mutants: Mutant[] = [];
    for (const file of files) {
      const source = await program?.getSourceFile(join(root, file));
      if (!source) throw new Error(`${file} cannot be parsed`);
      mutants.push(...mutantsIn(file, source));
    }
    return mutants;
  } finally {
    await api.close();
    rmSync(project, { recursive: true, force: true });
  }
}

function mutantsIn(file: string, source: SourceFile): Mutant[] {
  const { text } = source;
  const found = new Map<string, Mutant>();
  const report: Report = (start, end, replacement, typed = false) => {
    const old = text.slice(start, end);
    if (old === replacement) return;
    const lineStart = text.lastIndexOf("\n", start - 1) + 1;
    const lineText = text.slice(lineStart, `${text}\n`.indexOf("\n", start)).trim();
    const line = text.slice(0, start).split("\n").length;
    const change = `${excerpt(old)} -> ${excerpt(replacement) || "(nothing)"}`;
    found.set(`${start}:${end}:${replacement}`, { file, start, end, replacement, line, lineText, change, typed });
  };
  visit(source, source, report);
  return [...found.values()].sort((a, b) => a.start - b.start || a.end - b.end);
}

function excerpt(code: string): string {
  const line = code.replace(/\s+/g, " ").trim();
  return line.length > 70 ? `${line.slice(0, 69)}…` : line;
}

/** Declarations that leave nothing to run. */
const WITHOUT_CODE: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.ImportDeclaration,
  SyntaxKind.ExportDeclaration,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
]);

/** The cause and the cure of a message, and what they belong to: `docs/messages.md` is made of them, and a test compares it. */
const HELP = /^(?:export )?const \w+: Help = |^\w+\.help = \w+;$/;

function visit(node: Node, source: SourceFile, report: Report): void {
  if (WITHOUT_CODE.has(node.kind) || HELP.test(node.getText(source))) return;
  if (node.kind >= SyntaxKind.FirstTypeNode && node.kind <= SyntaxKind.LastTypeNode) return;
  RULES[node.kind]?.(node as AnyNode, source, report);
  node.forEachChild((child: Node) => {
    visit(child, source, report);
    return undefined;
  });
}

/** The children of a node that the rules below read; which of them are present depends on its kind. */
interface AnyNode extends Node {
  readonly condition?: AnyNode;
  readonly expression?: AnyNode;
  readonly left?: AnyNode;
  readonly right?: AnyNode;
  readonly operatorToken?: AnyNode;
  readonly operator?: SyntaxKind;
  readonly operand?: AnyNode;
  readonly initializer?: AnyNode;
  readonly questionDotToken?: AnyNode;
  readonly name?: AnyNode;
  readonly arguments?: readonly AnyNode[];
  readonly properties?: readonly AnyNode[];
  readonly elements?: readonly AnyNode[];
  readonly whenTrue?: AnyNode;
  readonly whenFalse?: AnyNode;
}

type Rule = (node: AnyNode, source: SourceFile, report: Report) => void;

/** Mutations by the kind of the node they change. */
const RULES: Partial<Record<SyntaxKind, Rule>> = {
  [SyntaxKind.IfStatement]: (node, source, report) => force(node.expression, source, report, ["true", "false"]),
  [SyntaxKind.ConditionalExpression]: (node, source, report) =>
    force(node.condition, source, report, ["true", "false"]),
  [SyntaxKind.WhileStatement]: (node, source, report) => force(node.expression, source, report, ["false"]),
  [SyntaxKind.ForStatement]: (node, source, report) => force(node.condition, source, report, ["false"]),
  [SyntaxKind.BinaryExpression]: binary,
  [SyntaxKind.PrefixUnaryExpression]: (node, source, report) => {
    if (!node.operand) return;
    if (node.operator === SyntaxKind.ExclamationToken) replace(node, source, report, textOf(node.operand, source));
    if (node.operator === SyntaxKind.PlusPlusToken) replace(node, source, report, `--${textOf(node.operand, source)}`);
    if (node.operator === SyntaxKind.MinusMinusToken)
      replace(node, source, report, `++${textOf(node.operand, source)}`);
  },
  [SyntaxKind.PostfixUnaryExpression]: (node, source, report) => {
    if (!node.operand) return;
    const opposite = node.operator === SyntaxKind.PlusPlusToken ? "--" : "++";
    replace(node, source, report, `${textOf(node.operand, source)}${opposite}`);
  },
  [SyntaxKind.ExpressionStatement]: (node, source, report) => replace(node, source, report, "{}"),
  [SyntaxKind.ThrowStatement]: (node, source, report) => replace(node, source, report, "{}"),
  [SyntaxKind.ContinueStatement]: (node, source, report) => replace(node, source, report, "{}"),
  [SyntaxKind.BreakStatement]: (node, source, report) => {
    if (node.parent?.kind !== SyntaxKind.CaseClause && node.parent?.kind !== SyntaxKind.DefaultClause)
      replace(node, source, report, "{}");
  },
  [SyntaxKind.ReturnStatement]: (node, source, report) => {
    if (isGuard(node)) replace(node, source, report, "{}");
  },
  [SyntaxKind.AwaitExpression]: (node, source, report) => {
    if (node.expression) replace(node, source, report, textOf(node.expression, source), true);
  },
  [SyntaxKind.TrueKeyword]: (node, source, report) => replace(node, source, report, "false", true),
  [SyntaxKind.FalseKeyword]: (node, source, report) => replace(node, source, report, "true", true),
  [SyntaxKind.NumericLiteral]: (node, source, report) => {
    const value = Number(textOf(node, source).replaceAll("_", ""));
    // A large number is a limit or a time: a test for one more or less is not worth it, but one for 0 is.
    replace(node, source, report, value < 100 ? String(value + 1) : "0", true);
  },
  [SyntaxKind.StringLiteral]: (node, source, report) => {
    if (!isName(node) && !isCompared(node)) replace(node, source, report, '""', true);
  },
  [SyntaxKind.NoSubstitutionTemplateLiteral]: (node, source, report) => replace(node, source, report, "``", true),
  [SyntaxKind.TemplateExpression]: (node, source, report) => replace(node, source, report, "``", true),
  [SyntaxKind.PropertyAccessExpression]: chain,
  [SyntaxKind.ElementAccessExpression]: chain,
  [SyntaxKind.CallExpression]: (node, source, report) => {
    chain(node, source, report);
    dropStep(node, source, report);
    for (const argument of node.arguments ?? []) dropProperties(argument, source, report);
  },
  [SyntaxKind.NewExpression]: (node, source, report) => {
    for (const argument of node.arguments ?? []) dropProperties(argument, source, report);
  },
  [SyntaxKind.Parameter]: dropDefault,
  [SyntaxKind.BindingElement]: dropDefault,
  [SyntaxKind.ArrayLiteralExpression]: (node, source, report) => {
    if (node.elements?.length) replace(node, source, report, "[]", true);
  },
};

/** True for an operand of a comparison or the text of a `case`: flipping the comparison shows as much. */
function isCompared(node: AnyNode): boolean {
  const kind = (node.parent as AnyNode | undefined)?.operatorToken?.kind;
  return kind === SyntaxKind.EqualsEqualsEqualsToken || kind === SyntaxKind.ExclamationEqualsEqualsToken;
}

/** The replacement of each operator. */
const OPPOSITES: Partial<Record<SyntaxKind, string>> = {
  [SyntaxKind.AmpersandAmpersandToken]: "||",
  [SyntaxKind.BarBarToken]: "&&",
  [SyntaxKind.LessThanToken]: "<=",
  [SyntaxKind.LessThanEqualsToken]: "<",
  [SyntaxKind.GreaterThanToken]: ">=",
  [SyntaxKind.GreaterThanEqualsToken]: ">",
  [SyntaxKind.EqualsEqualsEqualsToken]: "!==",
  [SyntaxKind.ExclamationEqualsEqualsToken]: "===",
  [SyntaxKind.MinusToken]: "+",
  [SyntaxKind.AsteriskToken]: "/",
  [SyntaxKind.SlashToken]: "*",
  [SyntaxKind.PlusEqualsToken]: "-=",
  [SyntaxKind.MinusEqualsToken]: "+=",
};

function binary(node: AnyNode, source: SourceFile, report: Report): void {
  const { left, right, operatorToken: operator } = node;
  if (!left || !right || !operator) return;
  if (operator.kind === SyntaxKind.QuestionQuestionToken) return replace(node, source, report, textOf(left, source));
  if (operator.kind === SyntaxKind.PlusToken) {
    const texts = [left, right].some(({ kind }) => isText(kind));
    if (!texts) replace(operator, source, report, "-");
    return;
  }
  // With `??` on either side, `&&` and `||` would need parentheses.
  const mixed = [left, right, node.parent as AnyNode | undefined].some(
    (part) => part?.operatorToken?.kind === SyntaxKind.QuestionQuestionToken,
  );
  const opposite = OPPOSITES[operator.kind];
  if (opposite === undefined || mixed || (/[!=]==/.test(opposite) && isCondition(node))) return;
  const swapped = `${textOf(left, source)} ${opposite} ${textOf(right, source)}`;
  if (opposite === "||" || opposite === "&&") replace(node, source, report, `(${swapped})`);
  else replace(operator, source, report, opposite);
}

/** True for the whole condition of a statement, which other mutants already force both ways. */
function isCondition(node: AnyNode): boolean {
  const parent = node.parent as AnyNode | undefined;
  if (parent?.kind === SyntaxKind.IfStatement) return parent.expression === node;
  return parent?.kind === SyntaxKind.ConditionalExpression && parent.condition === node;
}

function isText(kind: SyntaxKind): boolean {
  return (
    kind === SyntaxKind.StringLiteral ||
    kind === SyntaxKind.NoSubstitutionTemplateLiteral ||
    kind === SyntaxKind.TemplateExpression
  );
}

/** Forces a condition to fixed values, unless it is one already. */
function force(node: AnyNode | undefined, source: SourceFile, report: Report, values: readonly string[]): void {
  if (!node || node.kind === SyntaxKind.TrueKeyword || node.kind === SyntaxKind.FalseKeyword) return;
  for (const value of values) replace(node, source, report, value);
}

/** Replaces a chain that stops at null by one that does not: `a?.b` becomes `a.b`. */
function chain(node: AnyNode, source: SourceFile, report: Report): void {
  const dots = node.questionDotToken;
  if (dots) replace(dots, source, report, node.kind === SyntaxKind.PropertyAccessExpression ? "." : "");
}

/** Calls that return a value like the one they are called on: without them the code still runs. */
const STEPS =
  /^(?:trim|trimEnd|trimStart|toLowerCase|toUpperCase|slice|filter|toSorted|sort|reverse|toReversed|flat|catch)$/;

function dropStep(node: AnyNode, source: SourceFile, report: Report): void {
  const callee = node.expression;
  if (callee?.kind !== SyntaxKind.PropertyAccessExpression || !callee.expression || !callee.name) return;
  const name = textOf(callee.name, source);
  if (STEPS.test(name)) replace(node, source, report, textOf(callee.expression, source));
  if (name === "some" || name === "every") replace(callee.name, source, report, name === "some" ? "every" : "some");
}

/** Leaves out each property of an object that is passed as an argument, to find options that nothing needs. */
function dropProperties(argument: AnyNode, source: SourceFile, report: Report): void {
  if (argument.kind !== SyntaxKind.ObjectLiteralExpression) return;
  const properties = argument.properties ?? [];
  properties.forEach((property, index) => {
    const next = properties[index + 1];
    report(property.getStart(source), next ? next.getStart(source) : property.end, "", true);
  });
}

function dropDefault(node: AnyNode, _source: SourceFile, report: Report): void {
  const { name, initializer } = node;
  if (name && initializer) report(name.end, initializer.end, "", true);
}

/** True for a return that is not the last statement of its function: code follows it that would now run. */
function isGuard(node: AnyNode): boolean {
  const { parent } = node;
  if (!parent) return false;
  const kinds: readonly SyntaxKind[] = [SyntaxKind.IfStatement, SyntaxKind.ForOfStatement, SyntaxKind.ForStatement];
  return kinds.includes(parent.kind) || (parent.kind === SyntaxKind.Block && !isFunction(parent.parent?.kind));
}

function isFunction(kind: SyntaxKind | undefined): boolean {
  return (
    kind === SyntaxKind.FunctionDeclaration ||
    kind === SyntaxKind.FunctionExpression ||
    kind === SyntaxKind.ArrowFunction ||
    kind === SyntaxKind.MethodDeclaration ||
    kind === SyntaxKind.GetAccessor ||
    kind === SyntaxKind.Constructor
  );
}

/** True for the name of a property or of a module, which is not a value. */
function isName(node: AnyNode): boolean {
  const parent = node.parent as AnyNode | undefined;
  if (parent?.name && parent.name === node) return true;
  const callee = parent?.kind === SyntaxKind.CallExpression ? parent.expression : undefined;
  return callee?.kind === SyntaxKind.ImportKeyword;
}

function textOf(node: Node, source: SourceFile): string {
  return source.text.slice(node.getStart(source), node.end);
}

function replace(node: Node, source: SourceFile, report: Report, replacement: string, typed = false): void {
  report(node.getStart(source), node.end, replacement, typed);
}
