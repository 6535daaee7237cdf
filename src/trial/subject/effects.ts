import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { isObject, type Json } from "./state.ts";

const EFFECTS = "effects";

/** Reads the effects of a server's calls to the sender's API, which are part of its state. */
export interface EffectReader {
  /** Adds the present run's effects to the server's state. */
  addTo(state: Json): Promise<Json>;
  /** Adds no effects, as before the first delivery. */
  addNone(state: Json): Json;
  /** Calls so far that the sender's file does not describe, including the present run's. */
  unknownCalls(): Promise<readonly string[]>;
}

/** @param sender undefined if no sender's API is served: states then stay unchanged */
export function createEffectReader(sandbox: Sandbox, sender: FileSender | undefined): EffectReader {
  const unknown = new Set<string>();
  const withEffects = (state: Json, effects: Json): Json => {
    if (!isObject(state)) return { state, [EFFECTS]: effects };
    return { ...state, [EFFECTS in state ? `${EFFECTS} at ${sender!.name}` : EFFECTS]: effects };
  };

  async function read() {
    const { effects, unknown: calls } = await sandbox.senders.effectsOf(sender!);
    for (const call of calls) unknown.add(call);
    return effects;
  }

  return {
    addTo: async (state) => (sender ? withEffects(state, await read()) : state),
    addNone: (state) => (sender ? withEffects(state, {}) : state),
    async unknownCalls() {
      if (sender) await read();
      return [...unknown];
    },
  };
}
