import type { Found, Hit, Source } from "./sources.ts";
import { blocksAround, closeOf, mentions } from "./text.ts";
import { keysOf, type Variable } from "./variables.ts";

/** Finds the variable with the secret for one particular verification, among the secrets of other webhooks. */

const NO_SECRET =
  /SECRET_KEY$|API_KEY|CLIENT|SESSION|JWT|AUTH_SECRET|COOKIE|PUBLI|^HTTP_|_URL$|_PATH$|_HEADER|_ID$|PRIVATE_KEY|PASSWORD|ACCESS_|BOT_TOKEN|REDIRECT/;
const IS_SECRET = /SECRET|SIGN|HOOK|TOKEN|WHSEC|HMAC|_KEY$/;
/** How many characters after a route's declaration to search for a secret that it passes on. */
const ROUTE_LENGTH = 1_500;
const LEAST = 15;
const MOST = 6;

export interface SecretOf {
  /** The sender's name, and the usual name of its secret's variable. */
  name: string;
  usual: string;
  hit?: Hit | undefined;
  /** The routes that lead to the verification, nearest first. */
  routes?: readonly { route: { source: Source; index: number } }[];
  /** The names of other senders, whose variables do not qualify. */
  others: readonly string[];
}

/** The best variable, and all candidates. */
export function findSecret(of: SecretOf, variables: readonly Variable[]): { secret: Found; all: string[] } {
  const context = of.hit && contextOf(of.hit);
  const best = new Map<string, { variable: Variable; points: number }>();
  for (const variable of variables) {
    const points = pointsOf(variable, of, context);
    if (points > (best.get(variable.value)?.points ?? 0)) best.set(variable.value, { variable, points });
  }
  const sorted = [...best.values()].sort((a, b) => b.points - a.points);
  const [first] = sorted;
  const all = sorted.slice(0, MOST).map(({ variable }) => variable.value);
  if (!first || first.points < LEAST)
    return { secret: { value: of.usual }, all: [...new Set([of.usual, ...all])] };
  return { secret: { value: first.variable.value, at: first.variable.at }, all };
}

interface Context {
  source: Source;
  /** The call that verifies the signature, the function around it, and the declarations used by both. */
  call: string;
  around: string;
}

function contextOf({ source, index }: Hit): Context {
  const { text, bare, path } = source;
  const line = text.lastIndexOf("\n", index) + 1;
  const after = text.indexOf("(", index);
  const isNear = after >= 0 && !/[;\n]/.test(text.slice(index, after));
  const call = text.slice(line, isNear ? closeOf(bare, after) : text.indexOf("\n", index) + 1 || text.length);
  const blocks = blocksAround(text, bare, path, index);
  const inFunction = blocks.filter(({ header }) =>
    /=>|\bfunction\b|\bdef\b|\bfunc\b|\)\s*(?::[^{]*)?\{\s*$/.test(header),
  );
  const outer = inFunction.at(0) ?? blocks[0];
  const around = outer ? text.slice(outer.start, endOf(source, outer, index)) : text;
  return { source, call, around };
}

const endOf = (
  { text, bare, path }: Source,
  { start, header }: { start: number; header: string },
  index: number,
): number => {
  if (!/\.(?:py|rb|ru)$/.test(path)) return closeOf(bare, start + header.length - 1);
  const indent = /[ \t]*/.exec(header)![0].length;
  const rest = new RegExp(`\\n[ \\t]{0,${indent}}(?:def|class|@|end\\b)`).exec(text.slice(index));
  return rest ? index + rest.index : text.length;
};

function pointsOf(
  variable: Variable,
  { name, usual, others, routes = [] }: SecretOf,
  context: Context | undefined,
): number {
  const { value, bound, source, index } = variable;
  const isUsual = value === usual;
  if (!isUsual && (NO_SECRET.test(value) || !IS_SECRET.test(value))) return 0;
  const names = [value, ...(bound !== undefined && bound.length > 3 && bound !== "secret" ? [bound] : [])];
  let points =
    (/HOOK|SIGN|WHSEC/.test(value) ? 8 : 0) +
    (value.includes("SECRET") ? 4 : 0) +
    (isUsual && !isBound(variable, context) ? 5 : 0) +
    (name && value.replaceAll("_", "").includes(name.toUpperCase().replaceAll(/\W/g, "")) ? 6 : 0);
  if (others.some((other) => value.includes(other.toUpperCase())) && !isUsual) points -= 12;
  if (!context) return points + 5;
  const isIn = (text: string) => names.some((one) => mentions(text, one)) || isConfigured(text, variable);
  if (isIn(context.call)) return points + 60;
  if (bound === "secret" && /\.secret\b/.test(context.call)) return points + 12;
  if (isIn(context.around)) return points + 40;
  const isOfRoute = routes.some(
    ({ route }) => route.source === source && index > route.index && index < route.index + ROUTE_LENGTH,
  );
  if (isOfRoute) return points + 30;
  if (source === context.source)
    return points + Math.max(10, 20 - Math.abs(context.source.text.slice(0, index).split("\n").length / 100));
  return points + (isIn(context.source.text) ? 18 : 5);
}

/**
 * Whether the verification uses the name that a variable is bound to. This counts for more than the variable's usual name.
 */
const isBound = ({ bound }: Variable, context: Context | undefined): boolean =>
  context !== undefined && bound !== undefined && mentions(context.around, bound);

/** Whether code reads a value through its PHP configuration keys: `config('services.stripe.webhook.secret')`. */
function isConfigured(text: string, variable: Variable): boolean {
  if (!variable.source.path.endsWith(".php")) return false;
  const keys = keysOf(variable).join(".");
  return keys !== "" && (text.includes(`.${keys}'`) || text.includes(`.${keys}"`));
}
