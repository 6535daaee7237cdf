import type { Static, TSchema } from "typebox";
import type { RequestOf, RouteDescription, RouteName } from "../http/route-table.ts";

/** What an operation does to a world, for a caller that has to decide whether to ask first. */
export type Effect = "reads" | "changes" | "ends";

/**
 * An argument of the library's call, by its position: the name of a field of the input; `*`, the body as an object of options;
 * options by the names that the library has for fields; a value for one field, in whose place the whole body may stand; or
 * a name, in whose place the named object may stand.
 */
export type Argument =
  | string
  | { readonly options: Readonly<Record<string, string>> }
  | { readonly short: string }
  | { readonly named: string };

/** How the library calls an operation. */
export interface LibraryForm {
  takes?: readonly Argument[];
  /** The field of the answer that it resolves with; null for nothing, the whole answer if left out. */
  gives?: string | null;
  /** What is sent with every call. */
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
  /** What it does to the world; a GET reads, and anything else changes unless it says more. */
  effect?: Effect;
  /** Whether it sends requests to an address that a person named. */
  reachesOut?: boolean;
  /** Answers of this operation alone, by status. */
  otherAnswers?: Record<number, TSchema>;
  answer: Answer;
  /** Left out where the library has no call of it. */
  library?: Form;
}

/**
 * Something that a person or a program can do to a sandbox, declared once: what each surface shows of it follows from here.
 * What it does is in control/bound.
 */
export interface Operation<
  Name extends string = string,
  Result = unknown,
  Form = LibraryForm | undefined,
  Sent = unknown,
  Request = unknown,
> extends Entry<TSchema, TSchema, TSchema, TSchema, Form> {
  /** Such as `webhooks.resend`: the library calls it so. */
  name: Name;
  effect: Effect;
  reachesOut: boolean;
  /** Types alone: what it is asked with, what it answers, and what its body is. */
  readonly types?: { request: Request; result: Result; body: Sent };
}

/** Declares operations that the document lists under one tag; the input of each is typed by its schemas. */
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
    const declared = { effect, reachesOut: false, ...entry, name, route, tag };
    return declared as unknown as Operation<Name, Static<A>, Form, Static<B>, RequestOf<P, Q, B>>;
  };
