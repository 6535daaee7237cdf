/** The public types of webhooks with an example each: one file, however long, as a reader wants them side by side. */
import type { Duration } from "../config/types.ts";
import type {
  DeliveryError,
  DeliveryStatus,
  DeliveryTrigger,
  DisabledReason,
  EventType,
  FaultKind,
  SentEventType,
  WebhookEndpointStatus,
} from "./words.ts";

/**
 * Webhook endpoints and what is delivered to them.
 * @example
 * const webhooks: Webhooks = sandbox.webhooks;
 * const endpoint = await webhooks.create(sandbox.inbox("shop").url);
 */
export interface Webhooks {
  /**
   * Registers an endpoint, or resolves with the one of the same URL, events and description. A URL alone subscribes it to
   * every event.
   */
  create(
    options: string | WebhookEndpointOptions | SenderEndpointOptions,
  ): Promise<RegisteredWebhookEndpoint>;
  /** Every endpoint of the world, seeded ones included. */
  list(): Promise<ListedWebhookEndpoint[]>;
  /** Attempts, planned retries, what was skipped, the failure counter and its forecast. */
  timeline(id: string): Promise<Timeline>;
  /** The latest attempts with requests and responses, newest first; 100 at most. */
  deliveries(id: string): Promise<Delivery[]>;
  /** Retries a failed delivery by hand, now. Resolves with the new attempt. */
  retry(id: string, delivery: string): Promise<Delivery>;
  /**
   * Retries every failed delivery since a time whose event did not arrive later: one attempt each, oldest first.
   * @example
   * const { succeeded, failed } = await sandbox.webhooks.retryFailed({ since: "2h" });
   */
  retryFailed(options?: RetryFailedOptions): Promise<RetriedDeliveries>;
  /**
   * Sends a delivered event once more, as new deliveries that move neither the failure counter nor the retry schedule.
   * @param id of a delivery, or of an event: then to every endpoint that got it
   * @example
   * const [again] = await sandbox.webhooks.resend(delivery.id);
   */
  resend(id: string, options?: ResendOptions): Promise<Delivery[]>;
  /** Sends a synthetic `payment.completed`, now. */
  test(id: string): Promise<TestDelivery>;
  /** Deletes an endpoint. Its timeline stays readable. */
  delete(id: string): Promise<void>;
  /** Makes the subscriber fail until `work` is called, or as often as the fault says. */
  fail(id: string, fault: Fault): Promise<void>;
  /** Ends the fault of a subscriber. */
  work(id: string): Promise<void>;
  /** Enables an endpoint, as its owner does in the dashboard. */
  enable(id: string): Promise<Omit<WebhookEndpoint, "secret">>;
  /** Disables an endpoint, as its owner does in the dashboard. */
  disable(id: string): Promise<Omit<WebhookEndpoint, "secret">>;
}

/**
 * A webhook endpoint to register.
 * @example
 * const options: WebhookEndpointOptions = { url: "http://127.0.0.1:3000/webhooks", events: ["payment.completed"] };
 */
export interface WebhookEndpointOptions {
  /** https to any host; plain http to this machine only. */
  url: string;
  /** Default `["*"]`, every event. */
  events?: EventType[] | ["*"];
  description?: string;
  /** The signing secret, 1 to 200 characters. Default: the last one of the URL, or a new one. */
  secret?: string;
  /** Whether to make one, with a secret of its own, even where there is one of the same URL, events and description. */
  another?: boolean;
}

/**
 * An endpoint of another sender than the platform, to register.
 * @example
 * const options: SenderEndpointOptions = { url: "http://127.0.0.1:3000/webhooks", sender: "stripe" };
 */
export interface SenderEndpointOptions extends Omit<WebhookEndpointOptions, "events"> {
  /** Such as `stripe`; `sandbox.senders.list()` has them. */
  sender: string;
  /** Types of the sender. Default `["*"]`, every event. */
  events?: string[];
}

/**
 * A webhook endpoint with its signing secret.
 * @example
 * const { id, secret }: WebhookEndpoint = await sandbox.webhooks.create("http://127.0.0.1:3000/webhooks");
 */
export interface WebhookEndpoint {
  object: "webhook";
  id: string;
  url: string;
  events: SentEventType[];
  description: string | null;
  status: WebhookEndpointStatus;
  /** Whether `status` is enabled. */
  is_active: boolean;
  /** Failed attempts in a row; any success sets it to 0. */
  consecutive_failures: number;
  /** Another name of `consecutive_failures`. */
  failure_count: number;
  disabled_at: string | null;
  disabled_reason: DisabledReason | null;
  last_delivery_at: string | null;
  /** Another name of `last_delivery_at`. */
  last_triggered_at: string | null;
  created_at: string;
  updated_at: string;
  /** The signing secret, which `verifySignature` takes. */
  secret: string;
}

/**
 * A webhook endpoint as the sandbox lists it.
 * @example
 * const [first]: ListedWebhookEndpoint[] = await sandbox.webhooks.list();
 */
export interface ListedWebhookEndpoint extends WebhookEndpoint {
  /** The organization that it belongs to; the sender's name, where it is not the platform's. */
  organization: string;
  /** Who sends to it: `platform`, or a sender of `senders`. */
  sender: string;
  /** Failures in a row that disable it; null if their number does not. */
  threshold: number | null;
  /** Whether it belongs to the seeded past. */
  seeded: boolean;
}

/**
 * A webhook endpoint that was registered.
 * @example
 * const { created }: RegisteredWebhookEndpoint = await sandbox.webhooks.create("http://127.0.0.1:3000/webhooks");
 */
export interface RegisteredWebhookEndpoint extends ListedWebhookEndpoint {
  /** Whether it was made now; false for the one that was there. */
  created: boolean;
}

/**
 * One attempt to deliver an event, with its request and response.
 * @example
 * const [newest]: Delivery[] = await sandbox.webhooks.deliveries(endpoint.id);
 */
export interface Delivery {
  object: "webhook_delivery";
  id: string;
  webhook_id: string;
  event: SentEventType;
  /** Another name of `event`. */
  event_type: SentEventType;
  event_id: string;
  status: DeliveryStatus;
  /** 1 to 4; a manual retry and a resend have the number of the attempt that they repeat. */
  attempt: number;
  trigger: DeliveryTrigger;
  /** The delivery that a manual retry repeats. */
  retry_of: string | null;
  /** The delivery that a resend repeats. */
  resend_of: string | null;
  url: string;
  response_code: number | null;
  /** Another name of `response_code`. */
  status_code: number | null;
  error: DeliveryError | null;
  error_detail: string | null;
  /** Another name of `error_detail`. */
  error_message: string | null;
  duration_ms: number | null;
  next_attempt_at: string | null;
  request_headers: Record<string, string>;
  request_body: string;
  response_headers: Record<string, string> | null;
  /** The first 16 KiB. */
  response_body: string | null;
  response_body_encoding: "utf8" | "base64" | null;
  /** Bytes of the whole body. */
  response_size: number | null;
  /** When the request was sent. */
  attempted_at: string;
  created_at: string;
  completed_at: string | null;
}

/**
 * Which endpoint gets an event once more.
 * @example
 * const options: ResendOptions = { endpoint: endpoint.id };
 */
export interface ResendOptions {
  /** The id of the only endpoint to resend an event to. Default: every endpoint that got it. */
  endpoint?: string;
}

/**
 * Which failed deliveries are retried.
 * @example
 * const options: RetryFailedOptions = { since: "2h", endpoint: endpoint.id };
 */
export interface RetryFailedOptions {
  /** How far back on the virtual clock, as a duration, or an ISO 8601 time. Default `"1d"`. */
  since?: string | number;
  /** The id of the only endpoint whose deliveries are retried. Default: all endpoints. */
  endpoint?: string;
}

/**
 * What the retries of failed deliveries came to.
 * @example
 * const { retried, succeeded }: RetriedDeliveries = await sandbox.webhooks.retryFailed();
 */
export interface RetriedDeliveries {
  /** Virtual time, ISO 8601. */
  since: string;
  retried: number;
  succeeded: number;
  failed: number;
  /** Without a response so far; each times out on virtual time. */
  pending: number;
  /** The new deliveries, in the order of those they repeat. */
  data: Delivery[];
}

/**
 * What a test delivery came to.
 * @example
 * const { success }: TestDelivery = await sandbox.webhooks.test(endpoint.id);
 */
export interface TestDelivery {
  delivery_id: string;
  response_code: number | null;
  success: boolean;
}

/**
 * The past and the future of a webhook endpoint, on virtual time.
 * @example
 * const { attempts, forecast }: Timeline = await sandbox.webhooks.timeline(endpoint.id);
 */
export interface Timeline {
  webhook_id: string;
  /** The virtual time, ISO 8601. */
  now: string;
  status: WebhookEndpointStatus | "deleted";
  counter: FailureCounter;
  /** Milliseconds from the end of failed attempt 1, 2 and 3 to the next one. */
  retry_delays: number[];
  /** Attempts made, oldest first. */
  attempts: TimelineAttempt[];
  /** Attempts made before those, which are not listed. */
  earlier: EarlierAttempts;
  /** Attempts that are due later. */
  planned: PlannedAttempt[];
  /** Attempts that will not be made, the latest ones. */
  skipped: SkippedAttempt[];
  /** The attempts to come if every one of them fails, and when that disables the endpoint. */
  forecast: { attempts: Omit<PlannedAttempt, "event">[]; disabled_at: string | null };
  /** What was done to the endpoint, and e-mails about it. */
  changes: TimelineChange[];
}

/**
 * How close a webhook endpoint is to being disabled.
 * @example
 * const { consecutive_failures, threshold }: FailureCounter = timeline.counter;
 */
export interface FailureCounter {
  consecutive_failures: number;
  /** Failures in a row that disable the endpoint. */
  threshold: number | null;
  /** What counts as a failure: each failed attempt, or an event whose attempts are used up. */
  counts: "attempts" | "exhausted";
}

/**
 * An attempt on a timeline: a delivery without headers and bodies.
 * @example
 * const codes = timeline.attempts.map((attempt: TimelineAttempt) => attempt.response_code);
 */
export interface TimelineAttempt {
  delivery_id: string;
  event_id: string;
  event: SentEventType;
  attempt: number;
  trigger: DeliveryTrigger;
  retry_of: string | null;
  resend_of: string | null;
  status: DeliveryStatus;
  response_code: number | null;
  error: DeliveryError | null;
  error_detail: string | null;
  started_at: string;
  ended_at: string | null;
  duration_ms: number | null;
  /** Failures in a row after it; null while it is pending, and for a test or a resend. */
  consecutive_failures: number | null;
  next_attempt_at: string | null;
}

/**
 * The attempts that a timeline does not list.
 * @example
 * const { attempts, since }: EarlierAttempts = timeline.earlier;
 */
export interface EarlierAttempts {
  attempts: number;
  /** When the first of them was made, ISO 8601. */
  since: string | null;
  /** How they ended, by stretches of time, where the request asks for `slices`. */
  slices: { from: string; to: string; success: number; failed: number; pending: number }[];
}

/**
 * An attempt that is still due.
 * @example
 * const next: PlannedAttempt | undefined = timeline.planned[0];
 */
export interface PlannedAttempt {
  event_id: string;
  event: SentEventType;
  attempt: number;
  due_at: string;
}

/**
 * An attempt that will not be made, as its endpoint was disabled or deleted.
 * @example
 * const lost = timeline.skipped.map((attempt: SkippedAttempt) => attempt.event_id);
 */
export interface SkippedAttempt {
  event_id: string;
  event: SentEventType;
  attempt: number;
  reason: "endpoint_disabled" | "endpoint_deleted" | null;
  at: string;
}

/**
 * Something that was done to an endpoint.
 * @example
 * const disabled = timeline.changes.find((change: TimelineChange) => change.type === "disabled");
 */
export interface TimelineChange {
  type: "created" | "updated" | "disabled" | "enabled" | "deleted" | "mail";
  reason: string | null;
  at: string;
}

/**
 * How a subscriber fails. Without `times`, `rate` and `sequence` it fails every time.
 * @example
 * const fault: Fault = { sequence: [500, "timeout", 200] };
 */
export type Fault = FaultEffect & {
  /** Fails this many times, then works again. */
  times?: number;
  /** Fails with this probability, 0 to 1, drawn from the seed. */
  rate?: number;
  /** What happens at each attempt. After the last one the subscriber works again. */
  sequence?: FaultStep[];
};

/**
 * What happens at one attempt: by default, a response with status 500.
 * @example
 * const effect: FaultEffect = { kind: "timeout", passThrough: true };
 */
export type FaultEffect = {
  /** Also sends the request to your server; its response is dropped. */
  passThrough?: boolean;
  /** As `passThrough`, but the request arrives with the endpoint's next one, as if your server still worked on it. */
  overlap?: boolean;
} & ({ kind?: "status"; status?: number } | { kind: Exclude<FaultKind, "status">; status?: never });

/**
 * A step of a fault's sequence: a response status, a kind, `"deliver"` for an attempt as usual, or an effect, which says
 * what differs from the fault's own fields.
 * @example
 * const step: FaultStep = "deliver";
 */
export type FaultStep = number | FaultKind | "deliver" | FaultEffect;

/**
 * A built-in subscriber: it stores what is delivered to its URL.
 * @example
 * const inbox: Inbox = sandbox.inbox("shop");
 * await sandbox.webhooks.create(inbox.url);
 */
export interface Inbox {
  url: string;
  /** What was delivered, oldest first. */
  messages(): Promise<InboxMessage[]>;
  /** Changes how the inbox responds. */
  behave(behaviour: InboxBehaviour): Promise<void>;
}

/**
 * A webhook request that an inbox got.
 * @example
 * const [message]: InboxMessage[] = await sandbox.inbox("shop").messages();
 */
export interface InboxMessage {
  seq: number;
  /** Virtual time, ISO 8601. */
  received_at: string;
  /** By name, in lower case. */
  headers: Record<string, string>;
  /** The raw body, which the signature is made of. */
  body: string;
  signature: "valid" | "invalid" | "missing" | "unknown_webhook";
  /** The response status. */
  answered: number;
}

/**
 * How an inbox responds.
 * @example
 * const behaviour: InboxBehaviour = { sequence: [500, 503], status: 200 };
 */
export interface InboxBehaviour {
  /** The response status. Default 200. */
  status?: number;
  /** Response statuses for the next deliveries, one each; then `status` again. */
  sequence?: number[];
  /** Real time before it responds, at most a minute. */
  delay?: Duration;
  /** The response body. */
  body?: string;
}
