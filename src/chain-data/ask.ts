import { clip } from "../http/violation-text.ts";
import { unlessThrown } from "../runtime/unless-thrown.ts";
import type { ChainDataContext } from "./context.ts";
import { DataError } from "./errors.ts";
import { type ProviderFault, playFault, providerTarget } from "./providers/faults.ts";
import { type Get, type Provider, UpstreamFailure, UpstreamRefusal } from "./providers/provider.ts";
import type { Definition } from "./providers/recordings.ts";
import type { ReplayAnswer } from "./providers/replay.ts";
import { InvalidShape } from "./providers/shape.ts";

/** One call to a provider, as recorded in the journal. */
export interface UpstreamCall {
  provider: string;
  /** The chain that the call covers; null if it covers several. */
  chain_id: number | null;
  path: string;
  /** The status of the response; null if there was none. */
  status: number | null;
  /** Why the call counts as failed; null if it succeeded. */
  reason: string | null;
  rows: number;
  /** The duration in real milliseconds. */
  duration_ms: number;
}

/** The outcome of querying a provider: rows, a failure, or a rejection of the request. */
export interface Outcome<Row> {
  provider: Provider;
  chain: number | null;
  calls: UpstreamCall[];
  rows?: Row[];
  refusal?: string;
}

/** The result of querying the providers. If neither `found` nor `refusal` is set, all of them failed. */
export interface Walk<Found> {
  /** In the planned order, not the order in which the responses arrived. */
  calls: UpstreamCall[];
  /** The queried providers, in order. */
  asked: string[];
  /** The provider that rejected the request, and its message. */
  refusal?: { provider: string; message: string };
  found?: {
    rows: Found;
    /** The providers that supplied the rows. */
    providers: string[];
    chains: readonly number[];
    /** Whether the result is complete. If so, it may be cached. */
    whole: boolean;
  };
}

export const once = (names: readonly string[]): string[] => [...new Set(names)];

/** An answer that replaces the recorded ones. */
export interface Substitute {
  definitions: readonly Definition[];
  /** If any recording is about this address, the recordings are used after all. */
  unlessRecorded?: string;
}

export type Ask = ReturnType<typeof createAsk>;

/**
 * Queries providers, applying the timeout and any fault to each call.
 * @param isOpen returns whether the world is still open
 */
export function createAsk({ world, settings, upstream }: ChainDataContext, isOpen: () => boolean) {
  const { clock, faults } = world;

  /** A closed world must not query providers, because their connection may also be closed. */
  function checkOpen(): void {
    if (!isOpen()) throw new DataError(500, "The sandbox was closed while providers were being queried.");
  }

  async function answerOf(provider: Provider, path: string, instead?: Substitute): Promise<ReplayAnswer> {
    const target = providerTarget(provider.name);
    const fault = faults.get(target) && (faults.take(target)?.spec as ProviderFault | undefined);
    const played = fault && (await playFault(fault, settings.timeout));
    if (played) return played;
    checkOpen();
    const url = provider.baseUrl + path;
    if (settings.upstream && !instead) return upstream.send(url, settings.upstream.headers, settings.timeout);
    const { definitions, ...condition } = instead ?? {};
    const definition = definitions?.find(({ scope, path: of }) => scope + of === url) ?? null;
    return upstream.replay(
      { url, ...(instead && { instead: { ...condition, definition } }) },
      settings.recordings,
    );
  }

  /**
   * Queries one provider. A failure is an outcome, not an exception.
   * @param chain the chain the query is about; null for several
   * @param substitute the answer that replaces the recordings
   * @throws DataError if the world was closed in the meantime
   */
  return async function ask<Row>(
    provider: Provider,
    chain: number | null,
    work: (get: Get) => Promise<Row[]>,
    substitute?: () => Substitute | Promise<Substitute> | undefined,
  ): Promise<Outcome<Row>> {
    checkOpen();
    const instead = await substitute?.();
    const calls: UpstreamCall[] = [];
    const outcome = { provider, chain, calls };

    const get: Get = async (path, read) => {
      const call: UpstreamCall = {
        provider: provider.name,
        chain_id: chain,
        path,
        status: null,
        reason: null,
        rows: 0,
        duration_ms: 0,
      };
      calls.push(call);
      const begun = clock.wall();
      try {
        const { status, body } = await answerOf(provider, path, instead);
        call.status = status;
        if (status === 404) return undefined;
        if (status === 400) throw new UpstreamRefusal(messageIn(body));
        if (status !== 200) throw new UpstreamFailure("status", `Returned ${status}.`);
        const page = read(parse(body));
        call.rows = page.rows.length;
        return page;
      } catch (error) {
        throw error instanceof InvalidShape ? new UpstreamFailure("invalid_shape", error.message) : error;
      } finally {
        call.duration_ms = clock.wall() - begun;
      }
    };

    try {
      return { ...outcome, rows: await work(get) };
    } catch (error) {
      const last = calls.at(-1);
      if (error instanceof UpstreamFailure && last) last.reason = error.reason;
      else if (error instanceof UpstreamRefusal && last) last.reason = "status";
      else throw error;
      return error instanceof UpstreamRefusal ? { ...outcome, refusal: error.message } : outcome;
    }
  };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new UpstreamFailure("invalid_json", (error as Error).message);
  }
}

/** The message in a provider's rejection. */
function messageIn(body: string): string {
  const { message, error } = Object(unlessThrown(() => JSON.parse(body))) as Record<string, unknown>;
  const text = typeof message === "string" ? message : error;
  return typeof text === "string" ? clip(text, 200) : "";
}
