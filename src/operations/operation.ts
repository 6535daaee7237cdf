import type { Static, TSchema } from "typebox";
import type { RouteDescription, RouteName } from "../http/route-table.ts";

/** An operation's effect on a world. Callers use it to decide whether to ask first. */
export type Effect = "reads" | "changes" | "ends";

/**
 * A positional argument of the library call: a field of the input; `*` for the body as an options object; options under
 * the library's names; either a value for one field or the whole body; or either a name or the object with that name.
 */
export type Argument =
  | string
  | { readonly options: Readonly<Record<string, string>> }
  | { readonly short: string }
  | { readonly named: string };

/** How the library exposes an operation. */
export interface LibraryForm {
  takes?: readonly Argument[];
  /** The field of the response that the library returns; null for nothing; by default, the whole response. */
  gives?: string | null;
  /** Values that every call sends. */
  always?: Readonly<Record<string, number>>;
}

interface Entry<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Answer extends TSchema,
  Form,
> extends RouteDescription<Params, Query, Body> {
  route: RouteName;
  /** The operation's effect on the world. By default, GET operations read and all others change the world. */
  effect?: Effect;
  /** Whether the operation sends requests to a URL that the user specifies. */
  reachesOut?: boolean;
  /** Additional responses, by status. */
  otherAnswers?: Record<number, TSchema>;
  answer: Answer;
  /** The library call for the operation, if there is one. */
  library?: Form;
}

/**
 * An operation that a person or a program can run on a sandbox. It is declared once, and all surfaces are derived from
 * the declaration. The sandbox implements it in a method of the same name, unless control/bound.ts does.
 */
export interface Operation<
  Name extends string = string,
  Result = unknown,
  Form = LibraryForm | undefined,
  Sent = unknown,
  Input = unknown,
> extends Entry<TSchema, TSchema, TSchema, TSchema, Form> {
  /** The operation's name in the library, such as `webhooks.resend`. */
  name: Name;
  effect: Effect;
  reachesOut: boolean;
  /** Used only for the types of the input, the result and the body. */
  readonly types?: { input: Input; result: Result; body: Sent };
}

/**
 * Rejects an operation that has two fields with the same name, because callers pass path, query and body as one object.
 */
type Distinct<Params, Query, Body> = [
  (keyof Params & keyof Query) | (keyof Params & keyof Body) | (keyof Query & keyof Body),
] extends [never]
  ? unknown
  : { error: "Two of path, query and body have a field with the same name." };

/**
 * Declares operations that share a tag in the OpenAPI document. The types of input and result are derived from their
 * schemas.
 */
export const operationsOf =
  (tag: string) =>
  <
    const Name extends string,
    P extends TSchema,
    Q extends TSchema,
    B extends TSchema,
    A extends TSchema,
    const Form extends LibraryForm | undefined = undefined,
  >(
    name: Name,
    route: RouteName,
    entry: Omit<Entry<P, Q, B, A, Form>, "route" | "tag"> & Distinct<Static<P>, Static<Q>, Static<B>>,
  ): Operation<Name, Static<A>, Form, Static<B>, Static<P> & Static<Q> & Static<B>> => {
    const effect: Effect = route.startsWith("GET ") ? "reads" : "changes";
    return { effect, reachesOut: false, ...entry, name, route, tag } as never;
  };
