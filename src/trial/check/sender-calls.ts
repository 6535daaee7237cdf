import { resolveConfig } from "../../config/config.ts";
import { makeSeedBytes } from "../../sandbox/seed.ts";
import { parseBody, valuesOf } from "../../webhooks/body-text.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { wallNow } from "../../world/clock.ts";
import { UNKNOWN_CALLS_HINT, unknownCallWords } from "../findings/unknown-calls.ts";
import type { Judgement } from "../hazards/hazard.ts";
import type { Ledger } from "../outside/ledger.ts";
import type { Serve } from "../schedules/options.ts";
import type { StoryApi } from "../subject/api.ts";
import { createEffectReader, type EffectReader } from "../subject/effects.ts";
import type { Delivery } from "./craft.ts";

/** The sender's API, served while a check runs. */
export interface SenderCalls extends EffectReader {
  /** Registers an event that may be sent. */
  made(event: Pick<Delivery, "type" | "eventId" | "body">): void;
  /** Called before each request, because an event happens when it is first sent. */
  sending(body: string | null): void;
  /** Weakens a failure if an API call could not be answered correctly. */
  asFarAsKnown(judged: Judgement): Promise<Judgement>;
  close(): Promise<void>;
}

/** Shorter strings and numbers are ambiguous in a body. */
const LEAST_ID = 6;

/** Opens a world for a check's events, and routes API calls to it. */
export async function openSenderCalls(
  sender: FileSender,
  { api, ledger, serve }: { api: StoryApi; ledger: Ledger | undefined; serve: Serve },
  { seed, at }: { seed: string; at: number },
): Promise<SenderCalls> {
  const settings = resolveConfig({ seed: "empty", clock: { mode: "paused" } }, wallNow());
  settings.webhooks.senders = [sender];
  const base = await makeSeedBytes({ seed, startAt: at, areSendersAlone: true });
  const { sandbox, socketPath, close } = await serve(
    { ...settings, port: 0, startAt: at },
    { socket: true, base },
  );
  api.leadTo({ sandbox, socketPath });
  const waiting = new Map<string, Pick<Delivery, "type" | "eventId" | "body">>();
  const known = new Set<string>();
  const happen = (type: string, body: string, id?: string) =>
    sandbox.senders.emit(sender, { type, body, ...(id !== undefined && { id }) });

  /** Adds the file's objects under the event's ids instead of the example's, because each event is about a new object. */
  function addObjects(type: string, body: string): void {
    const examples = new Map(
      sender.events.includes(type)
        ? valuesOf(sender.example(type)).map(({ path, text }) => [path.join(), text])
        : [],
    );
    const renamed = valuesOf(body).flatMap(({ path, text, isString }) => {
      const before = examples.get(path.join()) ?? text;
      return isString && before !== text && before.length >= LEAST_ID ? [[before, text] as const] : [];
    });
    for (const object of Object.values(sender.facts.objects ?? {})) {
      const [of, example] =
        typeof object === "string" ? [object, sender.example(object)] : [type, shownAt(object)];
      const text = renamed.reduce((found, [before, after]) => found.replaceAll(before, after), example);
      if (text === example || known.has(text)) continue;
      known.add(text);
      happen(of, text);
    }
  }

  /** A body with an object at the place where the API returns it. */
  function shownAt(object: object): string {
    const place = sender.facts.api?.object;
    if (typeof place !== "string") return "{}";
    const names = place.split(".").slice(1);
    return JSON.stringify(names.reduceRight<object>((inner, name) => ({ [name]: inner }), object));
  }

  const effects = createEffectReader({ ledger, api: { sandbox, sender } });
  return {
    ...effects,
    made: (event) => void waiting.set(meaningOf(event.body), event),
    sending(sent) {
      const event = sent === null ? undefined : waiting.get(meaningOf(sent));
      if (!event || known.has(event.body)) return;
      known.add(event.body);
      addObjects(event.type, event.body);
      happen(event.type, event.body, event.eventId);
    },
    async asFarAsKnown(judged) {
      const unknown = await effects.unknownCalls();
      if (unknown.length === 0 || judged.verdict !== "fail") return judged;
      return {
        verdict: "unknown",
        summary: `Inconclusive: ${judged.summary} ${unknownCallWords(unknown, sender.name)}`,
        fix: UNKNOWN_CALLS_HINT,
      };
    },
    close,
  };
}

/** A key that is equal for equal JSON with different formatting. */
const meaningOf = (body: string): string => JSON.stringify(parseBody(body));
