import { withoutPasswords } from "../../runtime/redact.ts";
import { readJson } from "../../webhooks/body-text.ts";
import type { Sending, SendRequest } from "../../webhooks/exchange.ts";
import { isTables } from "../database/source.ts";
import { openTables, type Tables } from "../database/tables.ts";
import { runCommand } from "./command.ts";
import { type CopySurroundings, watchCopy } from "./copy-watch.ts";
import type { Json } from "./differences.ts";
import {
  callUrl,
  EFFECTS_ALONE,
  endAll,
  inboxIn,
  isInbox,
  isUrl,
  stateOf,
  textOf,
  withoutInbox,
} from "./remote-state.ts";

/** A subscriber's state, which each run resets at its beginning and compares at its end. */
export interface SubjectState {
  /** The state's source, without a password; null for a function. */
  source: string | null;
  /** The URL or command that resets the state; null for a function, and for tables that are restored. */
  resetBy: string | null;
  /** The tables with all columns, if the state is a database. */
  tables?: (() => Promise<Tables>) | undefined;
  /** @throws SandboxError `unreachable`, `invalid_state` */
  read(): Promise<Json>;
  /** @throws SandboxError `unreachable` */
  reset(): Promise<void>;
  /**
   * From now on, restarts the subscriber at each reset, because it may remember more than the tables.
   * @returns a function that reverts this; undefined if it is already restarted, or cannot be
   */
  forget(): (() => void) | undefined;
  /** Checks that a server that was given a database copy uses it. @throws SandboxError `invalid_state` */
  checkCopy?: (() => Promise<void>) | undefined;
  /** Stops running commands, restores tables, and leaves them alone until they are used again. */
  release(): Promise<void>;
}

export interface StateOptions {
  /**
   * The state's source: a URL, a database, an inbox, a command that returns JSON, or a function. Null if there is no
   * state.
   */
  stateUrl: string | (() => Promise<Json>) | null;
  /** The database's tables to compare; by default, all. */
  tables?: readonly string[] | undefined;
  /** A URL to POST to, a shell command, or a function; null if tables are restored, or the server is restarted. */
  resetBy: string | (() => unknown) | null;
  /** The time limit for a reset and for a response, in real milliseconds. */
  timeout: number;
}

/**
 * @param send calls URLs with the same settings as deliveries
 * @param idleMs see `openTables`
 */
export function openState(
  { stateUrl, tables: only, resetBy, timeout }: StateOptions,
  { server, api, outside, statements, work }: CopySurroundings,
  send: (request: SendRequest) => Sending,
  idleMs: number | undefined,
): SubjectState {
  const named = typeof stateUrl === "string" ? stateUrl : "";
  const shown = withoutPasswords(named);
  const source = work?.copy.source ?? named;
  const hasTables = isTables(source);
  const watch = work && watchCopy(work, { server, statements }, shown);
  /** Functions that stop the running commands. */
  const running = new Set<() => void>();
  let opened: Promise<Tables> | undefined;
  /** The number of the inbox's last message before the reset. */
  let lastSeq = 0;
  let restarts = server !== undefined && !hasTables;

  function tables(): Promise<Tables> {
    opened ??= openTables(source, { only, idleMs, copyOf: work && shown.replace(/^sqlite:/, "") });
    return opened;
  }

  async function inTables<Result>(use: (all: Tables) => Promise<Result>): Promise<Result> {
    const work = async () => use(await tables());
    return watch ? watch.use(work) : work();
  }

  async function close(): Promise<void> {
    const all = opened;
    opened = undefined;
    // An error from opening the database has already been reported.
    await (await all?.catch(() => undefined))?.close();
  }

  function messages() {
    if (!api) throw withoutInbox(source);
    return api.messages(inboxIn(source), lastSeq);
  }

  return {
    source: shown || null,
    resetBy: typeof resetBy === "string" ? withoutPasswords(resetBy) : null,
    tables: hasTables ? tables : undefined,
    checkCopy: watch?.check,
    async read() {
      if (typeof stateUrl === "function") return stateUrl();
      if (hasTables) return inTables((all) => all.read());
      // Effects of calls are added to every state.
      if (source === EFFECTS_ALONE) return {};
      // Omit the inbox's own fields, such as the time.
      if (isInbox(source)) return { [inboxIn(source)]: messages().map(({ body }) => readJson(body) ?? body) };
      const text = isUrl(source)
        ? textOf(source, await callUrl(send, { what: "state", address: source, timeout }))
        : await runCommand("state", source, timeout, running);
      return stateOf(text, source);
    },
    async reset() {
      watch?.refuseEnded();
      server?.begin();
      lastSeq = 0;
      if (isInbox(source)) lastSeq = messages().at(-1)?.seq ?? 0;
      if (typeof resetBy === "function") await resetBy();
      else if (resetBy === null) {
        // Restore the tables before restarting, so the server loads the original rows.
        if (hasTables) await inTables((all) => all.putBack());
        if (restarts) await server!.restart();
      } else if (isUrl(resetBy)) {
        const { error } = await callUrl(send, { what: "reset", address: resetBy, timeout });
        if (error) throw error;
      } else await runCommand("reset", resetBy, timeout, running);
      await outside?.reset();
    },
    forget() {
      if (restarts || !server) return undefined;
      restarts = true;
      return () => {
        restarts = false;
      };
    },
    release: () => endAll([...running, close]),
  };
}
