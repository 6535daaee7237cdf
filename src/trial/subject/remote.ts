import { invalidState, SandboxError } from "../../errors/errors.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { endAll, RemoteState } from "./remote-state.ts";
import type { Json } from "./state.ts";
import type { Subject } from "./subscriber.ts";
import { isTables, type WorkCopy } from "./tables.ts";

export interface RemoteOptions
  extends Pick<Subject, "url" | "server" | "statements" | "api">,
    Partial<Pick<Subject, "handler">> {
  /** The state's source: a URL, a database, an inbox, or a command, which returns JSON; or a function; null for none. */
  stateUrl: string | (() => Promise<Json>) | null;
  /** The database's tables to compare; by default, all. */
  tables?: readonly string[] | undefined;
  /** A URL for a POST, a shell command, or a function; null if tables are restored, or the server is restarted. */
  resetBy: string | (() => unknown) | null;
  /** A URL that answers a GET with 2xx once the subscriber has nothing more to do. */
  idleUrl?: string | undefined;
  /** The copy of its database, and the variables that contain the copy's address. */
  work?: { copy: WorkCopy; variables: readonly string[] } | undefined;
  /** How long a reset and an answer may take, in real milliseconds. */
  timeout: number;
}

/** A subscriber that is a server, with its state and its reset. */
export function remoteSubject(options: RemoteOptions): Subject {
  const { url, handler, stateUrl, tables, resetBy, idleUrl, server, work, api, statements, timeout } =
    options;
  const read = typeof stateUrl === "function" ? stateUrl : undefined;
  const named = typeof stateUrl === "string" ? stateUrl : "";
  const shown = withoutPasswords(named);
  const source = work?.copy.source ?? named;
  const state = new RemoteState(timeout, {
    only: tables,
    shown: shown.replace(/^sqlite:/, ""),
    copyOf: work?.copy.record,
    api,
  });
  const readsTables = isTables(source);
  let restarts = server !== undefined && !readsTables;
  /** The error that ends all trials of the subscriber. */
  let ended: SandboxError | undefined;

  /** The error for a server that uses the user's own database: the server is ended, and its changes are undone. */
  async function wentRound(): Promise<SandboxError> {
    await server!.close();
    await work!.copy.restore();
    ended = invalidState(
      `The server does not use the copy of its database: it changed ${shown} itself, which was put back. The copy's address was in ${work!.variables.join(", ")}.`,
      "Let your server read the address of its database from one of these variables, or name the variable that it reads in subject.databaseEnv of the configuration.",
    );
    return ended;
  }

  /** @throws SandboxError as `wentRound` if the server used another database */
  async function onCopy<Result>(use: () => Promise<Result>): Promise<Result> {
    try {
      return await use();
    } catch (error) {
      const isMissing = work && error instanceof SandboxError && error.code === "not_found";
      throw isMissing && (await work.copy.wentRound()) ? await wentRound() : error;
    }
  }
  return {
    ...{ url, handler, readsTables, server, api, statements },
    stateUrl: shown || null,
    tables: readsTables ? () => state.tables(source) : undefined,
    async checkCopy() {
      if (!work) return;
      if (await work.copy.wentRound()) throw await wentRound();
      work.copy.confirm();
      const tls = statements?.insistsOnTls?.();
      if (tls) throw tls;
      if (statements?.connections === 0)
        throw invalidState(
          `The server does not use the address of its database that it was given in ${work.variables.join(", ")}: no connection was made there, so its statements are not seen.`,
          "Let your server read host, port and database from these variables, or name those that it reads in subject.databaseEnv of the configuration, such as DB_HOST, DB_PORT and DB_NAME.",
        );
    },
    resetBy: typeof resetBy === "string" ? withoutPasswords(resetBy) : null,
    idle: idleUrl === undefined ? undefined : () => state.untilIdle(idleUrl),
    forget() {
      if (restarts || !server) return false;
      restarts = true;
      return true;
    },
    async reset() {
      if (ended) throw ended;
      server?.begin?.();
      state.empty(source);
      if (typeof resetBy === "function") return void (await resetBy());
      if (resetBy !== null) return state.reset(resetBy);
      // Restore the tables before restarting, so the server loads the original rows.
      if (readsTables) await onCopy(async () => (await state.tables(source)).putBack());
      if (restarts) await server!.restart();
    },
    state: read ?? (() => onCopy(() => state.read(source))),
    release: () => state.release(),
    close: () =>
      endAll([
        () => server?.close(),
        () => api?.close(),
        () => state.close(),
        () => statements?.close(),
        () => work?.copy.close(),
      ]),
  };
}
