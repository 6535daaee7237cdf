/** The public webhook types, each with an example. They stay in one file, however long, so readers see them side by side. */
import type { Static } from "typebox";
import type { Input } from "../http/shapes.ts";
import type * as inboxes from "../operations/inboxes.ts";
import type * as outages from "../operations/outages.ts";
import type * as schemas from "../operations/webhooks.ts";
import type * as timeline from "../timeline/schemas.ts";
import type { WebhookDelivery, WebhookTestResult } from "../webhooks/schemas.ts";
import type { EventType, FaultKind } from "./words.ts";

/**
 * Webhook endpoints and their deliveries.
 * @example
 * const webhooks: Webhooks = sandbox.webhooks;
 * const endpoint = await webhooks.create(sandbox.inbox("shop").url);
 */
export interface Webhooks {
  /**
   * Registers an endpoint, or resolves with the existing one that has the same URL, events and description. If you pass
   * only a URL, the endpoint subscribes to every event.
   */
  create(
    options: string | WebhookEndpointOptions | SenderEndpointOptions,
  ): Promise<RegisteredWebhookEndpoint>;
  /**
   * Changes an endpoint. Omitted fields stay the same, and so do its history, its planned retries and its count of
   * consecutive failures.
   * @example
   * await sandbox.webhooks.update(endpoint.id, { secret: "whsec_mine" });
   */
  update(id: string, change: WebhookChange): Promise<ListedWebhookEndpoint>;
  /** Returns every endpoint of the world, including the seeded ones. */
  list(): Promise<ListedWebhookEndpoint[]>;
  /** Returns an endpoint's attempts, planned retries, skipped attempts, failure counter and forecast. */
  timeline(id: string): Promise<Timeline>;
  /** Returns the latest attempts with their requests and responses, newest first, at most 100. */
  deliveries(id: string): Promise<Delivery[]>;
  /** Retries a failed delivery immediately. Resolves with the new attempt. */
  retry(id: string, delivery: string): Promise<Delivery>;
  /**
   * Retries the failed deliveries since a given time, oldest first, with one attempt each. Skips events that have
   * arrived since.
   * @example
   * const { succeeded, failed } = await sandbox.webhooks.retryFailed({ since: "2h" });
   */
  retryFailed(options?: RetryFailedOptions): Promise<RetriedDeliveries>;
  /**
   * Finds out by experiment why your server rejects a delivery's signature: resends variants of the event until one is
   * accepted.
   * @example
   * const { cause, fix } = await sandbox.webhooks.diagnose(delivery.id);
   */
  diagnose(id: string): Promise<Diagnosis>;
  /**
   * Resends an event as new deliveries, which affect neither the failure counter nor the retry schedule.
   * @param id a delivery's id, or an event's id to resend it to every endpoint that received it
   * @example
   * const [again] = await sandbox.webhooks.resend(delivery.id);
   */
  resend(id: string, options?: ResendOptions): Promise<Delivery[]>;
  /** Sends a synthetic `payment.completed` immediately. */
  test(id: string): Promise<TestDelivery>;
  /** Deletes an endpoint. Its timeline can still be read. */
  delete(id: string): Promise<void>;
  /** Makes the subscriber fail until `work` is called, or the number of times that the fault specifies. */
  fail(id: string, fault: Fault): Promise<void>;
  /** Ends a subscriber's fault, so it works again. */
  work(id: string): Promise<void>;
  /**
   * Simulates an outage, which lasts 3 hours of virtual time by default: the subscriber fails while events are sent,
   * then works again; the endpoint is enabled, and failed deliveries are retried. Resolves with the results.
   * @example
   * const { disabled_at, missing } = await sandbox.webhooks.outage(endpoint.id, { duration: "3h" });
   */
  outage(id: string, options?: OutageOptions): Promise<PlayedOutage>;
  /** Enables an endpoint, as its owner would in the dashboard. */
  enable(id: string): Promise<Omit<WebhookEndpoint, "secret">>;
  /** Disables an endpoint, as its owner would in the dashboard. */
  disable(id: string): Promise<Omit<WebhookEndpoint, "secret">>;
}

/**
 * A webhook endpoint to register.
 * @example
 * const options: WebhookEndpointOptions = { url: "http://127.0.0.1:3000/webhooks", events: ["payment.completed"] };
 */
export interface WebhookEndpointOptions {
  /** The endpoint's URL: https for any host, plain http only for this machine. */
  url: string;
  /** The event types to deliver. Default: `["*"]`, which means every event. */
  events?: EventType[] | ["*"];
  description?: string;
  /** The signing secret, 1 to 200 characters long. Default: the last secret used with this URL, or a new one. */
  secret?: string;
  /** Additional headers for its deliveries, at most 20, such as `{ "X-Tenant": "acme" }`. */
  headers?: Record<string, string>;
  /** Whether to create an endpoint with a new secret even if one with the same URL, events and description exists. */
  another?: boolean;
}

/**
 * An endpoint to register with a sender other than the platform.
 * @example
 * const options: SenderEndpointOptions = { url: "http://127.0.0.1:3000/webhooks", sender: "stripe" };
 */
export interface SenderEndpointOptions extends Omit<WebhookEndpointOptions, "events"> {
  /** The sender's name, such as `stripe`. `sandbox.senders.list()` returns all senders. */
  sender: string;
  /** The sender's event types. Default: `["*"]`, which means every event. */
  events?: string[];
}

/**
 * How long an outage lasts, and how the subscriber fails.
 * @example
 * const options: OutageOptions = { duration: "1d", kind: "timeout" };
 */
export type OutageOptions = Input<typeof outages.OutageRequest>;

/**
 * The results of a subscriber's outage.
 * @example
 * const { events, arrived, unsent }: PlayedOutage = await sandbox.webhooks.outage(endpoint.id);
 */
export type PlayedOutage = Static<typeof outages.PlayedOutage>;

/**
 * Changes to a webhook endpoint.
 * @example
 * const change: WebhookChange = { url: "http://127.0.0.1:3000/hooks", events: ["payment.completed"] };
 */
export type WebhookChange = Input<typeof schemas.WebhookChange>;

/**
 * A webhook endpoint with its signing secret.
 * @example
 * const { id, secret }: WebhookEndpoint = await sandbox.webhooks.create("http://127.0.0.1:3000/webhooks");
 */
export type WebhookEndpoint = Static<typeof schemas.WebhookEndpoint>;

/**
 * A webhook endpoint as it appears in the sandbox's list.
 * @example
 * const [first]: ListedWebhookEndpoint[] = await sandbox.webhooks.list();
 */
export type ListedWebhookEndpoint = Static<typeof schemas.WebhookWithSecret>;

/**
 * The result of registering a webhook endpoint.
 * @example
 * const { created }: RegisteredWebhookEndpoint = await sandbox.webhooks.create("http://127.0.0.1:3000/webhooks");
 */
export type RegisteredWebhookEndpoint = Static<typeof schemas.RegisteredWebhook>;

/**
 * One attempt to deliver an event, with its request and response.
 * @example
 * const [newest]: Delivery[] = await sandbox.webhooks.deliveries(endpoint.id);
 */
export type Delivery = Static<typeof WebhookDelivery>;

/**
 * The endpoint to which an event is resent.
 * @example
 * const options: ResendOptions = { endpoint: endpoint.id };
 */
export interface ResendOptions {
  /** The id of the endpoint, to resend to only that one. Default: every endpoint that received the event. */
  endpoint?: string;
}

/**
 * What the experiments revealed about a rejected delivery.
 * @example
 * const { verdict, cause, tried }: Diagnosis = await sandbox.webhooks.diagnose(delivery.id);
 */
export type Diagnosis = Static<typeof schemas.Diagnosis>;

/**
 * Which failed deliveries to retry.
 * @example
 * const options: RetryFailedOptions = { since: "2h", endpoint: endpoint.id };
 */
export interface RetryFailedOptions {
  /** How far back to go: a duration in virtual time, or an ISO 8601 time. Default: `"1d"`. */
  since?: string | number;
  /** The id of an endpoint, to retry only its deliveries. Default: all endpoints. */
  endpoint?: string;
}

/**
 * The results of retrying failed deliveries.
 * @example
 * const { retried, succeeded }: RetriedDeliveries = await sandbox.webhooks.retryFailed();
 */
export type RetriedDeliveries = Static<typeof schemas.RetriedFailed>;

/**
 * The result of a test delivery.
 * @example
 * const { success }: TestDelivery = await sandbox.webhooks.test(endpoint.id);
 */
export type TestDelivery = Static<typeof WebhookTestResult>;

/**
 * A webhook endpoint's past and future in virtual time.
 * @example
 * const { attempts, forecast }: Timeline = await sandbox.webhooks.timeline(endpoint.id);
 */
export type Timeline = Static<typeof timeline.Timeline>;

/**
 * How close a webhook endpoint is to being disabled.
 * @example
 * const { consecutive_failures, threshold }: FailureCounter = timeline.counter;
 */
export type FailureCounter = Static<typeof timeline.FailureCounter>;

/**
 * An attempt on a timeline: a delivery without its headers and bodies.
 * @example
 * const codes = timeline.attempts.map((attempt: TimelineAttempt) => attempt.response_code);
 */
export type TimelineAttempt = Static<typeof timeline.TimelineAttempt>;

/**
 * The earlier attempts that a timeline does not list.
 * @example
 * const { attempts, since }: EarlierAttempts = timeline.earlier;
 */
export type EarlierAttempts = Static<typeof timeline.EarlierAttempts>;

/**
 * An attempt that is still due.
 * @example
 * const next: PlannedAttempt | undefined = timeline.planned[0];
 */
export type PlannedAttempt = Static<typeof timeline.PlannedAttempt>;

/**
 * An attempt that will not be made, because its endpoint was disabled or deleted.
 * @example
 * const lost = timeline.skipped.map((attempt: SkippedAttempt) => attempt.event_id);
 */
export type SkippedAttempt = Static<typeof timeline.SkippedAttempt>;

/**
 * A change that was made to an endpoint.
 * @example
 * const disabled = timeline.changes.find((change: TimelineChange) => change.type === "disabled");
 */
export type TimelineChange = Static<typeof timeline.TimelineChange>;

/**
 * How a subscriber fails. Without `times`, `rate` or `sequence`, it fails every time.
 * @example
 * const fault: Fault = { sequence: [500, "timeout", 200] };
 */
export type Fault = FaultEffect & {
  /** Fails this many times, then works again. */
  times?: number;
  /** Fails with this probability, 0 to 1, drawn from the seed. */
  rate?: number;
  /** The effect on each attempt, in order. After the last one, the subscriber works again. */
  sequence?: FaultStep[];
};

/**
 * The effect of a fault on one attempt; by default, a response with status 500.
 * @example
 * const effect: FaultEffect = { kind: "timeout", passThrough: true };
 */
export type FaultEffect = {
  /** Also sends the request to your server, but drops its response. */
  passThrough?: boolean;
  /**
   * Like `passThrough`, but the request arrives together with the endpoint's next one, as if your server were still
   * processing the first.
   */
  overlap?: boolean;
} & ({ kind?: "status"; status?: number } | { kind: Exclude<FaultKind, "status">; status?: never });

/**
 * A step of a fault's sequence: a response status, a kind, `"deliver"` for a normal attempt, or an effect with the fields
 * that
 * differ from the fault's own.
 * @example
 * const step: FaultStep = "deliver";
 */
export type FaultStep = number | FaultKind | "deliver" | FaultEffect;

/**
 * A built-in subscriber that stores the deliveries to its URL.
 * @example
 * const inbox: Inbox = sandbox.inbox("shop");
 * await sandbox.webhooks.create(inbox.url);
 */
export interface Inbox {
  url: string;
  /** Returns the deliveries, the oldest first. */
  messages(): Promise<InboxMessage[]>;
  /** Changes how the inbox responds. */
  behave(behaviour: InboxBehaviour): Promise<void>;
}

/**
 * A webhook request that an inbox received.
 * @example
 * const [message]: InboxMessage[] = await sandbox.inbox("shop").messages();
 */
export type InboxMessage = Static<typeof inboxes.InboxMessage>;

/**
 * How an inbox responds.
 * @example
 * const behaviour: InboxBehaviour = { sequence: [500, 503], status: 200 };
 */
export type InboxBehaviour = Input<typeof inboxes.BehaviourChange>;
