import type { Hint } from "../errors/errors.ts";
import { clip } from "../http/violation-text.ts";

/** A call that the engine refuses. Any part of the engine may throw it; the area converts it to its own format. */
export class Refusal extends Error {
  readonly code: "resource_not_found" | "invalid_field_value" | "invalid_status_transition";
  /** The invalid field, if there is one. */
  readonly param: string | undefined;
  readonly hint: Hint | undefined;

  constructor(code: Refusal["code"], message: string, param?: string, hint?: Hint) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.param = param;
    this.hint = hint;
  }
}

/** A resource that is missing, deleted or owned by another account; callers cannot tell which. */
export const notFound = (resource: string, id: string): Refusal =>
  new Refusal("resource_not_found", `No such ${resource}: '${clip(id)}'.`);

export const invalidField = (param: string, message: string, hint?: Hint): Refusal =>
  new Refusal("invalid_field_value", message, param, hint);

export const invalidTransition = (message: string): Refusal =>
  new Refusal("invalid_status_transition", message);
