import { fromJsonSchema } from "@modelcontextprotocol/server";
import { Ajv, type ErrorObject } from "ajv";
import type { TObject } from "typebox";
import { unknownField } from "../errors/closest.ts";

const ajv = new Ajv({ allErrors: true, strict: false });

/** What a tool takes, whose violations name the field and what it may be. */
export function inputSchema(schema: TObject) {
  return fromJsonSchema(schema, {
    getValidator: () => {
      const validate = ajv.compile(schema);
      return (input) =>
        validate(input)
          ? { valid: true, data: input as never, errorMessage: undefined }
          : {
              valid: false,
              data: undefined,
              errorMessage: violationsText(validate.errors ?? [], Object.keys(schema.properties)),
            };
    },
  });
}

/** @param names the fields that there are */
function violationsText(errors: readonly ErrorObject[], names: readonly string[]): string {
  const texts = errors
    // The options that did not fit are listed themselves.
    .filter(({ keyword }) => keyword !== "anyOf")
    .map(({ instancePath, keyword, params, message }) => {
      const field = instancePath.slice(1).replaceAll("/", ".") || "the input";
      if (keyword === "additionalProperties")
        return unknownField(params.additionalProperty, names).slice(0, -1);
      if (keyword === "enum") return `${field} must be one of ${params.allowedValues.join(", ")}`;
      return `${field} ${message}`;
    });
  return [...new Set(texts)].join("; ");
}
