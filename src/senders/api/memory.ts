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

/** An API that a file describes: that of a service, or of a sender. */
export interface DescribedApi {
  /** Of the file, without its ending. */
  name: string;
  api: SenderApi;
  objects: ApiObjects;
  /** The example body of a type, for objects that are given as one. */
  example(type: string): string;
}

/** What a service answers, and what the call did. */
export interface MemoryAnswer {
  answer: ApiAnswer;
  deeds: readonly Deed[];
  /** The idempotency key of the call. */
  key: string | null;
}

/** An API whose objects and calls are in memory, as those of a service during a trial. */
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
