import { OPERATIONS } from "../operations/index.ts";
import type { Argument, LibraryForm, Operation } from "../operations/operation.ts";

/** Operations as what a client sends and checks. The build writes them here as data, so that no client loads a schema. */

export type Declared = (typeof OPERATIONS)[number];
export type OperationName = Declared["name"];

/** An argument, and what it is in words. */
interface Parameter {
  form: Argument;
  /** Completes "takes …"; undefined for what is checked where it arrives. */
  what?: string | undefined;
}

/** The JSON Schema of a field of an operation's input, as far as a surface reads it. */
export interface Field {
  type?: string;
  description?: string;
  enum?: readonly string[];
  default?: unknown;
  anyOf?: readonly Field[];
  items?: Field;
}

export interface CallData {
  method: string;
  path: string;
  /** Every field of its path, query and body. */
  fields: Readonly<Record<string, Field>>;
  /** Fields that have to be given. */
  required: readonly string[];
  /** Fields that go into the query. */
  query: readonly string[];
  /** A field that its answer has if it is Sandglass's own. */
  mark: string | undefined;
  library?: Omit<LibraryForm, "takes"> & { takes: readonly Parameter[] };
}

export const CALLS = callsOf(OPERATIONS) as Record<OperationName, CallData>;

/** What clients need of some operations, by their names. */
export function callsOf(operations: readonly Operation[]): Record<string, CallData> {
  return Object.fromEntries(operations.map((one) => [one.name, callDataOf(one)]));
}

interface Described {
  required?: readonly string[];
  properties?: Readonly<Record<string, Field>>;
}

function callDataOf(operation: Operation): CallData {
  const { route, library, answer } = operation;
  const [method, path] = route.split(" ") as [string, string];
  const parts = [operation.params, operation.query, operation.body] as (Described | undefined)[];
  const fields = Object.assign({}, ...parts.map((part) => part?.properties)) as Record<string, Field>;
  const what = (form: Argument): string | undefined => {
    if (form === "*") return "its options as an object";
    const name = typeof form === "string" ? form : "named" in form ? form.named : undefined;
    if (name === undefined) return "options" in (form as object) ? "its options as an object" : undefined;
    const text = path.includes(`:${name}`) ? fields[name]!.description : undefined;
    const words = text && text.charAt(0).toLowerCase() + text.slice(1).replace(/:.*|\.$/, "");
    return typeof form === "string" ? words : words?.replace(/^the (\w+) of (.*)$/, "$2 or its $1");
  };
  const takes = library?.takes?.map((form) => ({ form, what: what(form) })) ?? [];
  return {
    method,
    path,
    fields: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, partOf(field)])),
    required: parts
      .flatMap((part) => part?.required ?? [])
      .filter((name) => fields[name]!.default === undefined),
    query: Object.keys(parts[1]?.properties ?? {}),
    mark: (answer as Described | undefined)?.required?.[0],
    ...(library && { library: { ...library, takes } }),
  };
}

/** What a surface reads of a field's schema: the rest is checked by the sandbox. */
function partOf({ type, description, enum: choices, default: preset, anyOf, items }: Field): Field {
  return {
    ...(type !== undefined && { type }),
    ...(description !== undefined && { description }),
    ...(choices && { enum: choices }),
    ...(preset !== undefined && { default: preset }),
    ...(anyOf && { anyOf: anyOf.map((option) => ({ type: option.type! })) }),
    ...(items && { items: partOf(items) }),
  };
}
