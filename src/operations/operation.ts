import type { Static, TSchema } from "typebox";
import type { RequestOf, RouteDescription, RouteName } from "../http/route-table.ts";

/** An operation's effect on a world, so that callers can decide whether to ask first. */
export type Effect = "reads" | "changes" | "ends";

/**
 * A positional argument of the library call: a field of the input; `*`, the body as an options object; options under the
 * library's names; a value for one field, or the whole body instead; or a name, or the named object instead.
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
  /** Its effect on the world. By default, GET reads and anything else changes. */
  effect?: Effect;
  /** Whether it sends requests to an address that the user specified. */
  reachesOut?: boolean;
  /** Additional responses by status. */
  otherAnswers?: Record<number, TSchema>;
  answer: Answer;
  /** The library call, if there is one. */
  library?: Form;
}

/**
 * An operation on a sandbox, declared once; every interface is derived from it. Its implementation is in
 * control/bound.ts.
 */
export interface Operation<
  Name extends string = string,
  Result = unknown,
  Form = LibraryForm | undefined,
  Sent = unknown,
  Request = unknown,
> extends Entry<TSchema, TSchema, TSchema, TSchema, Form> {
  /** Its name in the library, such as `webhooks.resend`. */
  name: Name;
  effect: Effect;
  reachesOut: boolean;
  /** Exists only as types: the request, the result and the body. */
  readonly types?: { request: Request; result: Result; body: Sent };
}

/** Declares operations under one tag of the document; their schemas determine the input types. */
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
    entry: Omit<Entry<P, Q, B, A, Form>, "route" | "tag">,
  ): Operation<Name, Static<A>, Form, Static<B>, RequestOf<P, Q, B>> => {
    const effect: Effect = route.startsWith("GET ") ? "reads" : "changes";
    return { effect, reachesOut: false, ...entry, name, route, tag } as never;
  };
