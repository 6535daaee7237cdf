import { type Static, type TObject, type TProperties, type TSchema, Type } from "typebox";
import { CALLS, type OperationName } from "../client/calls.ts";
import { DETAILS, type Details } from "../client/details.ts";
import type { Client, ResultOf, WebhookWithSecret } from "../client/http.ts";
import { inOwnWords } from "../client/refusal.ts";
import type { CheckReport } from "../trial/check/report.ts";

/** What a tool does to the world, for an agent that has to decide whether to ask first. */
type Effect = Details["effect"];

/** What tools reach a sandbox and this machine through. */
export interface Toolbox {
  /** The running sandbox, which is started if necessary. Throws SandboxError if that fails. */
  sandbox(): Promise<Client>;
  /** The endpoint that an id, a URL, a part of one URL, or `last` stands for. Throws SandboxError. */
  findEndpoint(sandbox: Client, name: string): Promise<WebhookWithSecret>;
  /** Tests a webhook handler. Throws SandboxError. */
  check(request: CheckRequest): Promise<CheckReport>;
}

/** What `check` tests, and how. */
export interface CheckRequest {
  url: string;
  secret?: string | undefined;
  sender?: string | undefined;
  events?: string | undefined;
  state?: string | undefined;
  only?: readonly string[] | undefined;
}

/** What a call of a tool can report while it runs. */
export interface Call {
  /** Aborted when the agent cancels the call. */
  signal: AbortSignal;
  /** A text for the command line in the words of tools. */
  inWords: (text: string) => string;
}

/** Something that an agent can call. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  effect: Effect;
  /** Whether it sends requests to an address that the agent names. */
  reachesOut: boolean;
  input: TObject;
  output: TObject;
  /** The operation that it is, and its own names of that one's fields. */
  operation?: { name: OperationName; words: Readonly<Record<string, string>> };
  run(toolbox: Toolbox, input: never, call: Call): Promise<object>;
}

interface ToolEntry<I extends TProperties, O extends TProperties> {
  name: string;
  title: string;
  description: string;
  effect: Effect;
  reachesOut?: boolean;
  input: I;
  output: O;
  run(
    toolbox: Toolbox,
    input: Static<TObject<I>>,
    call: Call,
  ): Promise<Static<TObject<O>>> | Static<TObject<O>>;
}

/** Declares a tool of its own: its fields and results are typed by its schemas. An unknown field of the input is refused. */
export function tool<const I extends TProperties, const O extends TProperties>({
  input,
  output,
  run,
  ...entry
}: ToolEntry<I, O>): Tool {
  return {
    reachesOut: false,
    ...entry,
    input: Type.Object(input, { additionalProperties: false }),
    output: Type.Object(output),
    run: async (toolbox, values, call) => run(toolbox, values as Static<TObject<I>>, call),
  };
}

/** What an agent gave to a tool. */
// biome-ignore lint/suspicious/noExplicitAny: the schemas of the tool's fields, which it was checked against, say what each is
type Given = any;

type FieldOf<Name extends OperationName> = Extract<keyof ResultOf<Name>, string>;

interface OperationTool<Name extends OperationName, O extends TProperties> {
  name: string;
  does: Name;
  /** Where an agent needs other words than those of the operation. */
  title?: string;
  description?: string;
  effect?: Effect;
  /** The fields of the operation that it takes, such as `seed`, or `pass_through:passThrough` under another name. */
  takes?: readonly string[];
  /** What it takes besides. `endpoint` names an endpoint, whose id the operation gets. */
  own?: TProperties;
  /** The input of the operation; that of the tool without it. */
  read?(input: Given, client: Client, toolbox: Toolbox): object | Promise<object>;
  /** The fields of the answer that it returns, or a view of the answer. */
  gives: readonly FieldOf<Name>[] | O;
  view?(answer: ResultOf<Name>): Static<TObject<O>>;
}

/** Declares a tool that is one operation, which has its words, its effect and the schemas of what it takes and returns. */
export function operationTool<Name extends OperationName, const O extends TProperties>({
  name,
  does,
  takes = [],
  own = {},
  read = (input: object) => input,
  gives,
  view,
  ...entry
}: OperationTool<Name, O>): Tool {
  const { summary, description, effect, reachesOut, fields, answer } = DETAILS[does];
  const renamed = takes.map((text) => text.split(":") as [name: string, field?: string]);
  const taken = renamed.map(([word, field = word]): [string, TSchema] => {
    const schema = fields[field] as TSchema;
    return [word, CALLS[does].required.includes(field) ? schema : Type.Optional(Type.Unsafe(schema))];
  });
  const words = Object.fromEntries([
    ...renamed.map(([word, field = word]) => [field, word]),
    ...("endpoint" in own ? [["id", "endpoint"]] : []),
  ]) as Record<string, string>;
  const picked = Array.isArray(gives) ? (gives as readonly string[]) : undefined;
  return {
    title: summary,
    description: `${summary}. ${description}`.trim(),
    effect,
    reachesOut,
    ...entry,
    name,
    operation: { name: does, words },
    input: Type.Object({ ...Object.fromEntries(taken), ...own }, { additionalProperties: false }),
    output: Type.Object(picked ? fieldsOf(answer as TProperties, picked) : (gives as O)),
    async run(toolbox, given: Given) {
      const client = await toolbox.sandbox();
      const { endpoint, ...rest } = given;
      const input = { ...rest } as Record<string, unknown>;
      for (const [word, field] of renamed)
        if (field !== undefined && word in rest) {
          input[field] = rest[word];
          delete input[word];
        }
      if (endpoint !== undefined) input.id = (await toolbox.findEndpoint(client, endpoint)).id;
      try {
        const answer = (await client.run(does, await read(input, client, toolbox))) as ResultOf<Name>;
        return view ? view(answer) : fieldsOf(answer as Record<string, unknown>, picked!);
      } catch (error) {
        throw inOwnWords(error, words);
      }
    },
  };
}

const fieldsOf = <Value>(object: Readonly<Record<string, Value>>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, object[name]!]));
