import type { Static, TSchema } from "typebox";
import type { Game } from "../context.ts";
import type { GameArea } from "../game.ts";
import type { Session } from "../sessions.ts";

/** Where FeathersJS clients find an operation. */
export type ServiceName = "launcher" | "scores";

/** An operation of the area: one entry for the route, the method of the FeathersJS form, and the document. */
export interface Operation {
  /** The FeathersJS method; the path is the same in kebab case. */
  method: string;
  /** Other methods that clients call it by. */
  aliases: readonly string[];
  services: readonly ServiceName[];
  tag: string;
  summary: string;
  description: string | undefined;
  body: TSchema;
  answer: TSchema;
  /** A launcherJwt, `evenEnded` also of a session that was ended; or nothing. */
  access: "session" | "evenEnded" | "open";
  /** The game whose signature a request without a token may have to carry. */
  gameOf: ((area: GameArea, input: never) => Game) | undefined;
  run: (area: GameArea, session: Session, input: never) => unknown;
}

interface Described {
  method: string;
  aliases?: readonly string[];
  services?: readonly ServiceName[];
  tag: string;
  summary: string;
  description?: string;
  answer: TSchema;
}

/** An operation of a player: it takes a launcherJwt. */
export function playerOperation<Body extends TSchema>(
  spec: Described & {
    body: Body;
    evenEnded?: boolean;
    run: (area: GameArea, session: Session, input: Static<Body>) => unknown;
  },
): Operation {
  const { evenEnded = false, run, ...rest } = spec;
  return { ...defaults(rest), access: evenEnded ? "evenEnded" : "session", gameOf: undefined, run };
}

/** An operation that takes no token. */
export function openOperation<Body extends TSchema>(
  spec: Described & {
    body: Body;
    gameOf?: (area: GameArea, input: Static<Body>) => Game;
    run: (area: GameArea, input: Static<Body>) => unknown;
  },
): Operation {
  const { gameOf, run, ...rest } = spec;
  return {
    ...defaults(rest),
    access: "open",
    gameOf,
    run: (area, _session, input: Static<Body>) => run(area, input),
  };
}

function defaults(spec: Described & { body: TSchema }) {
  return { aliases: [], services: ["launcher"] as const, description: undefined, ...spec };
}

/** `setUserScore` is at `set-user-score`. */
export function pathOf(method: string): string {
  return method.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
