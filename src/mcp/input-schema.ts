import { fromJsonSchema } from "@modelcontextprotocol/server";
import type { TObject } from "typebox";
import { unknownField } from "../errors/closest.ts";
import { checkerOf } from "../http/validation.ts";
import { violationMessage } from "../http/violation-text.ts";

/** The input schema of a tool. It reports errors in the sandbox's format. */
export function inputSchema(schema: TObject) {
  const check = checkerOf(schema, "body");
  return fromJsonSchema(schema, {
    getValidator: () => (input) => {
      const names = Object.keys(schema.properties);
      // Report unknown fields first, because a misspelled field also looks like a missing one.
      const unknown = Object.keys((input ?? {}) as object).find((name) => !names.includes(name));
      const { value, error } = check(input);
      if (!error) return { valid: true, data: value as never, errorMessage: undefined };
      const errorMessage =
        unknown === undefined ? violationMessage(error.violation) : unknownField(unknown, names);
      return { valid: false, data: undefined, errorMessage };
    },
  });
}
