import { effect, signal } from "@preact/signals";
import { type Api, createApi, createTransport } from "./api.ts";
import type { Status } from "./api-types.ts";
import { createLive, type Socket } from "./live.ts";
import { createCatchUp } from "./models/catch-up.ts";
import { createClock, type Machine } from "./models/clock.ts";
import { createEndpoints } from "./models/endpoints.ts";
import { createJournal } from "./models/journal.ts";
import { createLedger } from "./models/ledger.ts";
import { createOrganization } from "./models/organization.ts";
import { createPrefs, type Keep } from "./models/prefs.ts";
import { refreshOn, unreadCount } from "./models/refresh.ts";
import { createRouter, type Place } from "./models/router.ts";
import { createToasts } from "./models/toasts.ts";

/** What the page is made from. */
export interface Surroundings {
  /** Where the world is served, with a slash at the end. */
  base: string;
  fetcher?: typeof fetch;
  socket: (url: string) => Socket;
  machine: Machine;
  place: Place;
  keep: Keep;
}

export type App = Awaited<ReturnType<typeof createApp>>;

/** Wires the models, once. @throws ApiError when the sandbox does not answer */
export async function createApp(surroundings: Surroundings) {
  const { base, socket, machine, place, keep } = surroundings;
  let asked = (): string | undefined => undefined;
  const api: Api = createApi(createTransport(base, surroundings.fetcher), () => asked());
  const status = signal<Status>(await api.status());
  const organization = createOrganization(status);
  asked = () => organization.asked.peek();
  const live = createLive({
    open: (query) => socket(`${base.replace(/^http/, "ws")}_sandbox/live${query}`),
    newest: async () => (await api.events({ order: "desc", limit: 1 }))[0],
  });
  const toasts = createToasts((ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  });
  const clock = createClock(api, live, machine, status.value.clock);
  const endpoints = createEndpoints(api, live);
  const readStatus = async () => {
    status.value = await api.status();
  };
  const stopStatus = refreshOn(live, () => false, readStatus);
  const router = createRouter(place);
  const prefs = createPrefs(keep);
  const journal = createJournal(live);
  const ledger = createLedger(api, toasts, createCatchUp(live, journal, unreadCount));
  // What an advance did is about what one looks at: it goes when one looks at something else.
  let seen = router.route.peek().view;
  const stopClosing = effect(() => {
    const { view } = router.route.value;
    if (view !== seen) ledger.open.value = false;
    seen = view;
  });
  live.start();
  void endpoints.read().catch(toasts.fail);

  return {
    api,
    live,
    status,
    readStatus,
    organization,
    machine,
    clock,
    journal,
    endpoints,
    toasts,
    ledger,
    router,
    prefs,
    close(): void {
      for (const part of [live, clock, endpoints, journal, router, prefs]) part.close();
      stopStatus();
      stopClosing();
    },
  };
}
