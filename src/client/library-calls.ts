import { unknownField } from "../errors/closest.ts";
import { misuse, type SandboxError } from "../errors/errors.ts";
import { shownValue } from "../errors/shown.ts";
import type { Inbox, Sandbox } from "../library/index.ts";
import type { ByArea, Declared } from "../operations/index.ts";
import type { LibraryForm, Operation } from "../operations/operation.ts";
import { isObject } from "../runtime/is-object.ts";
import { CALLS, type CallData } from "./calls.ts";
import type { Client } from "./http.ts";
import { inOwnWords } from "./refusal.ts";

/** The part of the result that a call of the library returns. */
type Given<Result, Form> = Form extends { gives: infer Field }
  ? Field extends keyof Result
    ? Result[Field]
    : undefined
  : Result;
type Loose<Body> = { [Field in keyof Body]: Body[Field] | undefined };
type Taken<Form, Body> = Form extends { takes: infer Forms extends readonly unknown[] }
  ? {
      [Index in keyof Forms]?: Forms[Index] extends "*"
        ? Loose<Body>
        : Forms[Index] extends { short: infer Field }
          ? Loose<Body> | Body[Field & keyof Body]
          : unknown;
    }
  : [];
type CallOf<Declaration> =
  Declaration extends Operation<string, infer Result, infer Form, infer Body>
    ? (...values: Taken<Form, Body>) => Promise<Given<Result, Form>>
    : never;
type CallsOf<Some extends Declared = Declared> = {
  [One in Some as One extends { library?: infer Form }
    ? Form extends LibraryForm
      ? One["name"]
      : never
    : never]: CallOf<One>;
};

/**
 * A compile-time check: the compiler reports an operation with `library` that is not a method of the interfaces in
 * src/library.
 */
type Undeclared = Exclude<keyof CallsOf, NamesOf<Sandbox & { inboxes: Inbox }>>;
type NamesOf<Surface> = {
  [Area in keyof Surface & string]: Area | `${Area}.${keyof Surface[Area] & string}`;
}[keyof Surface & string];
type None<_Names extends never> = unknown;

/** The library's calls that are operations, by area. */
type LibraryCalls = ByArea<CallsOf> & None<Undeclared>;

/** Builds the library's calls from the operations' declarations. */
export function libraryCalls(client: Client, declared: Record<string, CallData> = CALLS): LibraryCalls {
  const calls: Record<string, unknown> = {};
  for (const [name, call] of Object.entries(declared)) {
    if (!call.library) continue;
    const { gives, takes } = call.library;
    const options = takes.map(({ form }) =>
      typeof form === "object" && "options" in form ? form.options : {},
    );
    const own = Object.fromEntries(
      Object.entries(Object.assign({}, ...options)).map(([option, field]) => [field, option]),
    ) as Record<string, string>;
    const run = async (...values: unknown[]) => {
      const answer = await client
        .send<Record<string, unknown>>(call, readArguments(name, call.library!, values))
        .catch((error: unknown) => {
          throw inOwnWords(error, own);
        });
      return gives === undefined ? answer : gives === null ? undefined : answer[gives];
    };
    const [area, method] = name.split(".") as [string, string?];
    if (method === undefined) calls[area] = run;
    else calls[area] = { ...(calls[area] as object), [method]: run };
  }
  return calls as LibraryCalls;
}

/**
 * Converts the arguments of a call to the operation's input. @throws SandboxError `bad_request` for invalid arguments
 */
function readArguments(
  name: string,
  { always, takes }: NonNullable<CallData["library"]>,
  values: readonly unknown[],
): Record<string, unknown> {
  /** Fields passed as separate arguments override the fields of an object argument. */
  const named: Record<string, unknown> = {};
  const whole: Record<string, unknown> = { ...always };
  const put = (field: string, value: unknown) => {
    if (value !== undefined) named[field] = value;
  };
  for (const [index, { form, what }] of takes.entries()) {
    const value = values[index];
    if (typeof form === "object" && "short" in form) {
      if (isObject(value)) Object.assign(whole, value);
      else put(form.short, value);
    } else if (form === "*" || (typeof form === "object" && "options" in form)) {
      if (value === undefined) continue;
      if (!isObject(value)) throw wrongArgument(name, index, what!, value);
      if (form === "*") Object.assign(whole, value);
      else
        for (const [option, given] of Object.entries(value)) {
          if (!Object.hasOwn(form.options, option))
            throw misuse(
              `${name}(): ${unknownField(option, Object.keys(form.options))}`,
              "Omit it, or use one of these.",
              option,
            );
          put(form.options[option]!, given);
        }
    } else {
      const field = typeof form === "string" ? form : form.named;
      const given = typeof form === "object" && isObject(value) ? value[field] : value;
      if (what !== undefined) checkText(name, index, what, given, value);
      put(field, given);
    }
  }
  return { ...whole, ...named };
}

/** @throws SandboxError `bad_request` unless an argument is a non-empty string */
export function checkText(
  call: string,
  index: number,
  what: string,
  text: unknown,
  value = text,
): asserts text is string {
  if (typeof text !== "string" || text === "") throw wrongArgument(call, index, what, value);
}

/** @param index the position of the argument */
export function wrongArgument(call: string, index: number, what: string, value: unknown): SandboxError {
  return misuse(
    `${call}() expects ${what}, not ${shownValue(value)}.`,
    `Pass ${what} as its ${["first", "second", "third"][index]} argument.`,
  );
}
