import type { GraphQl } from "../../senders/api/answering.ts";
import { type ApiAnswer, type Deed, refusal, writtenAnswer } from "../../senders/api/call.ts";
import { createMemoryApi, type DescribedApi, type MemoryApi } from "../../senders/api/memory.ts";
import { hasHost, readOwnServices, readShippedService } from "../../senders/services.ts";
import type { Effect, ServiceAnswer, ServiceCall, Services } from "./services.ts";
import { bodyOf } from "./undescribed.ts";

/** A service in use, with its calls in the current run. */
interface UsedService {
  described: DescribedApi;
  memory: MemoryApi;
}

/**
 * The services described by files: those of the project first, then the built-in ones.
 * @throws SandboxError `invalid_config` for a file in the project
 */
export async function openServices(): Promise<Services> {
  const own = (await readOwnServices()).map((one) => ({ ...one, isOwn: true }));
  /** The services by host; undefined for a host that no file describes. */
  const used = new Map<string, Promise<UsedService | undefined>>();

  async function open(host: string): Promise<UsedService | undefined> {
    const described = own.find(({ api }) => hasHost(api, host)) ?? (await readShippedService(host));
    if (!described) return undefined;
    const graphql: GraphQl | undefined =
      described.api.graphql && (await import("../../senders/api/graphql.ts"));
    return { described, memory: createMemoryApi(described, graphql) };
  }
  function serviceAt(host: string): Promise<UsedService | undefined> {
    const service = used.get(host) ?? open(host);
    used.set(host, service);
    return service;
  }

  return {
    async answer(call) {
      const service = await serviceAt(call.place.host);
      if (!service) return undefined;
      const { method, path: url, headers } = call;
      const sent = bodyOf(call.body, headers["content-type"] ?? "");
      const body = typeof sent === "string" ? sent : JSON.stringify(sent ?? {});
      const answered = service.memory.answer({
        method: method === "HEAD" ? "GET" : method,
        url,
        headers,
        body,
      });
      if (!answered) return undefined;
      const { answer, deeds, key } = answered;
      return {
        ...toService(answer, method),
        effects: deeds.map((deed) => effectOf(deed, service.described, key)),
      };
    },
    async refuse({ place, method }, status) {
      const service = await serviceAt(place.host);
      if (!service) return undefined;
      const isLimit = status === 429;
      const text = isLimit ? "Too many requests." : "An internal error occurred.";
      const code = isLimit ? "rate_limited" : "internal_error";
      const answer = toService(refusal(service.described.api, status, code, text), method);
      // Clients wait in real time before they repeat the call.
      return { ...answer, headers: { ...answer.headers, ...(isLimit && { "retry-after": "1" }) } };
    },
    async reset() {
      for (const service of used.values()) (await service)?.memory.reset();
    },
  };
}

function toService(answer: ApiAnswer, method: ServiceCall["method"]): ServiceAnswer {
  const { text, ...head } = writtenAnswer(answer);
  return { ...head, body: method === "HEAD" ? "" : text, effects: [] };
}

function effectOf(
  { as, key, thing, done, fields }: Deed,
  { name, api }: DescribedApi,
  sentKey: string | null,
): Effect {
  return {
    ...{ service: as ?? name, key, words: { thing, done }, fields },
    ...(sentKey !== null && { idempotencyKey: sentKey }),
    ...(api.idempotency !== undefined && { takes: takesText(name, api.idempotency) }),
  };
}

/** For example `Resend takes an Idempotency-Key`. */
const takesText = (name: string, key: string): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1)} takes an ${key.replace(/^body\./, "")}`;
