import type { OperationName } from "../client/calls.ts";
import type { Client, ResultOf } from "../client/http.ts";
import type { ServerOptions } from "./server.ts";

/** The given values: fields of the operation, and values that only its view reads. */
// biome-ignore lint/suspicious/noExplicitAny: what each is follows from the operation's schema, which the sandbox checks
export type Given = Record<string, any>;

/** What a view may need besides the answer. */
export interface ViewCall {
  sandbox: Client;
  given: Given;
  options: ServerOptions;
}

/** How a command makes an operation's input and prints its answer. */
interface View<Answer, Shown> {
  /** The operation's input, made from the given values; they are passed on unchanged without this. */
  read?(given: Given, call: ViewCall): object | Promise<object>;
  /** The part of the answer that is printed, as lines and as JSON; all of it without this. */
  pick?(answer: Answer, call: ViewCall): Shown | Promise<Shown>;
  /** The lines; without this, the fields are printed by their names. */
  lines?(shown: Shown, call: ViewCall): readonly string[] | Promise<readonly string[]>;
  /** The exit code; 0 without it. */
  exit?(answer: Answer): number;
}

/** How a command prints the answers of its operations, by their names. */
export type Views = Readonly<Partial<Record<OperationName, View<never, never>>>>;

/** A view of an operation, typed by its declaration. */
export const view = <Name extends OperationName, Shown = ResultOf<Name>>(
  name: Name,
  how: View<ResultOf<Name>, Shown>,
): Views => ({ [name]: how }) as unknown as Views;

/** Gathers the views of a command. */
export const viewsOf = (...views: readonly Views[]): Views => Object.assign({}, ...views);
