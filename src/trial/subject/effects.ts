import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { FileSender } from "../../webhooks/described.ts";
import { isObject, type Json } from "./state.ts";

const EFFECTS = "effects";

/** What a server's calls of the sender's API did: part of the state that it ends in. */
export interface EffectReader {
  /** The server's state, with the effects of the present run. */
  addTo(state: Json): Promise<Json>;
  /** The same with none, as before the first delivery. */
  addNone(state: Json): Json;
  /** Calls so far that the sender's file does not describe; the present run's among them. */
  unknownCalls(): Promise<readonly string[]>;
}

/** @param sender undefined where no API of a sender is served: then states stay as they are */
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
