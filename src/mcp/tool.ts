import { type TObject, type TProperties, type TSchema, Type } from "typebox";
import { CALLS, type OperationName } from "../client/calls.ts";
import { DETAILS, type Details } from "../client/details.ts";
import { findEndpoint } from "../client/find-endpoint.ts";
import type { Client, ResultOf, WebhookWithSecret } from "../client/http.ts";
import { inOwnWords } from "../client/refusal.ts";
import { text } from "../http/shapes.ts";
import type { CheckOptions } from "../library/check.ts";
import type { CheckReport } from "../trial/check/report.ts";
import { pick } from "./views.ts";

/** Gives the tools access to a sandbox and to this machine. */
export interface Toolbox {
  /** The running sandbox. It is started if necessary. Throws a SandboxError if that fails. */
  sandbox(): Promise<Client>;
  /** Tests a webhook handler. Throws a SandboxError if it cannot be tested. */
  check(request: CheckRequest): Promise<CheckReport>;
}

export interface CheckRequest extends Pick<CheckOptions, "secret" | "sender" | "events" | "state" | "only"> {
  url: string;
}

/** The context of a tool call. */
export interface Call {
  /** A signal that is aborted when the agent cancels the call. */
  signal: AbortSignal;
  /** Rewrites text from the command line for tools. */
  inWords: (text: string) => string;
}

/** The input of a tool. */
// biome-ignore lint/suspicious/noExplicitAny: the value has been validated against the tool's own field schemas
type Given = any;

interface Described {
  name: string;
  title: string;
  description: string;
  /** The tool's effect on the world. Agents use it to decide whether to ask for confirmation. */
  effect: Details["effect"];
  /** Whether the tool sends requests to a URL that the agent chooses. */
  reachesOut: boolean;
}

export interface Tool extends Described {
  input: TObject;
  output: TObject;
  /** The operation that the tool runs, and the tool's own names for the operation's fields. */
  operation?: { name: OperationName; words: Readonly<Record<string, string>> };
  run(toolbox: Toolbox, input: Given, call: Call): Promise<object>;
}

export const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
export const endpoint = text(
  "A webhook endpoint: its id, its URL, a part of its URL, or 'last' for the newest one.",
);

export const inputOf = (fields: TProperties) => Type.Object(fields, { additionalProperties: false });
/** The schema for the result of a view. It lists only field names. */
export const resultOf = (fields: readonly string[]) =>
  Type.Object(Object.fromEntries(fields.map((field) => [field, Type.Unknown()])));

/** Additional data that a view may need besides the response. */
interface Seen {
  client: Client;
  /** The endpoint that the agent specified. */
  endpoint: WebhookWithSecret;
}

// A tool that runs an operation. The operation's descriptions can be overridden for agents.
interface OperationTool<Name extends OperationName, Field extends string> extends Partial<Described> {
  name: string;
  /** The operations that the tool can run. The first one provides the descriptions. */
  does: Name | readonly [Name, ...Name[]];
  /** Chooses the operation. The default is the first one. */
  choose?(input: Given): Name;
  /**
   * The fields of the operation that become inputs: `seed`, or `pass_through:passThrough` for a field with another
   * name.
   */
  takes?: readonly string[];
  /** Additional inputs. `endpoint` identifies an endpoint in any supported way; the operation gets its id. */
  own?: TProperties;
  /** Builds the operation's input. The default is the tool's input. */
  read?(input: Given, client: Client): object | Promise<object>;
  /** The fields of the response, or of the view, that the tool returns. */
  gives: readonly Field[];
  view?(answer: ResultOf<Name>, seen: Seen): Record<Field, unknown> | Promise<Record<Field, unknown>>;
  /** The operation that stops this one when the agent cancels the call. */
  cancel?: OperationName;
}

/** Declares a tool for an operation, which provides its descriptions, effect and schemas. */
export function operationTool<Name extends OperationName, const Field extends string>(
  declared: OperationTool<Name, Field>,
): Tool {
  const { name, does, choose, takes = [], own = {}, read, gives, view, cancel, ...entry } = declared;
  const main = [does].flat()[0] as Name;
  const { summary, description, effect, reachesOut, fields, answer } = DETAILS[main];
  const renamed = takes
    .map((word) => word.split(":"))
    .map(([word, field = word]) => [word!, field!] as const);
  const taken = renamed.map(([word, field]) => {
    const schema = Type.Unsafe(fields[field]!);
    return [word, CALLS[main].required.includes(field) ? schema : Type.Optional(schema)];
  });
  const words: Record<string, string> = { ...("endpoint" in own && { id: "endpoint" }) };
  for (const [word, field] of renamed) words[field] = word;
  const picked = (object: object) => pick(object as Record<string, unknown>, ...gives);
  const about = `${summary}. ${description}`.trim();
  return {
    ...{ title: summary, description: about, effect, reachesOut, ...entry, name },
    operation: { name: main, words },
    input: inputOf({ ...Object.fromEntries(taken), ...own }),
    output: view ? resultOf(gives) : Type.Object(picked(answer) as TProperties),
    async run({ sandbox }, { endpoint: named, ...given }, { signal }) {
      const client = await sandbox();
      const fieldOf = (word: string) => renamed.find(([one]) => one === word)?.[1] ?? word;
      const input = Object.fromEntries(Object.entries(given).map(([word, value]) => [fieldOf(word), value]));
      const found = named === undefined ? undefined : await findEndpoint(client, named);
      if (found) input.id = found.id;
      const end = () => void client.run(cancel!).catch(() => "The call itself reports what went wrong.");
      if (cancel) signal.addEventListener("abort", end);
      try {
        const operation = choose?.(given) ?? main;
        const result = await client.run(operation, read ? await read(input, client) : input);
        return view
          ? await view(result as ResultOf<Name>, { client, endpoint: found! })
          : picked(result as object);
      } catch (error) {
        throw inOwnWords(error, words);
      } finally {
        if (cancel) signal.removeEventListener("abort", end);
      }
    },
  };
}
