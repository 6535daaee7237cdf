import { createDispatcher } from "../../webhooks/dispatcher.ts";
import { wallNow, wallSleep } from "../../world/clock.ts";
import { SECOND } from "../../world/duration.ts";
import type { CopySurroundings } from "./copy-watch.ts";
import { callUrl, endAll } from "./remote-state.ts";
import { openState, type StateOptions } from "./subject-state.ts";
import type { Subject } from "./subscriber.ts";

const POLL_MS = 5;
/** How long the state must stay unchanged, in addition to twice the time of its latest change. */
const QUIET_MS = { server: SECOND / 2, function: SECOND / 10 };

export interface RemoteOptions extends StateOptions, Pick<Subject, "url">, Partial<Pick<Subject, "handler">> {
  /** A URL that answers a GET with 2xx once the subscriber has nothing more to do. */
  idleUrl?: string | undefined;
  around?: CopySurroundings | undefined;
}

/** A subscriber with its state and its reset. */
export function remoteSubject({ url, handler, idleUrl, around = {}, ...options }: RemoteOptions): Subject {
  const { server, api, outside, stores, statements, work } = around;
  const { timeout } = options;
  const dispatcher = createDispatcher();
  // A subscriber that is a function does no work in the background, so there is no need to watch for it.
  const state = openState(options, around, dispatcher.send, handler && 0);

  /** @throws SandboxError `unreachable` if that takes too long */
  async function untilIdle(address: string): Promise<void> {
    for (const began = wallNow(); ; await wallSleep(POLL_MS)) {
      const { error, responseCode } = await callUrl(dispatcher.send, { what: "idle", address, timeout });
      if (!error) return;
      if (responseCode === null || wallNow() - began >= timeout) throw error;
    }
  }

  return {
    ...{ url, handler, state, server, api, outside, statements },
    quiet: idleUrl === undefined ? QUIET_MS[handler ? "function" : "server"] : 0,
    idle: idleUrl === undefined ? undefined : () => untilIdle(idleUrl),
    close: () =>
      endAll([
        () => server?.close(),
        () => outside?.close(),
        () => stores?.close(),
        () => api?.close(),
        state.release,
        () => dispatcher.close(),
        () => statements?.close(),
        () => work?.copy.close(),
      ]),
  };
}
