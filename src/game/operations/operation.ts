import type { FastifyRequest } from "fastify";
import type { Static, TObject, TProperties, TSchema } from "typebox";
import { shape } from "../../http/shapes.ts";
import { checkerOf } from "../../http/validation.ts";
import type { Game } from "../context.ts";
import type { GameArea } from "../game.ts";
import { launcherJwt, success } from "../schemas/common.ts";
import type { Session } from "../sessions.ts";

export type ServiceName = "launcher" | "scores";

interface Described<Fields extends TProperties> {
  /** The FeathersJS method; the path is the same in kebab case. */
  method: string;
  /** Alternative method names that clients use. */
  aliases?: readonly string[];
  services?: readonly ServiceName[];
  summary: string;
  description?: string;
  /** The fields of the body, apart from the token. */
  takes: Fields;
  /** The body schema's name in the OpenAPI document; by default, the method name. */
  title?: string;
  /** The response schema; by default, only `success`. */
  answer?: TSchema;
}

/** One operation, which defines the route, the FeathersJS method and the OpenAPI entry. */
export interface Operation {
  method: string;
  aliases: readonly string[];
  services: readonly ServiceName[];
  tag: string;
  summary: string;
  description?: string;
  body: TSchema;
  answer: TSchema;
  call: (request: FastifyRequest) => Promise<unknown>;
}

export const tagged = (tag: string, operations: readonly Omit<Operation, "tag">[]): Operation[] =>
  operations.map((operation) => ({ ...operation, tag }));

const Done = success("Done", {});

/**
 * An operation that requires a player's launcherJwt. Requests are checked in this order: token (401), signature (401),
 * fields (400), then the resource itself (403, 404).
 */
export function playerOperation<Fields extends TProperties>({
  evenEnded = false,
  run,
  ...spec
}: Described<Fields> & {
  /** Whether it also accepts the token of an ended session. */
  evenEnded?: boolean;
  run: (area: GameArea, session: Session, input: Static<TObject<Fields>>) => unknown;
}): Omit<Operation, "tag"> {
  const { readFields, ...described } = describe(spec, launcherJwt);
  return {
    ...described,
    async call({ game: area, headers, body }) {
      const { launcherJwt } = (body ?? {}) as { launcherJwt?: unknown };
      const session = await area.tokens.authenticate(launcherJwt, evenEnded);
      area.checkSignature(session.game, headers);
      return run(area, session, readFields(body)) ?? { success: true };
    },
  };
}

export function openOperation<Fields extends TProperties>({
  gameOf,
  run,
  ...spec
}: Described<Fields> & {
  /** The game whose signature mode applies to the request. */
  gameOf?: (area: GameArea, input: Static<TObject<Fields>>) => Game;
  run: (area: GameArea, input: Static<TObject<Fields>>) => unknown;
}): Omit<Operation, "tag"> {
  const { readFields, ...described } = describe(spec, {});
  return {
    ...described,
    async call({ game: area, headers, body }) {
      const input = readFields(body);
      const game = gameOf?.(area, input);
      if (game) area.checkSignature(game, headers);
      return run(area, input);
    },
  };
}

/**
 * An operation's OpenAPI description, and a function that reads its fields with defaults, without changing the body.
 */
function describe<Fields extends TProperties>(
  { takes, title, ...spec }: Described<Fields>,
  token: TProperties,
) {
  const body = shape(title ?? spec.method.charAt(0).toUpperCase() + spec.method.slice(1), {
    ...token,
    ...takes,
  });
  const check = checkerOf(body, "body");
  const readFields = (sent: unknown): Static<TObject<Fields>> => {
    const { value, error } = check({ ...(sent as object | undefined) });
    if (error) throw error;
    return value as Static<TObject<Fields>>;
  };
  return { aliases: [], services: ["launcher"] as const, answer: Done, ...spec, body, readFields };
}

/** Maps `setUserScore` to `set-user-score`. */
export function pathOf(method: string): string {
  return method.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
