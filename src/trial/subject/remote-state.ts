import { invalidState, misuse, type SandboxError, unreachable } from "../../errors/errors.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { clip } from "../../timeline/text.ts";
import { readJson } from "../../webhooks/body-text.ts";
import { createDispatcher } from "../../webhooks/dispatcher.ts";
import { unanswered } from "../../webhooks/failures.ts";
import { wallNow, wallSleep } from "../../world/clock.ts";
import type { StoryApi } from "./api.ts";
import { runCommand, STATE_BYTES } from "./command.ts";
import type { Json } from "./state.ts";
import { isTables, openTables, type Tables, type TablesOptions } from "./tables.ts";

/** Calls the functions one after another, even if some fail. @throws the first error */
export async function endAll(ends: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const end of ends)
    try {
      await end();
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
}

const POLL_MS = 5;

/** What a URL has to answer, and to which method. */
const CALLS = {
  state: { method: "GET", has: "It has to answer a GET with 2xx and the subscriber's state as JSON." },
  reset: { method: "POST", has: "It has to answer a POST with 2xx once the subscriber's state is empty." },
  idle: {
    method: "GET",
    has: "It has to answer a GET with 2xx once your server has nothing more to do, and with 503 before.",
  },
} as const;

/** Reads the states of subscribers, and resets them. */
export class RemoteState {
  readonly #timeout: number;
  readonly #api: StoryApi | undefined;
  readonly #options: TablesOptions;
  /** Calls URLs with the same dispatcher settings as deliveries. */
  readonly #dispatcher = createDispatcher();
  /** Functions that end the running commands. */
  readonly #running = new Set<() => void>();
  readonly #open = new Map<string, Promise<Tables>>();
  /** The number of the inbox's last message before the reset. */
  #lastSeq = 0;

  /**
   * @param timeout real milliseconds that an answer and a command may take
   * @param options for a database
   */
  constructor(timeout: number, { api, ...options }: TablesOptions & { api?: StoryApi | undefined } = {}) {
    this.#timeout = timeout;
    this.#api = api;
    this.#options = options;
  }

  /**
   * @param from a URL, a database as for `openTables`, an inbox, or a shell command
   * @throws SandboxError `unreachable`; `invalid_state` for output that is not JSON, or too long; as `openTables`
   */
  async read(from: string): Promise<Json> {
    if (isTables(from)) return (await this.tables(from)).read();
    // Without the inbox's own fields, such as the time.
    if (isInbox(from))
      return {
        [from.slice(INBOX.length)]: this.#messagesIn(from).map(({ body }) => readJson(body) ?? body),
      };
    return stateOf(isUrl(from) ? await this.#answerOf(from) : await this.#run("state", from), from);
  }

  /** Waits until a subscriber has nothing more to do. @throws SandboxError `unreachable` if that takes too long */
  async untilIdle(url: string): Promise<void> {
    for (const began = wallNow(); ; await wallSleep(POLL_MS)) {
      const { error, responseCode } = await this.#call("idle", url);
      if (!error) return;
      if (responseCode === null || wallNow() - began >= this.#timeout) throw error;
    }
  }

  /** Resets a subscriber by a POST to a URL, or by a command. @throws SandboxError `unreachable` unless it succeeds in time */
  async reset(by: string): Promise<void> {
    if (!isUrl(by)) return void (await this.#run("reset", by));
    const { error } = await this.#call("reset", by);
    if (error) throw error;
  }

  /** Messages that an inbox has so far are not part of the state. */
  empty(from: string): void {
    if (!isInbox(from)) return;
    this.#lastSeq = 0;
    this.#lastSeq = this.#messagesIn(from).at(-1)?.seq ?? 0;
  }

  /** The tables of a database. @throws as `openTables` */
  tables(from: string): Promise<Tables> {
    const tables = this.#open.get(from) ?? openTables(from, this.#options);
    this.#open.set(from, tables);
    return tables;
  }

  /** Restores tables and closes them; the next use opens them again. */
  async release(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    // An error of opening a database has already been reported.
    await endAll(all.map((tables) => async () => (await tables.catch(() => undefined))?.close()));
  }

  /** Ends running commands, and restores tables. @throws SandboxError as `Tables.close` */
  close(): Promise<void> {
    for (const kill of this.#running) kill();
    return endAll([() => this.release(), () => this.#dispatcher.close()]);
  }

  #run(what: "state" | "reset", command: string): Promise<string> {
    return runCommand(what, command, this.#timeout, this.#running);
  }

  #messagesIn(from: string) {
    if (!this.#api) throw withoutInbox(from);
    return this.#api.messages(from.slice(INBOX.length), this.#lastSeq);
  }

  async #answerOf(address: string): Promise<string> {
    const { error, responseBody, responseSize } = await this.#call("state", address);
    if (error) throw error;
    if (responseSize! > responseBody!.length)
      throw invalidState(
        `The state URL ${withoutPasswords(address)} answers with ${responseSize} bytes; the most that is read is ${STATE_BYTES}.`,
        "Answer with less of the state: what must not depend on the order of deliveries.",
      );
    return responseBody!.toString("utf8");
  }

  async #call(what: keyof typeof CALLS, address: string) {
    const { origin, pathname, search } = new URL(address);
    const { method, has } = CALLS[what];
    const answer = await this.#dispatcher.send({
      ...{ lane: origin, origin, path: pathname + search, method, bodyLimit: STATE_BYTES },
      headers: { accept: "application/json, */*" },
      body: method === "POST" ? "" : null,
      timeout: () => this.#timeout,
    }).result;
    const { error, detail, responseCode } = answer;
    if (error === null) return { ...answer, error };
    const problem = detail ?? unanswered(responseCode, this.#timeout);
    const check = responseCode === null ? "See whether your server runs at this address. " : "";
    return {
      ...answer,
      error: unreachable(`The ${what} URL ${withoutPasswords(address)} ${problem}.`, check + has),
    };
  }
}

/** The prefix of a `--state` that is an inbox of messages from the server. */
const INBOX = "inbox:";
export const isInbox = (state: string): boolean => state.startsWith(INBOX);

export const withoutInbox = (state: string): SandboxError =>
  misuse(
    `${state} is an inbox of the sandbox that a trial serves, and none is served.`,
    "Let Sandglass start your server with --start, and send to $SANDGLASS_URL/_sandbox/inbox/<name>; or set subject.apiPort in the configuration, and send to that port.",
  );

/** @param from the source of the text */
function stateOf(text: string, from: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    const where = isUrl(from)
      ? `URL ${withoutPasswords(from)} does not answer with`
      : "command does not print";
    throw invalidState(
      `The state ${where} JSON, but ${isUrl(from) ? "with " : ""}${JSON.stringify(clip(text, 60))}.`,
      "It has to be the subscriber's state as JSON, for example every order with its status.",
    );
  }
}

const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);
