import { computed, effect, signal, untracked } from "@preact/signals";
import { createApi } from "./api.ts";
import type { Status } from "./api-types.ts";
import { createLive, type Socket } from "./live.ts";
import { createUndo } from "./models/advances.ts";
import { createClock, type Machine } from "./models/clock.ts";
import { createEndpoints } from "./models/endpoints.ts";
import { toMs } from "./models/format.ts";
import { createCatchUp, createJournal } from "./models/journal.ts";
import { createLedger } from "./models/ledger.ts";
import { createLostEndpoints } from "./models/lost.ts";
import { createPrefs, type Keep } from "./models/prefs.ts";
import { refreshOn, unreadCount } from "./models/refresh.ts";
import { createRouter, type Place } from "./models/router.ts";
import { createStage, createStagedLive } from "./models/stage.ts";
import { createToasts } from "./models/toasts.ts";

export interface Surroundings {
  /** The world's URL, with a trailing slash. */
  base: string;
  fetcher?: typeof fetch;
  socket: (url: string) => Socket;
  machine: Machine;
  place: Place;
  keep: Keep;
}

export type App = Awaited<ReturnType<typeof createApp>>;

/** Creates the models and connects them. @throws ApiError if the sandbox does not respond */
export async function createApp(surroundings: Surroundings) {
  const { base, socket, machine, place, keep } = surroundings;
  const api = createApi(base, surroundings.fetcher);
  const status = signal<Status>(await api.status());
  const arriving = createLive({
    open: (query) => socket(`${base.replace(/^http/, "ws")}_sandbox/live${query}`),
    newest: async () => (await api.events({ order: "desc", limit: 1 }))[0],
  });
  const toasts = createToasts();
  const everything = createJournal(arriving);
  const caughtUp = createCatchUp(arriving, everything, unreadCount);
  const exactClock = createClock(api, arriving, machine, status.value.clock);
  const stage = createStage({ machine, clock: exactClock, entries: everything.entries, caughtUp });
  const { until } = stage;
  const live = createStagedLive(arriving, stage);
  const entries = computed(() => {
    const limit = until.value;
    const all = everything.entries.value;
    return limit === undefined ? all : all.filter(({ at }) => toMs(at) <= limit);
  });
  const endpoints = createEndpoints({ api, live: arriving, entries: everything.entries, until });
  const readStatus = async () => {
    status.value = await api.status();
  };
  const stopStatus = refreshOn(live, () => false, readStatus);
  const router = createRouter(place);
  const prefs = createPrefs(keep);
  const undo = createUndo(api, toasts, status, exactClock);
  const ledger = createLedger({ api, toasts, stage, undo });
  const readAll = async (): Promise<void> => {
    const [newest] = await api.events({ order: "desc", limit: 1 });
    await caughtUp(newest?.seq);
  };
  const lost = createLostEndpoints(keep, endpoints.own);
  // Changing the view ends the animation.
  const stopSkipping = effect(() => {
    router.route.value.view;
    untracked(stage.skip);
  });
  arriving.onReplaced(() => {
    stage.cut();
    undo.forget();
    ledger.clear();
  });
  arriving.onReturned(toasts.answered);
  arriving.start();
  void endpoints.read();

  return {
    api,
    /** Delivers each entry after the animation has shown it. */
    live,
    /** Delivers entries immediately, for models that follow the animation themselves. */
    arriving,
    status,
    readStatus,
    machine,
    stage,
    /** The world's clock. The displayed time comes from the stage. */
    clock: { ...exactClock, now: stage.now, second: stage.second, day: stage.day },
    /** The journal's entries up to the displayed time. */
    journal: { ...everything, entries },
    /** Resolves once the page has read everything that has happened so far. */
    readAll,
    endpoints,
    lost,
    toasts,
    ledger,
    undo,
    router,
    prefs,
    close(): void {
      for (const part of [arriving, exactClock, stage, endpoints, lost, everything, router, prefs])
        part.close();
      stopStatus();
      stopSkipping();
    },
  };
}
