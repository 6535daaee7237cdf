import { invalidState, SandboxError } from "../../errors/errors.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { readJson } from "../../webhooks/body-text.ts";
import { createDispatcher } from "../../webhooks/dispatcher.ts";
import { wallNow, wallSleep } from "../../world/clock.ts";
import type { WorkCopy } from "../database/copies.ts";
import { isTables } from "../database/source.ts";
import { openTables, type Tables } from "../database/tables.ts";
import { runCommand } from "./command.ts";
import { callUrl, endAll, inboxIn, isInbox, isUrl, stateOf, textOf, withoutInbox } from "./remote-state.ts";
import type { Json } from "./state.ts";
import type { Subject } from "./subscriber.ts";

const POLL_MS = 5;

export interface RemoteOptions
  extends Pick<Subject, "url" | "server" | "statements" | "api" | "outside">,
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

/** Where a subscriber's state is, in its own database or in the copy. */
interface Source {
  readsTables: boolean;
  tables(): Promise<Tables>;
  read(): Promise<Json>;
  /** Leaves out the messages that an inbox has so far. */
  begin(): void;
  reset(by: string): Promise<void>;
  /** Waits until a GET is answered with 2xx. @throws SandboxError `unreachable` if that takes too long */
  untilIdle(address: string): Promise<void>;
  release(): Promise<void>;
  close(): Promise<void>;
}

/** @param source a URL, a database, an inbox or a command; empty for none */
function openSource(source: string, shown: string, options: RemoteOptions): Source {
  const { api, timeout, work } = options;
  /** URLs are called with the same settings as for deliveries. */
  const dispatcher = createDispatcher();
  /** Functions that end the running commands. */
  const running = new Set<() => void>();
  const readsTables = isTables(source);
  let opened: Promise<Tables> | undefined;
  /** The number of the inbox's last message before the reset. */
  let lastSeq = 0;

  function tables(): Promise<Tables> {
    opened ??= openTables(source, {
      only: options.tables,
      copyOf: work && shown.replace(/^sqlite:/, ""),
      // What a function does is known: no server works beside it.
      idleMs: options.handler && 0,
    });
    return opened;
  }

  function messages() {
    if (!api) throw withoutInbox(source);
    return api.messages(inboxIn(source), lastSeq);
  }

  async function release(): Promise<void> {
    const all = opened;
    opened = undefined;
    // An error of opening a database has already been reported.
    await (await all?.catch(() => undefined))?.close();
  }

  return {
    ...{ readsTables, tables, release },
    async read() {
      if (readsTables) return (await tables()).read();
      // Without the inbox's own fields, such as the time.
      if (isInbox(source)) return { [inboxIn(source)]: messages().map(({ body }) => readJson(body) ?? body) };
      const text = isUrl(source)
        ? textOf(source, await callUrl(dispatcher.send, { what: "state", address: source, timeout }))
        : await runCommand("state", source, timeout, running);
      return stateOf(text, source);
    },
    begin() {
      lastSeq = 0;
      if (isInbox(source)) lastSeq = messages().at(-1)?.seq ?? 0;
    },
    async reset(by) {
      if (!isUrl(by)) return void (await runCommand("reset", by, timeout, running));
      const { error } = await callUrl(dispatcher.send, { what: "reset", address: by, timeout });
      if (error) throw error;
    },
    async untilIdle(address) {
      for (const began = wallNow(); ; await wallSleep(POLL_MS)) {
        const { error, responseCode } = await callUrl(dispatcher.send, { what: "idle", address, timeout });
        if (!error) return;
        if (responseCode === null || wallNow() - began >= timeout) throw error;
      }
    },
    close: () => endAll([...running, release, () => dispatcher.close()]),
  };
}

/** A subscriber that is a server, with its state and its reset. */
export function remoteSubject(options: RemoteOptions): Subject {
  const { url, handler, stateUrl, resetBy, idleUrl, server, work, api, outside, statements } = options;
  const read = typeof stateUrl === "function" ? stateUrl : undefined;
  const named = typeof stateUrl === "string" ? stateUrl : "";
  const shown = withoutPasswords(named);
  const source = openSource(work?.copy.source ?? named, shown, options);
  const { readsTables, tables } = source;
  let restarts = server !== undefined && !readsTables;
  /** The error that ends all trials of the subscriber. */
  let ended: SandboxError | undefined;

  /** The error for a server that uses the user's own database: the server is ended. @param did what it was seen to do there */
  async function endBypassing(
    did: string,
    restore = async (): Promise<void> => undefined,
  ): Promise<SandboxError> {
    await server!.close();
    await restore();
    ended = invalidState(
      `The server does not use the copy of its database: it ${did}. The copy's address was in ${work!.variables.join(", ")}.`,
      "Let your server read the address of its database, or its host, port and name, from these variables, or name those that it reads in subject.databaseEnv of the configuration, such as DB_HOST, DB_PORT and DB_NAME.",
    );
    return ended;
  }

  /** @throws SandboxError as `endBypassing` if the server has changed the user's own database, which is restored */
  async function checkOriginal(): Promise<void> {
    const { isBypassed, restore } = work!.copy;
    if (await isBypassed()) throw await endBypassing(`changed ${shown} itself, which was restored`, restore);
  }

  /** @throws SandboxError as `endBypassing` if the server used another database */
  async function onCopy<Result>(use: () => Promise<Result>): Promise<Result> {
    try {
      return await use();
    } catch (error) {
      if (work && error instanceof SandboxError && error.code === "not_found") await checkOriginal();
      throw error;
    }
  }
  return {
    ...{ url, handler, readsTables, server, api, outside, statements },
    stateUrl: shown || null,
    tables: readsTables ? tables : undefined,
    async checkCopy() {
      if (!work) return;
      await checkOriginal();
      const tls = statements?.insistsOnTls?.();
      if (tls) throw tls;
      // A pool may connect at its first query, which need not have come yet.
      if (statements?.connections !== 0) await work.copy.confirm();
      else if (await work.copy.isConnectedTo(server!.restart))
        throw await endBypassing(`is connected to ${shown} itself`);
    },
    resetBy: typeof resetBy === "string" ? withoutPasswords(resetBy) : null,
    idle: idleUrl === undefined ? undefined : () => source.untilIdle(idleUrl),
    forget() {
      if (restarts || !server) return undefined;
      restarts = true;
      return () => {
        restarts = false;
      };
    },
    async reset() {
      if (ended) throw ended;
      server?.begin?.();
      source.begin();
      if (typeof resetBy === "function") return void (await resetBy());
      if (resetBy !== null) return source.reset(resetBy);
      // Restore the tables before restarting, so the server loads the original rows.
      if (readsTables) await onCopy(async () => (await tables()).putBack());
      if (restarts) await server!.restart();
    },
    state: read ?? (() => onCopy(source.read)),
    release: source.release,
    close: () =>
      endAll([
        () => server?.close(),
        () => outside?.close(),
        () => api?.close(),
        source.close,
        () => statements?.close(),
        () => work?.copy.close(),
      ]),
  };
}
