import type { ApiObjects, SenderApi } from "../../webhooks/sender-api.ts";
import { wallNow } from "../../world/clock.ts";
import {
  type ApiRecords,
  type ApiRequest,
  answerApi,
  describes,
  type GraphQl,
  keyOf,
  type PastCall,
} from "./answering.ts";
import { type ApiAnswer, type Deed, timeAs } from "./call.ts";
import { readParameters } from "./fields.ts";
import { createTruth, type Truth } from "./truth.ts";

/** An API described by the file of a service or of a sender. */
export interface DescribedApi {
  /** The file's name without its extension. */
  name: string;
  api: SenderApi;
  objects: ApiObjects;
  /** Returns the example body for an event type, for objects that refer to an example. */
  example(type: string): string;
}

/** A service's response, and the effects of the call. */
export interface MemoryAnswer {
  answer: ApiAnswer;
  deeds: readonly Deed[];
  /** The call's idempotency key. */
  key: string | null;
}

/** An API that keeps its objects and calls in memory, as a service does during a trial. */
export interface MemoryApi {
  /** @returns undefined for a call that the file does not describe */
  answer(request: ApiRequest): MemoryAnswer | undefined;
  /** Forgets all calls. */
  reset(): void;
}

export function createMemoryApi({ api, objects, example }: DescribedApi, graphql?: GraphQl): MemoryApi {
  let truth: Truth;
  let calls: (PastCall & { key: string | null })[];
  function reset(): void {
    truth = createTruth(api, objects, example);
    calls = [];
  }
  reset();
  return {
    reset,
    answer(request) {
      if (!describes(api, request)) return undefined;
      const deeds: Deed[] = [];
      const records: ApiRecords = {
        state: () => ({ api, truth, time: timeAs(api.unit ?? "iso", wallNow()), mentions: truth.mentions }),
        alike: (name) => calls.filter((call) => call.name === name),
        ofKey: (key) => calls.find((call) => call.key === key),
        record(call, { effect }, key) {
          if (!effect) return;
          for (const change of effect.changes) truth.write(change);
          calls.push({ ...call, key });
          deeds.push(...effect.deeds);
        },
      };
      const answer = answerApi(api, request, records, graphql);
      return { answer, deeds, key: keyOf(api, request, readParameters(request.body)) };
    },
  };
}
