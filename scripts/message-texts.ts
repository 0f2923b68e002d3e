/** Reads the texts that an expression of the source can become. */
import type {
  BinaryExpression,
  CallExpression,
  Node,
  ObjectLiteralExpression,
  TemplateExpression,
} from "typescript/unstable/ast";
import * as is from "typescript/unstable/ast/is";

/** The keys of a text in the object that stands for a problem, a failure or a notice. */
const TEXT_KEYS = [
  "message",
  "error",
  "text",
  "content",
  "reason",
  "problem",
  "problems",
  "warning",
  "doubt",
  "ending",
  "system_message",
];

/**
 * Returns each text that an expression stands for, with a word in capitals for each part known only at run time.
 * `resolve` returns the texts of a name or a call.
 */
export function textsOf(node: Node, resolve: (node: Node) => string[] = () => []): string[] {
  const all = (nodes: readonly Node[]) => nodes.flatMap((inner) => textsOf(inner, resolve));
  if (is.isStringLiteral(node) || is.isNoSubstitutionTemplateLiteral(node)) return [node.text];
  if (is.isTemplateExpression(node)) return [templateText(node)];
  if (is.isParenthesizedExpression(node) || is.isAsExpression(node) || is.isAwaitExpression(node))
    return textsOf(node.expression, resolve);
  if (is.isConditionalExpression(node)) return all([node.whenTrue, node.whenFalse]);
  if (is.isArrayLiteralExpression(node)) return all(node.elements);
  if (is.isObjectLiteralExpression(node))
    return TEXT_KEYS.flatMap((key) => all([propertyOf(node, key)].filter((value) => value !== undefined)));
  if (is.isNewExpression(node)) return all(node.arguments?.slice(0, 1) ?? []);
  if (is.isBinaryExpression(node)) return binaryTexts(node, resolve);
  if (is.isCallExpression(node) && node.expression.getText().endsWith("].join")) return [joinedText(node)];
  return resolve(node);
}

/** Returns the value of a property of an object literal; its name if it is written as `{ name }`. */
export function propertyOf(node: ObjectLiteralExpression, key: string): Node | undefined {
  for (const property of node.properties) {
    if (is.isShorthandPropertyAssignment(property) && property.name.getText() === key) return property.name;
    if (is.isPropertyAssignment(property) && property.name.getText() === key) return property.initializer;
  }
  return undefined;
}

function templateText({ head, templateSpans }: TemplateExpression): string {
  const pieces = templateSpans.map(({ expression, literal }, at) => {
    const before = at === 0 ? head.text : (templateSpans[at - 1]?.literal.text ?? "");
    const isKnown = textsOf(expression).length > 0;
    return (isKnown || standsAlone(before, literal.text, at) ? part(expression) : "") + literal.text;
  });
  return head.text + pieces.join("");
}

/** True unless a placeholder touches a word or another placeholder: then it is an optional prefix or suffix. */
function standsAlone(before: string, after: string, at: number): boolean {
  return !(/[a-z]$/.test(before) || /^[a-z]{2}/.test(after) || (before === "" && at > 0));
}

function binaryTexts(node: BinaryExpression, resolve: (node: Node) => string[]): string[] {
  const operator = node.operatorToken.getText();
  const isText = textsOf(node.left).length > 0 || textsOf(node.right).length > 0;
  if (operator === "+") return isText ? [part(node.left) + part(node.right)] : [];
  return ["??", "||", "&&"].includes(operator) ? [node.left, node.right].flatMap((side) => textsOf(side, resolve)) : [];
}

function joinedText({ expression }: CallExpression): string {
  const list = is.isPropertyAccessExpression(expression) ? expression.expression : expression;
  const elements = is.isArrayLiteralExpression(list) ? list.elements : [];
  return elements.map(part).join(" ");
}

/** Returns the longest text of an expression, or a word for it. */
function part(node: Node): string {
  const texts = textsOf(node);
  if (texts.length === 0) return word(node);
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest));
}

/** Returns a word in capitals for an expression: `name` and `quote(file.name)` are NAME. */
function word(node: Node): string {
  if (is.isCallExpression(node)) {
    const callee = node.expression;
    const [first] = node.arguments;
    const isMethod = is.isPropertyAccessExpression(callee) && !/^(JSON|String|Math|Object)\./.test(callee.getText());
    if (isMethod) return word(callee.expression);
    return first ? word(first) : word(callee);
  }
  if (is.isPropertyAccessExpression(node)) return capitals(node.name.getText());
  if (is.isIdentifier(node)) return capitals(node.getText());
  if (is.isElementAccessExpression(node) || is.isNonNullExpression(node)) return word(node.expression);
  if (is.isBinaryExpression(node)) return word(node.left);
  return "VALUE";
}

function capitals(name: string): string {
  return (
    name
      .replace(/[^A-Za-z0-9_]/g, "")
      .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
      .toUpperCase() || "VALUE"
  );
}
