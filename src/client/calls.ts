import { OPERATIONS, type OperationName } from "../operations/index.ts";
import type { Argument, LibraryForm, Operation } from "../operations/operation.ts";

/**
 * Operations in the form in which clients send and check them. The build inlines them here as data, so clients need not
 * load the schemas.
 */

export type { OperationName };

/** An argument and its description. */
interface Parameter {
  form: Argument;
  /** Completes a sentence that starts with "takes"; undefined if the sandbox checks the value. */
  what?: string | undefined;
}

/** The parts of a field's JSON Schema that clients need. */
export interface Field {
  type?: string | undefined;
  description?: string | undefined;
  enum?: readonly string[] | undefined;
  default?: unknown;
  anyOf?: readonly Field[] | undefined;
  items?: Field | undefined;
}

export interface CallData {
  method: string;
  path: string;
  /** All fields of the operation's path, query and body. */
  fields: Readonly<Record<string, Field>>;
  required: readonly string[];
  query: readonly string[];
  /** A field by which clients recognize a response from Sandglass. */
  mark: string | undefined;
  library?: Omit<LibraryForm, "takes"> & { takes: readonly Parameter[] };
}

export const CALLS = callsOf(OPERATIONS) as Record<OperationName, CallData>;

/** The data that clients need to call operations, by name. */
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

/** The part of a field's schema that clients need. The sandbox validates the rest. */
function partOf({ type, description, enum: choices, default: preset, anyOf, items }: Field): Field {
  return {
    ...{ type, description, enum: choices, default: preset },
    anyOf: anyOf?.map((option) => ({ type: option.type })),
    items: items && partOf(items),
  };
}
