import type * as t from "./api-types.ts";

/** A failed call, with the server's message and its hint. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  /** The field that caused the error, if there is one. */
  readonly param: string | undefined;

  constructor(status: number, error: { code?: string; message?: string; hint?: string; param?: string }) {
    super(error.message ?? `The server returned ${status}.`);
    this.status = status;
    this.code = error.code ?? "unknown";
    this.hint = error.hint ?? "";
    this.param = error.param;
  }
}

const UNREACHABLE = {
  code: "unreachable",
  message: "The sandbox does not respond.",
  hint: "Is it still running?",
};

/** The header that excludes the page's background calls from the log. It must match src/http/request-log.ts. */
const UNLISTED = "x-sandbox-unlisted";
/**
 * The header that requests hints worded for the page rather than for the command line. It must match
 * src/errors/errors.ts.
 */
const SURFACE = "x-sandbox-surface";

interface Sent {
  query?: t.ListQuery | undefined;
  /** The body, which is sent as JSON unless it is a file. */
  body?: unknown;
  /** Whether this is a background call, which is excluded from the log. */
  quiet?: boolean;
}

export type Api = ReturnType<typeof createApi>;

/**
 * A client for the control API of one world.
 * @param base the world's URL, with a trailing slash
 */
export function createApi(base: string, fetcher: typeof fetch = (...args) => fetch(...args)) {
  /** @throws ApiError */
  async function send(method: string, path: string, sent: Sent = {}): Promise<Response> {
    const { query = {}, body, quiet } = sent;
    const url = new URL(`_sandbox/${path}`, base);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== "") url.searchParams.append(name, String(value));
    const headers: Record<string, string> = { [SURFACE]: "page" };
    if (body !== undefined) headers["content-type"] = "application/json";
    if (quiet) headers[UNLISTED] = "1";
    const content = body === undefined ? null : JSON.stringify(body);
    const response = await fetcher(url, { method, headers, body: content }).catch(() => {
      throw new ApiError(0, UNREACHABLE);
    });
    if (response.ok) return response;
    const refusal = Object(await response.json().catch(() => ({}))) as { error?: unknown };
    throw new ApiError(response.status, Object(refusal.error));
  }

  async function call<Answer>(method: string, path: string, sent?: Sent): Promise<Answer> {
    const response = await send(method, path, sent);
    return (await response.json().catch(() => ({}))) as Answer;
  }
  const get = <Answer>(path: string, query?: t.ListQuery) => call<Answer>("GET", path, { query });
  const post = <Answer>(path: string, body?: unknown) => call<Answer>("POST", path, { body });
  const remove = <Answer = unknown>(path: string) => call<Answer>("DELETE", path);
  const list = async <Item>(path: string, query?: t.ListQuery) =>
    (await get<{ data: Item[] }>(path, query)).data;
  const id = encodeURIComponent;

  return {
    base,
    status: () => get<t.Status>("status"),

    /** Hovering triggers this call, so it is not logged as a call by the user. */
    preview: (request: t.Advance) =>
      call<t.AdvancePreview>("POST", "clock/advance", { body: { ...request, dryRun: true }, quiet: true }),
    advance: (request: t.Advance) => post<t.AdvanceResult>("clock/advance", request),
    cancelAdvance: () => remove("clock/advance"),
    setClock: (change: { mode?: string; rate?: number }) => call<unknown>("PUT", "clock", { body: change }),
    pauseClock: () => post<unknown>("clock/pause"),
    resumeClock: () => post<unknown>("clock/resume"),

    snapshots: () => list<t.Snapshot>("snapshots"),
    saveSnapshot: (name?: string) => post<t.Snapshot>("snapshots", { name }),
    restoreSnapshot: (name: string) => post<t.Status>(`snapshots/${id(name)}/restore`),
    removeSnapshot: (name: string) => remove(`snapshots/${id(name)}`),
    /** Resets the world to its seed's fixtures. */
    reset: () => post<t.Status>("reset", {}),
    /** Restores the world that the last reset or restore replaced. */
    undo: () => post<t.Status>("undo"),
    worlds: () => list<t.World>("worlds"),
    createWorld: (world: t.NewWorld) => post<t.Status>("worlds", world),

    events: (query: t.ListQuery) => list<t.JournalEntry>("events", query),
    calls: (query: t.ListQuery) => list<t.Call>("requests", query),
    callDetail: (call: number) => get<t.CallDetail>(`requests/${call}`),
    mail: () => list<t.Mail>("mail"),
    async audit(query: t.ListQuery): Promise<{ data: t.AuditEvent[]; total: number }> {
      type Answer = { data: t.AuditEvent[]; pagination: { total: number } };
      const { data, pagination } = await get<Answer>("platform/events", query);
      return { data, total: pagination.total };
    },

    webhooks: () => list<t.Webhook>("webhooks"),
    createWebhook: (input: t.WebhookInput) => post<t.Webhook & { created: boolean }>("webhooks", input),
    changeWebhook: (webhook: string, change: t.WebhookChange) =>
      call<t.Webhook>("PATCH", `webhooks/${id(webhook)}`, { body: change }),
    deleteWebhook: (webhook: string) => remove(`webhooks/${id(webhook)}`),
    timeline: (webhook: string, query: { limit: number; before?: string; slices?: number | undefined }) =>
      get<t.Timeline>(`webhooks/${id(webhook)}/timeline`, query),
    enableWebhook: (webhook: string) => post<unknown>(`webhooks/${id(webhook)}/enable`),
    disableWebhook: (webhook: string) => post<unknown>(`webhooks/${id(webhook)}/disable`),
    fault: (webhook: string) => get<t.FaultState>(`webhooks/${id(webhook)}/fault`),
    setFault: (webhook: string, fault: t.SubscriberFault) =>
      call<t.FaultState>("PUT", `webhooks/${id(webhook)}/fault`, { body: fault }),
    clearFault: (webhook: string) => remove<t.FaultState>(`webhooks/${id(webhook)}/fault`),
    /** Returns a delivery with the history of its event at the endpoint. */
    delivery: (delivery: string) => get<t.DeliveryDetails>(`deliveries/${id(delivery)}`),
    retry: (delivery: string) => post<t.Delivery>(`deliveries/${id(delivery)}/retry`),
    resend: (delivery: string) => post<{ data: t.Delivery[] }>(`deliveries/${id(delivery)}/resend`, {}),
    outage: (webhook: string, request: t.OutageRequest) =>
      post<t.PlayedOutage>(`webhooks/${id(webhook)}/outage`, request),
    stories: (webhook: string) => list<{ name: string; title: string }>(`webhooks/${id(webhook)}/stories`),
    storyOutline: (webhook: string, story: string) =>
      get<t.StoryOutline>(`webhooks/${id(webhook)}/stories/${id(story)}`),
    playStory: (webhook: string, story: string, arrivals: t.Arrival[]) =>
      post<t.PlayedSchedule>(`webhooks/${id(webhook)}/stories/${id(story)}`, { arrivals }),
    findings: () => list<t.SavedFinding>("findings"),
    saveFinding: (what: { webhook_id: string; story: string; schedule: string[] }) =>
      post<t.SavedFinding>("findings", what),
    /** Replays the finding in a fork of the world. The response contains the fork's name. */
    playFinding: (name: string, webhook: string) =>
      post<t.PlayedSchedule>(`findings/${id(name)}/play`, { webhook_id: webhook }),
    diagnose: (delivery: string) => post<t.Diagnosis>(`deliveries/${id(delivery)}/diagnosis`),
    retryFailed: (webhook: string, since: string) =>
      post<t.RetriedFailed>("deliveries/retry", { since, webhook_id: webhook }),
    test: (webhook: string) =>
      post<{ delivery_id: string; success: boolean }>(`webhooks/${id(webhook)}/test`),

    senders: () => list<t.Sender>("senders"),
    /** @param changes fields that are merged into the example body of the event type */
    sendEvent: (sender: string, type: string, changes: object) =>
      post<t.SentEvent>(`senders/${id(sender)}/events`, { type, data: changes }),

    inbox: (name: string) => list<t.InboxMessage>(`inbox/${id(name)}`, { limit: 1_000 }),
    behaviour: (name: string) => get<t.Behaviour>(`inbox/${id(name)}/behaviour`),

    /** Returns an organization's active payment links, newest first. */
    payableLinks: (of: string) =>
      list<t.PaymentLink>("links", { organization: of, active: true, limit: 100 }),
    makeLink: (of: string) =>
      post<t.PaymentLink>("links", { name: "Coffee", amount: "4500000", organization: of }),
    openSessions: (of: string) =>
      list<t.CheckoutSession>("sessions", { organization: of, status: "active", limit: 5 }),
    openSession: (link: string, input: object) =>
      post<t.CheckoutSession>(`links/${id(link)}/sessions`, input),
    expireSession: (session: string) => post<t.CheckoutSession>(`sessions/${id(session)}/expire`),
    pay: (input: t.Pay) => post<{ session: t.CheckoutSession; deliveries: t.Delivery[] }>("payments", input),
    followPayment: (payment: string) => get<t.FollowedPayment>(`payments/${id(payment)}`),

    /** Returns whether the report at `_sandbox/report` belongs to this project, and when it was written. */
    async report(): Promise<{ own: boolean; written: string }> {
      const { headers, body } = await send("GET", "report");
      void body?.cancel();
      return {
        own: headers.get("x-sandbox-report") === "project",
        written: headers.get("last-modified") ?? "",
      };
    },
  };
}
