import type * as t from "./api-types.ts";

/** Why a call was refused: the server's own words, and its way out. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  /** The field at fault, when one is. */
  readonly param: string | undefined;

  constructor(status: number, error: { code?: string; message?: string; hint?: string; param?: string }) {
    super(error.message ?? `The server answered ${status}.`);
    this.status = status;
    this.code = error.code ?? "unknown";
    this.hint = error.hint ?? "";
    this.param = error.param;
  }
}

/** The server could not be reached. */
const UNREACHABLE = {
  code: "unreachable",
  message: "The sandbox does not answer.",
  hint: "Is it still running?",
};

const OCTETS = "application/octet-stream";
/** Keeps calls that the page makes by itself out of the Log; src/http/request-log.ts has the same. */
const UNLISTED = "x-sandbox-unlisted";
/** Asks for ways out that name what is on the page; src/errors/errors.ts has the same. */
const SURFACE = "x-sandbox-surface";

/** What a call takes with it. */
export interface Sent {
  query?: t.ListQuery | undefined;
  /** Sent as JSON, unless it is a file. */
  body?: unknown;
  /** The organization whose dashboard calls; the first one without it. */
  organization?: string | undefined;
  /** Whether the page calls an area by itself: such a call is not listed among those of others. */
  quiet?: boolean;
}

export type Transport = ReturnType<typeof createTransport>;

/** Calls below the world's own address. @param base where the world is served, with a slash at the end */
export function createTransport(base: string, fetcher: typeof fetch = (...args) => fetch(...args)) {
  async function call(method: string, path: string, sent: Sent): Promise<Response> {
    const { query = {}, body, organization, quiet } = sent;
    const url = new URL(path, base);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== "") url.searchParams.append(name, String(value));
    const headers: Record<string, string> = {};
    if (path.startsWith("_sandbox/")) headers[SURFACE] = "page";
    if (body !== undefined) headers["content-type"] = body instanceof Blob ? OCTETS : "application/json";
    if (organization !== undefined) headers["x-sandbox-organization"] = organization;
    if (quiet) headers[UNLISTED] = "1";
    let response: Response;
    try {
      const content = body === undefined ? null : body instanceof Blob ? body : JSON.stringify(body);
      response = await fetcher(url, { method, headers, body: content });
    } catch {
      throw new ApiError(0, UNREACHABLE);
    }
    if (!response.ok) throw await refusal(response);
    return response;
  }

  async function json<Body>(method: string, path: string, sent: Sent = {}): Promise<Body> {
    const response = await call(method, path, sent);
    return (await response.json().catch(() => ({}))) as Body;
  }

  return {
    base,
    /** @throws ApiError */
    json,
    /** A call of the control API. @throws ApiError */
    control: <Answer>(method: string, path: string, body?: unknown) =>
      json<Answer>(method, `_sandbox/${path}`, { body }),
    /** All of a list of the control API. @throws ApiError */
    data: async <Item>(path: string, query?: t.ListQuery) =>
      (await json<{ data: Item[] }>("GET", `_sandbox/${path}`, { query })).data,
    /** What an answer says of itself; its body is not read. @throws ApiError */
    async headers(path: string): Promise<Headers> {
      const { headers, body } = await call("GET", path, {});
      void body?.cancel();
      return headers;
    },
  };
}

async function refusal(response: Response): Promise<ApiError> {
  const body = Object(await response.json().catch(() => ({}))) as { error?: unknown };
  return new ApiError(response.status, Object(body.error));
}

export type Api = ReturnType<typeof createApi>;

/** The control API, and below it the platform's resources as a dashboard uses them. */
export function createApi(transport: Transport) {
  const { data } = transport;
  const call = <Answer>(method: string, path: string, sent?: Sent) =>
    transport.json<Answer>(method, `_sandbox/${path}`, sent);
  const get = <Answer>(path: string, sent?: Sent) => call<Answer>("GET", path, sent);
  const post = <Answer>(path: string, body?: unknown) => call<Answer>("POST", path, { body });
  const id = encodeURIComponent;

  return {
    /** For what has calls of its own: snapshots and worlds. */
    transport,
    status: () => get<t.Status>("status"),

    /** Asked for by a pointer that rests: not a call of the user's. */
    preview: (request: t.Advance) =>
      call<t.AdvancePreview>("POST", "clock/advance", { body: { ...request, dryRun: true }, quiet: true }),
    advance: (request: t.Advance) => post<t.AdvanceResult>("clock/advance", request),
    cancelAdvance: () => call<unknown>("DELETE", "clock/advance"),
    setClock: (change: { mode?: string; rate?: number }) => call<unknown>("PUT", "clock", { body: change }),
    pauseClock: () => post<unknown>("clock/pause"),
    resumeClock: () => post<unknown>("clock/resume"),

    events: (query: t.ListQuery) => data<t.JournalEntry>("events", query),
    calls: (query: t.ListQuery) => data<t.Call>("requests", query),
    callDetail: (call: number) => get<t.CallDetail>(`requests/${call}`),
    mail: () => data<t.Mail>("mail"),
    async audit(query: t.ListQuery): Promise<t.Page<t.AuditEvent>> {
      type Answer = { data: t.AuditEvent[]; pagination: { total: number } };
      const answer = await get<Answer>("platform/events", { query });
      return { data: answer.data, total: answer.pagination.total };
    },

    webhooks: () => data<t.Webhook>("webhooks"),
    createWebhook: (input: t.WebhookInput) => post<t.Webhook & { created: boolean }>("webhooks", input),
    deleteWebhook: (webhook: string) => call<unknown>("DELETE", `webhooks/${id(webhook)}`),
    timeline: (webhook: string, query: { limit: number; before?: string; slices?: number }) =>
      get<t.Timeline>(`webhooks/${id(webhook)}/timeline`, { query }),
    enableWebhook: (webhook: string) => post<unknown>(`webhooks/${id(webhook)}/enable`),
    disableWebhook: (webhook: string) => post<unknown>(`webhooks/${id(webhook)}/disable`),
    fault: (webhook: string) => get<t.FaultState>(`webhooks/${id(webhook)}/fault`),
    setFault: (webhook: string, fault: t.SubscriberFault) =>
      call<t.FaultState>("PUT", `webhooks/${id(webhook)}/fault`, { body: fault }),
    clearFault: (webhook: string) => call<t.FaultState>("DELETE", `webhooks/${id(webhook)}/fault`),
    /** A delivery, and what its event went through at the endpoint. */
    delivery: (delivery: string) => get<t.DeliveryDetails>(`deliveries/${id(delivery)}`),
    retry: (delivery: string) => post<t.Delivery>(`deliveries/${id(delivery)}/retry`),
    resend: (delivery: string) => post<{ data: t.Delivery[] }>(`deliveries/${id(delivery)}/resend`, {}),
    retryFailed: (webhook: string, since: string) =>
      post<t.RetriedFailed>("deliveries/retry", { since, webhook_id: webhook }),
    test: (webhook: string) =>
      post<{ delivery_id: string; success: boolean }>(`webhooks/${id(webhook)}/test`),

    senders: () => data<t.Sender>("senders"),
    /** @param changes merged over the example body of the type */
    sendEvent: (sender: string, type: string, changes: object) =>
      post<t.SentEvent>(`senders/${id(sender)}/events`, { type, data: changes }),

    inbox: (name: string, after: number) =>
      data<t.InboxMessage>(`inbox/${id(name)}`, { after, limit: 1_000 }),
    behaviour: (name: string) => get<t.Behaviour>(`inbox/${id(name)}/behaviour`),

    /** What can be paid in an organization, the newest first. */
    payableLinks: (of: string) =>
      data<t.PaymentLink>("links", { organization: of, active: true, limit: 100 }),
    makeLink: (of: string) =>
      post<t.PaymentLink>("links", { name: "Coffee", amount: "4500000", organization: of }),
    openSessions: (of: string) =>
      data<t.CheckoutSession>("sessions", { organization: of, status: "active", limit: 5 }),
    openSession: (link: string, input: object) =>
      post<t.CheckoutSession>(`links/${id(link)}/sessions`, input),
    expireSession: (session: string) => post<t.CheckoutSession>(`sessions/${id(session)}/expire`),
    pay: (input: t.Pay) => post<{ session: t.CheckoutSession; deliveries: t.Delivery[] }>("payments", input),
    followPayment: (payment: string) => get<t.FollowedPayment>(`payments/${id(payment)}`),

    /** The report that `_sandbox/report` shows: whether it is this project's own, and when it was written. */
    async report(): Promise<{ own: boolean; written: string }> {
      const headers = await transport.headers("_sandbox/report");
      return {
        own: headers.get("x-sandbox-report") === "project",
        written: headers.get("last-modified") ?? "",
      };
    },
  };
}
