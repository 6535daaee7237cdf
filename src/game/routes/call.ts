import type { FastifyReply, FastifyRequest } from "fastify";
import { type ValidationError, validatorCompiler } from "../../http/validation.ts";
import type { Operation } from "../operations/operation.ts";
import type { Session } from "../sessions.ts";
import { sendAnswer } from "./support.ts";

type Check = (data: unknown) => { value?: unknown; error?: ValidationError };

/** What checks an operation's fields; each is compiled at its first call. */
const checks = new Map<Operation, Check>();

/** Does an operation for a request and sends its answer. Nothing waits for a promise unless a token is new. */
export function callOperation(operation: Operation, request: FastifyRequest, reply: FastifyReply): void {
  const answer = run(operation, request);
  if (answer instanceof Promise)
    answer.then((done) => sendAnswer(reply, done)).catch((error) => reply.send(error));
  else sendAnswer(reply, answer);
}

/**
 * Checks a request in this order: its token (401), its signature (401), its fields (400). What the resource itself
 * refuses (403, 404) comes last.
 */
function run(operation: Operation, { game: area, headers, body: given }: FastifyRequest): unknown {
  const body = (given ?? {}) as Record<string, unknown>;
  if (operation.access === "open") {
    const input = readFields(operation, body);
    const game = operation.gameOf?.(area, input);
    if (game) area.signatures.check(game, headers);
    return operation.run(area, undefined as never, input);
  }
  const enter = (session: Session): unknown => {
    area.signatures.check(session.game, headers);
    return operation.run(area, session, readFields(operation, body));
  };
  const session = area.tokens.authenticate(body.launcherJwt, operation.access === "evenEnded");
  return session instanceof Promise ? session.then(enter) : enter(session);
}

/** A body's fields with their defaults; the body itself stays as it was sent. */
function readFields(operation: Operation, body: Record<string, unknown>): never {
  let check = checks.get(operation);
  if (!check) {
    check = validatorCompiler({ schema: operation.body, method: "POST", url: "", httpPart: "body" }) as Check;
    checks.set(operation, check);
  }
  const { value, error } = check({ ...body });
  if (error) throw error;
  return value as never;
}
