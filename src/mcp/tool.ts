import { type Static, type TObject, type TProperties, Type } from "typebox";
import type { CheckReport } from "../check/report.ts";
import type { Client, WebhookWithSecret } from "../client/http.ts";

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

/** What a tool does to the world, for an agent that has to decide whether to ask first. */
export type Effect = "reads" | "changes" | "destroys";

/** An operation that an agent can call. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  effect: Effect;
  /** Whether it sends requests to an address that the agent names. */
  reachesOut: boolean;
  input: TObject;
  output: TObject;
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

/** Declares a tool: its fields and results are typed by its schemas. An unknown field of the input is refused. */
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
