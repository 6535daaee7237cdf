import { OPERATIONS } from "../operations/index.ts";
import type { Operation } from "../operations/operation.ts";
import type { OperationName } from "./calls.ts";

type Properties = Readonly<Record<string, object>>;

/** An operation's descriptions and complete schemas, for interfaces that need them. */
export interface Details extends Pick<Operation, "summary" | "effect" | "reachesOut"> {
  description: string;
  /** The JSON Schema of each field of the path, query and body. */
  fields: Properties;
  /** The JSON Schema of each field of the response. */
  answer: Properties;
}

/** The details of every operation. The build inlines them here as data for the tools of coding agents. */
export const DETAILS = detailsOf(OPERATIONS) as Record<OperationName, Details>;

/** The details of operations, by name. */
export function detailsOf(operations: readonly Operation[]): Record<string, Details> {
  const properties = (schema: object | undefined) =>
    (schema as { properties?: Properties } | undefined)?.properties;
  return Object.fromEntries(
    operations.map(({ name, summary, description = "", effect, reachesOut, params, query, body, answer }) => [
      name,
      {
        ...{ summary, description, effect, reachesOut },
        fields: { ...properties(params), ...properties(query), ...properties(body) },
        answer: properties(answer) ?? {},
      },
    ]),
  );
}
