import { parseAst } from "vite";

/** One change of one operator: this piece of a file becomes this text. */
export interface Change {
  file: string;
  line: number;
  kind: string;
  start: number;
  end: number;
  text: string;
  /** The nearest function around it that has a name, as V8 names it; empty at the top of a module. */
  within: string;
}

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

/** Each becomes the other one. */
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

/** All changes of one operator that a file can have. */
export function changesOf(file: string, code: string): Change[] {
  const found: Change[] = [];

  function visit(node: Node, around: string): void {
    // Types and imports end with the build.
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

/** A plus beside it joins texts. */
const isText = (node: Node) => node.type === "TemplateLiteral" || typeof node.value === "string";

/** The name that a function has here. */
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
