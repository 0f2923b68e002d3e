/** Finds the messages beside a help in the source, by the names of functions, variables and parameters. */
import { dirname, join } from "node:path";
import type {
  Block,
  CallExpression,
  NewExpression,
  Node,
  ParameterDeclaration,
  SourceFile,
  VariableDeclaration,
} from "typescript/unstable/ast";
import * as is from "typescript/unstable/ast/is";
import { textsOf } from "./message-texts.ts";

/** How many names and calls lead from a help to a text, at most. */
const MAX_STEPS = 8;

/** A message, and not a name, a path or a command. */
const SENTENCE = /[a-z]{2,},? [a-z]{2,}|[A-Z]{2,} (is|must|has|was|cannot|needs|to|of|in|at)\b|[a-z]{2,} [A-Z]{3,}/;

/** Calls that take a text for the user. */
const REPORTS = /(^|\.)#?(push|warn|warnOnce|warning|problem|notice|note|report|fail|failed|deny|break|failStream)$/;

/** How far to follow a text: `steps` names and calls, and the callers of a function for its parameters. */
interface Reach {
  steps: number;
  callers: boolean;
}

/** Finds the messages of a help in the source around it. */
export class MessageReader {
  readonly #files = new Map<SourceFile, string>();
  readonly #declarations = new Map<string, Map<string, Node>>();
  /** The calls of each function and constructor, by its name. */
  readonly #calls = new Map<string, (CallExpression | NewExpression)[]>();

  constructor(files: ReadonlyMap<string, SourceFile>) {
    for (const [file, source] of files) {
      const declared = new Map<string, Node>();
      this.#declarations.set(file, declared);
      this.#files.set(source, file);
      visit(source, (node) => {
        const isNamed =
          is.isFunctionDeclaration(node) || is.isMethodDeclaration(node) || is.isVariableDeclaration(node);
        if (isNamed && node.name) declared.set(node.name.getText(), node);
        if (!is.isCallExpression(node) && !is.isNewExpression(node)) return;
        const name = lastName(node.expression);
        this.#calls.set(name, [...(this.#calls.get(name) ?? []), node]);
      });
    }
  }

  /** Returns the messages of the error, problem, failure or function whose help is written at `use`. */
  messagesAt(use: Node): string[] {
    const reach = { steps: MAX_STEPS, callers: true };
    let inner = use;
    for (let node = use.parent; node; inner = node, node = node.parent) {
      if (is.isObjectLiteralExpression(node)) {
        const texts = this.#texts(node, reach);
        if (texts.length > 0) return texts;
      }
      if (is.isBinaryExpression(node) && is.isPropertyAccessExpression(node.left) && node.right === inner)
        return this.#named(node.left.expression, reach);
      if (is.isConstructorDeclaration(node)) return this.#arguments(node, 0, reach);
      if (is.isPropertyDeclaration(node))
        return node.getText().startsWith("static ")
          ? this.#results(node.parent, reach)
          : this.#arguments(node.parent, 0, reach);
      if (is.isCallExpression(node) && node.expression.getText() === "super") continue;
      if (is.isCallExpression(node) || is.isNewExpression(node))
        return (node.arguments ?? []).flatMap((argument) => (argument === inner ? [] : this.#texts(argument, reach)));
    }
    return [];
  }

  #texts(node: Node, { steps, callers }: Reach): string[] {
    const texts = textsOf(node, (leaf) => (steps > 0 ? this.#resolve(leaf, { steps: steps - 1, callers }) : []));
    return texts.map((text) => text.replace(/\s+/g, " ").trim()).filter((text) => SENTENCE.test(text));
  }

  #resolve(node: Node, reach: Reach): string[] {
    if (is.isIdentifier(node)) return this.#named(node, reach);
    if (is.isArrowFunction(node)) return this.#results(node, reach);
    if (is.isSpreadElement(node)) return this.#texts(node.expression, reach);
    if (is.isElementAccessExpression(node)) return this.#valuesOf(node.expression, reach);
    if (!is.isCallExpression(node)) return [];
    const called = { ...reach, callers: false };
    const results = this.#named(node.expression, called);
    if (results.length > 0) return results;
    // Such as `problems.map(...)`: the texts go through.
    const subject = is.isPropertyAccessExpression(node.expression) ? [node.expression.expression] : [];
    return [...subject, ...node.arguments].flatMap((part) => this.#texts(part, called));
  }

  /** The texts of a variable, of the arguments for a parameter, or of the results of a function. */
  #named(node: Node, reach: Reach): string[] {
    const name = lastName(node);
    for (let scope = node.parent; scope && is.isIdentifier(node); scope = scope.parent) {
      const index = parametersOf(scope).findIndex((parameter) => parameter.name.getText() === name);
      if (index >= 0) return reach.callers ? this.#arguments(scope, index, reach) : [];
      const own = is.isBlock(scope) ? declarationIn(scope, name) : undefined;
      if (own?.initializer) return [...this.#texts(own.initializer, reach), ...this.#pushed(scope, name, reach)];
    }
    const found = this.#declaration(name, node.getSourceFile());
    if (found && is.isVariableDeclaration(found)) return found.initializer ? this.#texts(found.initializer, reach) : [];
    return found ? this.#results(found, reach) : [];
  }

  /** The texts of all values of a table. */
  #valuesOf(table: Node, reach: Reach): string[] {
    const found = this.#declaration(lastName(table), table.getSourceFile());
    const value = found && is.isVariableDeclaration(found) ? found.initializer : undefined;
    if (!value || !is.isObjectLiteralExpression(value)) return [];
    return value.properties.flatMap((row) => (is.isPropertyAssignment(row) ? this.#texts(row.initializer, reach) : []));
  }

  /** The texts that a block adds to a list. */
  #pushed(block: Node, name: string, reach: Reach): string[] {
    const texts: string[] = [];
    visit(block, (node) => {
      if (is.isCallExpression(node) && node.expression.getText() === `${name}.push`)
        texts.push(...node.arguments.flatMap((argument) => this.#texts(argument, reach)));
    });
    return texts;
  }

  #declaration(name: string, source: SourceFile): Node | undefined {
    const own = this.#declarations.get(this.#fileOf(source))?.get(name);
    return own ?? this.#declarations.get(this.#importedFrom(name, source))?.get(name);
  }

  #fileOf(source: SourceFile): string {
    return this.#files.get(source) ?? "";
  }

  /** The file from which another imports a name; "" if it does not. */
  #importedFrom(name: string, source: SourceFile): string {
    const from = new RegExp(`import [^;]*\\b${name}\\b[^;]* from "(\\.[^"]+)"`).exec(source.text)?.[1];
    return from === undefined ? "" : join(dirname(this.#fileOf(source)), from);
  }

  /** The texts that callers in this file, and in those that import it, pass for a parameter. */
  #arguments(scope: Node, index: number, reach: Reach): string[] {
    const named = is.isConstructorDeclaration(scope) || is.isArrowFunction(scope) ? scope.parent : scope;
    const name = nameOf(named) ?? "";
    const file = named.getSourceFile();
    const calls = (this.#calls.get(name) ?? []).filter((call) => {
      const caller = call.getSourceFile();
      if (/\bhelp\b/.test(call.getText()) || (is.isArrowFunction(scope) && !is.isIdentifier(call.expression)))
        return false;
      return caller === file || this.#importedFrom(name, caller) === this.#fileOf(file);
    });
    const lower = { ...reach, steps: reach.steps - 1 };
    return calls.flatMap(({ arguments: given }) => (given?.[index] ? this.#texts(given[index], lower) : []));
  }

  /** The texts that a function returns, and those that it passes to another that reports them. */
  #results(node: Node, reach: Reach): string[] {
    const texts: string[] = [];
    if (is.isArrowFunction(node) && !is.isBlock(node.body)) return this.#texts(node.body, reach);
    visit(node, (inner) => {
      if ((is.isReturnStatement(inner) || is.isThrowStatement(inner)) && inner.expression)
        texts.push(...this.#texts(inner.expression, reach));
      if (is.isCallExpression(inner) && REPORTS.test(inner.expression.getText()))
        texts.push(...inner.arguments.flatMap((argument) => this.#texts(argument, reach)));
    });
    return texts;
  }
}

function nameOf(node: Node): string | undefined {
  const isNamed =
    is.isFunctionDeclaration(node) ||
    is.isMethodDeclaration(node) ||
    is.isClassDeclaration(node) ||
    is.isVariableDeclaration(node);
  return isNamed ? node.name?.getText() : undefined;
}

/** The variable that a statement of a block declares. */
function declarationIn(block: Block, name: string): VariableDeclaration | undefined {
  const lists = block.statements.flatMap((statement) =>
    is.isVariableStatement(statement) ? statement.declarationList.declarations : [],
  );
  return lists.find((declaration) => names(declaration.name).includes(name));
}

function parametersOf(node: Node): readonly ParameterDeclaration[] {
  return is.isFunctionDeclaration(node) ||
    is.isMethodDeclaration(node) ||
    is.isArrowFunction(node) ||
    is.isConstructorDeclaration(node)
    ? node.parameters
    : [];
}

/** The last name of an expression: `problem` of `this.report.problem`. */
function lastName(node: Node): string {
  return is.isPropertyAccessExpression(node) ? node.name.getText() : node.getText();
}

/** The names that a variable or parameter declares: `{ path, message }` two. */
function names(node: Node): string[] {
  return node.getText().match(/\w+/g) ?? [];
}

/** Calls `see` with a node and everything in it. */
export function visit(node: Node, see: (node: Node) => void): void {
  see(node);
  node.forEachChild((child) => void visit(child, see));
}
