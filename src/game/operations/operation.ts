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
  /** Other methods that clients call it by. */
  aliases?: readonly string[];
  services?: readonly ServiceName[];
  summary: string;
  description?: string;
  /** The fields of its body in addition to the token. */
  takes: Fields;
  /** The body's name in the document; by default that of the method. */
  title?: string;
  /** The schema of its answer; by default only success. */
  answer?: TSchema;
}

/** An operation of the area: one entry for the route, the method of the FeathersJS form, and the document. */
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
 * An operation of a player: it takes a launcherJwt. A request is checked in this order: its token (401), its signature (401),
 * its fields (400). The resource's own refusals (403, 404) come last.
 */
export function playerOperation<Fields extends TProperties>({
  evenEnded = false,
  run,
  ...spec
}: Described<Fields> & {
  /** Whether it also takes the token of an ended session. */
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
  /** The game whose signature a request may need. */
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
 * The document's description of an operation, and a reader of its fields with their defaults; the body itself is not changed.
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

/** `setUserScore` is at `set-user-score`. */
export function pathOf(method: string): string {
  return method.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
