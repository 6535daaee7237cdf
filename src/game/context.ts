import type { World } from "../world/world.ts";
import type { MakeId } from "./object-id.ts";
import type { Rule } from "./rules/rule.ts";

/** Whether X-Request-Nonce and X-Request-Signature are ignored, checked when present, or required. */
export const SIGNATURE_MODES = ["off", "optional", "required"] as const;
export type SignatureMode = (typeof SIGNATURE_MODES)[number];

export interface Game {
  id: string;
  slug: string;
  name: string;
  /** The secret that signs launcher JWTs and is part of request signatures. */
  secret: string;
  signatures: SignatureMode;
}

/** The user's settings for the game launcher; see `sandbox.config.ts`. */
export interface GameSettings {
  games: readonly Game[];
  rules: readonly Rule[];
}

export interface GameContext {
  world: World;
  settings: GameSettings;
  makeId: MakeId;
}
