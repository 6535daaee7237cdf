import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { FileSender } from "../../webhooks/described.ts";
import type { Ledger } from "../outside/ledger.ts";
import { isObject, type Json } from "./state.ts";

const EFFECTS = "effects";
/** The name to use if a state already contains a part named `effects`. */
const BESIDE = `${EFFECTS} outside`;

/** Whether a path in a state points to the effects of calls. */
export const isOfEffects = (path: string): boolean =>
  path.startsWith(EFFECTS) || path.startsWith(`["${EFFECTS}`);

/** A state without the effects of calls, which remain even if rows are deleted. */
export function withoutEffects(state: Json): Json {
  const name = isObject(state) && (BESIDE in state ? BESIDE : EFFECTS);
  // If the server has a table of that name, the value is a list.
  if (!name || !isObject(state) || !isObject(state[name])) return state;
  return Object.fromEntries(Object.entries(state).filter(([one]) => one !== name));
}

/**
 * Reads what a server's calls have changed outside this machine (at services, and in the sender's API), which is part
 * of its state.
 */
export interface EffectReader {
  /** Adds the current run's effects to the server's state. */
  addTo(state: Json, answers?: readonly SeenAnswer[]): Promise<Json>;
  /** Adds no effects, as before the first delivery. */
  addNone(state: Json): Json;
  /** Calls so far that the sender's file does not describe, including those of the current run. */
  unknownCalls(): Promise<readonly string[]>;
}

/** A user-visible response to an event, such as a bot's reply, with the event's name. */
export interface SeenAnswer {
  key: string;
  fields: Json;
}

export interface EffectSources {
  /** What calls to services have changed; undefined for a server that calls the real services. */
  ledger: Ledger | undefined;
  /** The world whose sender API is served, if any. */
  api: { sandbox: Sandbox; sender: FileSender } | undefined;
}

export function createEffectReader({ ledger, api }: EffectSources): EffectReader {
  const unknown = new Set<string>();
  let isNamed = false;

  const withEffects = (state: Json, effects: Json): Json => {
    if (!isObject(state)) return { state, [EFFECTS]: effects };
    return { ...state, [EFFECTS in state ? BESIDE : EFFECTS]: effects };
  };

  async function ofSender(): Promise<object> {
    if (!api) return {};
    const { made, changed, unknown: calls } = await api.sandbox.senders.effectsOf(api.sender);
    for (const call of calls) unknown.add(call);
    const kinds = Map.groupBy(made, ({ kind }) => kind);
    const lists = [...kinds].map(([kind, all]) => [kind, all.map(({ key, fields }) => ({ key, fields }))]);
    return { ...changed, ...Object.fromEntries(lists) };
  }

  function ofServices(): object {
    const all = Map.groupBy(ledger?.effects ?? [], ({ service }) => service);
    isNamed ||= all.size > 0;
    return Object.fromEntries(
      [...all].map(([service, effects]) => [service, effects.map(({ key, fields }) => ({ key, fields }))]),
    );
  }

  /** A state that is not an object stays unchanged until there is an effect. */
  const isPart = (state: Json): boolean =>
    api !== undefined || (ledger !== undefined && (isObject(state) || isNamed));

  return {
    async addTo(state, answers = []) {
      const seen = answers.length > 0 && { answers };
      const effects = { ...(await ofSender()), ...ofServices(), ...seen };
      return isPart(state) ? withEffects(state, effects) : state;
    },
    addNone: (state) => (isPart(state) ? withEffects(state, {}) : state),
    async unknownCalls() {
      await ofSender();
      return [...unknown];
    },
  };
}
