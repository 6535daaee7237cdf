import { fromJsonSchema } from "@modelcontextprotocol/server";
import type { TObject } from "typebox";
import { unknownField } from "../errors/closest.ts";
import { checkerOf } from "../http/validation.ts";
import { violationMessage } from "../http/violation-text.ts";

/** A tool's input schema. It reports errors in the sandbox's form. */
export function inputSchema(schema: TObject) {
  const check = checkerOf(schema, "body");
  return fromJsonSchema(schema, {
    getValidator: () => (input) => {
      const names = Object.keys(schema.properties);
      // Report unknown fields first: a misspelled name explains a missing one.
      const unknown = Object.keys((input ?? {}) as object).find((name) => !names.includes(name));
      const { value, error } = check(input);
      if (!error) return { valid: true, data: value as never, errorMessage: undefined };
      const errorMessage =
        unknown === undefined ? violationMessage(error.violation) : unknownField(unknown, names);
      return { valid: false, data: undefined, errorMessage };
    },
  });
}
