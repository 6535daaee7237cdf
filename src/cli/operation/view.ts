import type { OperationName } from "../../client/calls.ts";
import type { Client, ResultOf } from "../../client/http.ts";
import type { ServerOptions } from "../server.ts";

/** The given values: the operation's fields, and values that only the operation's view reads. */
// biome-ignore lint/suspicious/noExplicitAny: what each is follows from the operation's schema, which the sandbox checks
export type Given = Record<string, any>;

export interface ViewCall {
  sandbox: Client;
  given: Given;
  options: ServerOptions;
}

/** How a command builds an operation's input and prints its response. */
interface View<Answer, Shown> {
  /** Builds the operation's input from the given values. The default passes them on unchanged. */
  read?(given: Given, call: ViewCall): object | Promise<object>;
  /** Picks the part of the response to print as lines and as JSON. The default is the whole response. */
  pick?(answer: Answer, call: ViewCall): Shown | Promise<Shown>;
  /** Returns the lines to print. The default prints each field with its name. */
  lines?(shown: Shown, call: ViewCall): readonly string[] | Promise<readonly string[]>;
  /** Returns the exit code. The default is 0. */
  exit?(answer: Answer): number;
}

export type Views = Readonly<Partial<Record<OperationName, View<never, never>>>>;

export const view = <Name extends OperationName, Shown = ResultOf<Name>>(
  name: Name,
  how: View<ResultOf<Name>, Shown>,
): Views => ({ [name]: how }) as unknown as Views;

export const viewsOf = (...views: readonly Views[]): Views => Object.assign({}, ...views);
