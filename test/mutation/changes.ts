import { parseAst } from "vite";

/** A change to one operator: replaces a piece of a file with other text. */
export interface Change {
  file: string;
  line: number;
  kind: string;
  start: number;
  end: number;
  text: string;
  /** The nearest enclosing function that has a name, as V8 names it; empty at the top level of a module. */
  within: string;
}

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

/** Pairs of operators, each of which is replaced with the other. */
const PAIRS = [
  ["comparison", "===", "!=="],
  ["boundary", "<", "<="],
  ["boundary", ">", ">="],
  ["boolean", "&&", "||"],
  ["arithmetic", "+", "-"],
  ["arithmetic", "*", "/"],
  ["arithmetic", "+=", "-="],
] as const;
const OTHERS = new Map<unknown, readonly [kind: string, other: string]>(
  PAIRS.flatMap(([kind, one, other]) => [[one, [kind, other]] as const, [other, [kind, one]] as const]),
);

/** All possible changes to one operator in a file. */
export function changesOf(file: string, code: string): Change[] {
  const found: Change[] = [];

  function visit(node: Node, around: string): void {
    // Types and imports do not exist at run time.
    if (/^(TS(?!As|NonNull|Satisfies)|Import|ExportAll)/.test(node.type)) return;
    const within = nameOf(node) ?? around;
    const change = (kind: string, text: string, start = node.start, end = node.end) =>
      found.push({ file, line: code.slice(0, start).split("\n").length, kind, start, end, text, within });
    const { left, right, operator, value } = node as Partial<Record<string, Node>>;
    const [kind, other] = (left && right && OTHERS.get(operator)) || [];
    if (kind && !(kind === "arithmetic" && (isText(left!) || isText(right!)))) {
      const at = code.indexOf(String(operator), left!.end);
      change(kind, other!, at, at + String(operator).length);
    } else if (node.type === "UnaryExpression" && String(operator) === "!")
      change("boolean", "", node.start, node.start + 1);
    else if (node.type === "Literal" && typeof value === "boolean") change("boolean", String(!value));
    else if (node.type === "Literal" && typeof value === "number") change("constant", String(value + 1));
    else if (node.type === "ExpressionStatement" || node.type === "ThrowStatement") change("removed", ";");
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, within);
  }

  visit(parseAst(code, { lang: "ts" }) as unknown as Node, "");
  return found;
}

export const applyChange = (code: string, { start, end, text }: Change): string =>
  code.slice(0, start) + text + code.slice(end);

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === "string";

/** Next to one of these, a plus concatenates strings. */
const isText = (node: Node) => node.type === "TemplateLiteral" || typeof node.value === "string";

/** The name by which a function is known in this file. */
function nameOf({ type, id, key, value, init, left, right }: Node): string | undefined {
  const isFunction = (node: unknown) => isNode(node) && /Function/.test(node.type);
  const named =
    type === "FunctionDeclaration" || isFunction(init)
      ? id
      : isFunction(value)
        ? key
        : isFunction(right)
          ? left
          : undefined;
  const { name, property } = (named ?? {}) as { name?: string; property?: { name?: string } };
  return name ?? property?.name;
}
