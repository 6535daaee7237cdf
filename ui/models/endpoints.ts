import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { ENDPOINT_STATUSES } from "../../src/timeline/endpoint-state.ts";
import type { Api } from "../api.ts";
import type { JournalEntry, Webhook } from "../api-types.ts";
import type { Live } from "../live.ts";
import { toMs } from "./format.ts";
import { createReading } from "./reading.ts";
import { ofTypes, refreshOn } from "./refresh.ts";

export type Endpoints = ReturnType<typeof createEndpoints>;

export interface EndpointParts {
  api: Api;
  live: Live;
  /** The journal entries that the page has received. */
  entries: ReadonlySignal<readonly JournalEntry[]>;
  /** The last virtual instant to show; undefined if everything is shown. */
  until: ReadonlySignal<number | undefined>;
}

/** All webhook endpoints of the world with their failure counters, as of the displayed time. */
export function createEndpoints({ api, live, entries, until }: EndpointParts) {
  const { value: latest, error, read } = createReading(api.webhooks);
  const newSecretOf = signal<string | undefined>(undefined);
  /** The endpoints as of the last time everything was shown, and the newest entry at that time. */
  const before = signal<{ list: Webhook[] | undefined; seq: number }>({ list: undefined, seq: 0 });
  const stopRemembering = effect(() => {
    if (until.value === undefined) before.value = { list: latest.value, seq: entries.value.at(-1)?.seq ?? 0 };
  });
  const stop = refreshOn(live, ofTypes("webhook.*", "delivery.succeeded", "delivery.failed"), read);
  const list = computed(() => {
    const limit = until.value;
    const { list: then, seq } = before.value;
    if (limit === undefined || !then) return latest.value;
    return endpointsAfter(
      then,
      entries.value.filter((entry) => entry.seq > seq && toMs(entry.at) <= limit),
    );
  });
  return {
    list: list as ReadonlySignal<Webhook[] | undefined>,
    error,
    /** The endpoints that the user registered, the newest first. */
    own: computed(() =>
      (list.value ?? [])
        .filter(({ seeded }) => !seeded)
        .reverse()
        .sort((one, other) => toMs(other.created_at) - toMs(one.created_at)),
    ),
    seeded: computed(() => (list.value ?? []).filter(({ seeded }) => seeded)),
    /** The endpoint whose secret was just created, which means that its handler does not know the secret yet. */
    newSecretOf,
    find: (id: string): Webhook | undefined => list.value?.find((webhook) => webhook.id === id),
    read,
    close(): void {
      stop();
      stopRemembering();
    },
  };
}

/** Applies journal entries to endpoints. Endpoints that do not change keep their object identity. */
export function endpointsAfter(endpoints: readonly Webhook[], entries: readonly JournalEntry[]): Webhook[] {
  const changed = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  for (const entry of entries) {
    const endpoint = changed.get(endpointIdOf(entry) ?? "");
    if (endpoint) changed.set(endpoint.id, { ...endpoint, ...changeOf(entry) });
  }
  return [...changed.values()];
}

function changeOf({ type, at, data }: JournalEntry): Partial<Webhook> {
  if (type === "webhook.enabled")
    return { status: "enabled", consecutive_failures: 0, disabled_at: null, disabled_reason: null };
  const status = ENDPOINT_STATUSES.find((state) => type === `webhook.${state}`);
  if (status) return { status, disabled_at: at, disabled_reason: data.reason as Webhook["disabled_reason"] };
  if (type !== "delivery.failed" && type !== "delivery.succeeded") return {};
  const failures = data.consecutive_failures;
  return {
    last_delivery_at: at,
    ...(typeof failures === "number" ? { consecutive_failures: failures } : {}),
  };
}

/** The id of the endpoint that a journal entry concerns; undefined if it concerns none. */
export function endpointIdOf({ type, data }: JournalEntry): string | undefined {
  const id = type.startsWith("webhook.") ? data.id : data.webhook_id;
  return typeof id === "string" ? id : undefined;
}
