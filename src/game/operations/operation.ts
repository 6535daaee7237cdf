import type { FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import { checkerOf } from "../../http/validation.ts";
import type { Game } from "../context.ts";
import type { GameArea } from "../game.ts";
import type { Session } from "../sessions.ts";

/** Where FeathersJS clients find an operation. */
export type ServiceName = "launcher" | "scores";

interface Described<Body extends TSchema> {
  /** The FeathersJS method; the path is the same in kebab case. */
  method: string;
  /** Other methods that clients call it by. */
  aliases?: readonly string[];
  services?: readonly ServiceName[];
  summary: string;
  description?: string;
  body: Body;
  answer: TSchema;
}

/** An operation of the area: one entry for the route, the method of the FeathersJS form, and the document. */
export interface Operation extends Described<TSchema> {
  tag: string;
  aliases: readonly string[];
  services: readonly ServiceName[];
  /** Checks a request and does the operation. It waits for a promise only if a token is new. */
  call: (request: FastifyRequest) => unknown;
}

/** Operations that the document lists together. */
export const tagged = (tag: string, operations: readonly Omit<Operation, "tag">[]): Operation[] =>
  operations.map((operation) => ({ ...operation, tag }));

/**
 * An operation of a player: it takes a launcherJwt. A request is checked in this order: its token (401), its signature
 * (401), its fields (400). What the resource itself refuses (403, 404) comes last.
 */
export function playerOperation<Body extends TSchema>({
  evenEnded = false,
  run,
  ...spec
}: Described<Body> & {
  /** Whether it takes the token of a session that was ended, too. */
  evenEnded?: boolean;
  run: (area: GameArea, session: Session, input: Static<Body>) => unknown;
}): Omit<Operation, "tag"> {
  const readFields = fieldsReader(spec.body);
  return {
    ...withDefaults(spec),
    call({ game: area, headers, body }) {
      const enter = (session: Session): unknown => {
        area.signatures.check(session.game, headers);
        return run(area, session, readFields(body));
      };
      const { launcherJwt } = (body ?? {}) as { launcherJwt?: unknown };
      const session = area.tokens.authenticate(launcherJwt, evenEnded);
      return session instanceof Promise ? session.then(enter) : enter(session);
    },
  };
}

/** An operation that takes no token. */
export function openOperation<Body extends TSchema>({
  gameOf,
  run,
  ...spec
}: Described<Body> & {
  /** The game whose signature a request may have to carry. */
  gameOf?: (area: GameArea, input: Static<Body>) => Game;
  run: (area: GameArea, input: Static<Body>) => unknown;
}): Omit<Operation, "tag"> {
  const readFields = fieldsReader(spec.body);
  return {
    ...withDefaults(spec),
    call({ game: area, headers, body }) {
      const input = readFields(body);
      const game = gameOf?.(area, input);
      if (game) area.signatures.check(game, headers);
      return run(area, input);
    },
  };
}

function withDefaults(spec: Described<TSchema>) {
  return { aliases: [], services: ["launcher"] as const, ...spec };
}

/** Reads a body's fields with their defaults; the body itself stays as it was sent. */
function fieldsReader<Body extends TSchema>(schema: Body): (body: unknown) => Static<Body> {
  const check = checkerOf(schema, "body");
  return (body) => {
    const { value, error } = check({ ...(body as object | undefined) });
    if (error) throw error;
    return value;
  };
}

/** `setUserScore` is at `set-user-score`. */
export function pathOf(method: string): string {
  return method.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
