/** Reads the texts that an expression of the source can become. */
import type { BinaryExpression, CallExpression, Node, TemplateExpression } from "typescript/unstable/ast";
import * as is from "typescript/unstable/ast/is";

/** Returns each text that an expression stands for, with a word in capitals for each part known only at run time. */
export function textsOf(node: Node): string[] {
  if (is.isStringLiteral(node) || is.isNoSubstitutionTemplateLiteral(node)) return [node.text];
  if (is.isTemplateExpression(node)) return [templateText(node)];
  if (is.isParenthesizedExpression(node) || is.isAsExpression(node)) return textsOf(node.expression);
  if (is.isConditionalExpression(node)) return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
  if (is.isArrayLiteralExpression(node)) return node.elements.flatMap(textsOf);
  if (is.isBinaryExpression(node)) return binaryTexts(node);
  if (is.isCallExpression(node) && node.expression.getText().endsWith("].join")) return [joinedText(node)];
  return [];
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

function binaryTexts(node: BinaryExpression): string[] {
  const operator = node.operatorToken.getText();
  const sides = [textsOf(node.left), textsOf(node.right)];
  if (operator === "+") return sides.flat().length > 0 ? [part(node.left) + part(node.right)] : [];
  return operator === "??" || operator === "||" || operator === "&&" ? sides.flat() : [];
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
