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

export interface CallData {
  method: string;
  path: string;
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
  properties?: Readonly<Record<string, { description?: string }>>;
}

function callDataOf({ route, params, query, answer, library }: Operation): CallData {
  const [method, path] = route.split(" ") as [string, string];
  const what = (form: Argument): string | undefined => {
    if (form === "*") return "its options as an object";
    const name = typeof form === "string" ? form : "named" in form ? form.named : undefined;
    if (name === undefined) return "options" in (form as object) ? "its options as an object" : undefined;
    const text = (params as Described | undefined)?.properties?.[name]?.description;
    const said = text && text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, "");
    return typeof form === "string" ? said : said?.replace(/^the (\w+) of (.*)$/, "$2 or its $1");
  };
  const takes = library?.takes?.map((form) => ({ form, what: what(form) })) ?? [];
  return {
    method,
    path,
    query: Object.keys((query as Described | undefined)?.properties ?? {}),
    mark: (answer as Described | undefined)?.required?.[0],
    ...(library && { library: { ...library, takes } }),
  };
}
