import type { FastifyReply, FastifyRequest } from "fastify";
import { type TObject, type TSchema, Type } from "typebox";
import { type Route, type RouteDescription, schemaOf } from "../../http/route-table.ts";
import { oneOf } from "../../http/shapes.ts";
import { hintAtUnknownFields } from "../../http/unknown-input.ts";
import { checkerOf } from "../../http/validation.ts";
import { ACTIVITIES_PAGE_SIZE, MAX_PAGE_SIZE, METHOD_HEADER } from "../limits.ts";
import { BY_METHOD, methodNames, operationOf, operationPath } from "../operations/index.ts";
import type { Operation, ServiceName } from "../operations/operation.ts";
import { ACTIVITY_TYPES } from "../rows.ts";
import { errorResponses, GameId, success, Wallet } from "../schemas/common.ts";
import { Activity } from "../schemas/records.ts";
import { ACTIVITIES_PATH } from "./support.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const Anything = Type.Record(Type.String(), Type.Unknown());

const verificationHeaders = {
  "X-Request-Nonce": Type.Optional(
    Type.String({ description: "A random string, new for each request; up to 32 characters are enough." }),
  ),
  "X-Request-Signature": Type.Optional(
    Type.String({ description: "MD5(nonce + MD5(gameSecret)), in hex. Send both headers or neither." }),
  ),
};

const methodHeader = (methods: readonly string[]) => ({
  "X-Service-Method": oneOf(methods, { description: "The FeathersJS method." }),
});

const leaderboard = operationOf("scores", "getGameScoresLeaderboard");
const scoresOperations = [...BY_METHOD.scores.values()];

/** Every operation in both forms: at its own path, and through the X-Service-Method header. */
export const operationRoutes: Route[] = [
  ...[...BY_METHOD.launcher].map(([method, operation]) => pathForm(operation, method)),
  headerForm("launcher", {
    id: "callLauncher",
    tag: "FeathersJS",
    summary: "Call any launcher operation in the FeathersJS form",
    description: "The body and the response are the same as for the operation in X-Service-Method.",
    headers: Type.Object({ ...methodHeader(methodNames("launcher")), ...verificationHeaders }),
    body: Anything,
    answer: Anything,
  }),
  headerForm("scores", {
    ...leaderboard,
    id: leaderboard.method,
    description: `${leaderboard.description} This service also accepts getUsersPositionInGameScoreLeaderboard, which works as it does under /launcher.`,
    headers: Type.Object(methodHeader(methodNames("scores"))),
    body: Type.Union(scoresOperations.map(({ body }) => body)),
    answer: Type.Union(scoresOperations.map(({ answer }) => answer)),
  }),
];

/** The path form. Only this form is documented, and only under the operation's own name. */
function pathForm(operation: Operation, method: string): Route {
  const documented = method === operation.method && operation.services[0] === "launcher";
  const headers = Type.Object(verificationHeaders);
  return {
    name: `POST ${operationPath("launcher", method)}`,
    ...(documented && { schema: schemaOf({ ...operation, id: method, headers }, errorResponses) }),
    handle: (request, reply) => callOperation(operation, request, reply),
  };
}

function headerForm(service: ServiceName, description: RouteDescription<TSchema, TSchema, TSchema>): Route {
  const calledOperation = ({ headers }: FastifyRequest) =>
    operationOf(service, headers[METHOD_HEADER] as string | undefined);
  return {
    name: `POST /${service}`,
    schema: schemaOf(description, errorResponses),
    // Reject an unknown method here, before the body is read.
    onRequest: (request, _reply, done) => {
      calledOperation(request);
      done();
    },
    handle: (request, reply) => callOperation(calledOperation(request), request, reply),
  };
}

async function callOperation(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  hintAtUnknownFields(request, reply, operation.body as TObject);
  const answer = await operation.call(request);
  // A string is JSON that has already been serialized.
  return typeof answer === "string" ? reply.type(JSON_TYPE).send(answer) : reply.send(answer);
}

const ActivitiesQuery = Type.Object({
  pageSize: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: ACTIVITIES_PAGE_SIZE }),
  pageNumber: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: "From 1." }),
  walletAddress: Type.Optional(Wallet),
  gameId: Type.Optional(GameId),
  type: Type.Optional(oneOf(ACTIVITY_TYPES)),
});
const check = checkerOf(ActivitiesQuery, "querystring");

export const activitiesRoute: Route = {
  name: `GET ${ACTIVITIES_PATH}`,
  schema: schemaOf(
    {
      id: "listActivities",
      tag: "Activities",
      summary: "List what players did, newest first",
      query: ActivitiesQuery,
      answer: success("ActivitiesPage", {
        result: Type.Object({
          pageNumber: Type.Integer(),
          pageSize: Type.Integer(),
          data: Type.Array(Activity),
        }),
      }),
    },
    errorResponses,
  ),
  handle(request, reply) {
    const { value, error } = check(withoutEmpty(request.query as Record<string, unknown>));
    if (error) throw error;
    reply.send({ success: true, result: request.game.activities.list(value) });
  },
};

/** Drops empty parameters: clients send unused filters as empty strings. */
function withoutEmpty(query: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
}
