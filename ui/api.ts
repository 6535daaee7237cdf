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

export type Api = ReturnType<typeof createApi>;

interface CallOptions {
  query?: t.ListQuery | undefined;
  body?: unknown;
  organization?: string | undefined;
}

/**
 * The page's only transport: the control API, and below it the platform's resources as its dashboard uses them.
 * @param base where the world is served, with a slash at the end
 */
export function createApi(base: string, fetcher: typeof fetch = (...args) => fetch(...args)) {
  async function call<Answer>(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const url = new URL(`_sandbox/${path}`, base);
    for (const [name, value] of Object.entries(options.query ?? {}))
      if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
    const headers: Record<string, string> = {};
    if (options.body !== undefined) headers["content-type"] = "application/json";
    if (options.organization !== undefined) headers["x-sandbox-organization"] = options.organization;
    let response: Response;
    try {
      const body = options.body === undefined ? null : JSON.stringify(options.body);
      response = await fetcher(url, { method, headers, body });
    } catch {
      throw new ApiError(0, UNREACHABLE);
    }
    const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
    if (!response.ok) throw new ApiError(response.status, (answer.error as object | undefined) ?? {});
    return answer as Answer;
  }

  const get = <Answer>(path: string, options?: CallOptions) => call<Answer>("GET", path, options);
  const post = <Answer>(path: string, body?: unknown) => call<Answer>("POST", path, { body });
  const data = async <Item>(path: string, query?: t.ListQuery) =>
    (await get<{ data: Item[] }>(path, { query })).data;
  const list = async <Item>(path: string, query: t.ListQuery): Promise<t.Page<Item>> => {
    const page = await get<{ data: Item[]; total_count: number }>(`platform/${path}`, { query });
    return { data: page.data, total: page.total_count };
  };
  const id = encodeURIComponent;

  return {
    base,
    status: () => get<t.Status>("status"),
    reset: (seed?: string) => post<t.Status>("reset", seed === undefined ? {} : { seed }),

    preview: (request: t.Advance) => post<t.AdvancePreview>("clock/advance", { ...request, dryRun: true }),
    advance: (request: t.Advance) => post<t.AdvanceResult>("clock/advance", request),
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
    createWebhook: (input: { url: string; events?: string[]; description?: string }) =>
      post<t.Webhook>("platform/webhooks", input),
    deleteWebhook: ({ id: webhook, organization }: t.Webhook) =>
      call<unknown>("DELETE", `platform/webhooks/${id(webhook)}`, { organization }),
    timeline: (webhook: string, limit: number) =>
      get<t.Timeline>(`webhooks/${id(webhook)}/timeline`, { query: { limit } }),
    enableWebhook: (webhook: string) => post<unknown>(`webhooks/${id(webhook)}/enable`),
    disableWebhook: (webhook: string) => post<unknown>(`webhooks/${id(webhook)}/disable`),
    fault: (webhook: string) => get<t.FaultState>(`webhooks/${id(webhook)}/fault`),
    setFault: (webhook: string, fault: t.SubscriberFault) =>
      call<t.FaultState>("PUT", `webhooks/${id(webhook)}/fault`, { body: fault }),
    clearFault: (webhook: string) => call<t.FaultState>("DELETE", `webhooks/${id(webhook)}/fault`),
    delivery: ({ id: webhook, organization }: t.Webhook, delivery: string) =>
      get<t.Delivery>(`platform/webhooks/${id(webhook)}/deliveries/${id(delivery)}`, { organization }),
    retry: ({ id: webhook, organization }: t.Webhook, delivery: string) =>
      call<t.Delivery>("POST", `platform/webhooks/${id(webhook)}/deliveries/${id(delivery)}/retry`, {
        organization,
      }),
    test: ({ id: webhook, organization }: t.Webhook) =>
      call<{ delivery_id: string; success: boolean }>("POST", `platform/webhooks/${id(webhook)}/test`, {
        organization,
      }),

    inboxes: () => data<t.InboxSummary>("inbox"),
    inbox: (name: string, after: number) =>
      data<t.InboxMessage>(`inbox/${id(name)}`, { after, limit: 1_000 }),
    behaviour: (name: string) => get<t.Behaviour>(`inbox/${id(name)}/behaviour`),
    setBehaviour: (name: string, body: t.Behaviour) =>
      call<t.Behaviour>("PUT", `inbox/${id(name)}/behaviour`, { body }),

    links: (query: t.ListQuery) => list<t.PaymentLink>("payment-links", query),
    link: (link: string) => get<t.PaymentLink>(`platform/payment-links/${id(link)}`),
    createLink: (input: t.PaymentLinkInput) => post<t.PaymentLink>("platform/payment-links", input),
    sessions: (query: t.ListQuery) => list<t.CheckoutSession>("checkout-sessions", query),
    expireSession: (session: string) => post<t.CheckoutSession>(`sessions/${id(session)}/expire`),
    transactions: (query: t.ListQuery) => list<t.Transaction>("transactions", query),
    pay: (input: t.Pay) =>
      post<{ transaction: t.Transaction; session: t.CheckoutSession; deliveries: t.Delivery[] }>(
        "payments",
        input,
      ),
    story: (payment: string) => get<t.PaymentStory>(`payments/${id(payment)}`),
  };
}
