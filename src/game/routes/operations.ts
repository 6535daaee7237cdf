import { Type } from "typebox";
import type { App } from "../../http/types.ts";
import { METHOD_HEADER } from "../limits.ts";
import { methodNames, OPERATIONS, operationOf, operationPath } from "../operations/index.ts";
import type { Operation, ServiceName } from "../operations/operation.ts";
import { errorResponses } from "../schemas/common.ts";
import { callOperation } from "./call.ts";

const Anything = Type.Record(Type.String(), Type.Unknown());

const verificationHeaders = {
  "X-Request-Nonce": Type.Optional(
    Type.String({ description: "A random text, new for each request; up to 32 characters are enough." }),
  ),
  "X-Request-Signature": Type.Optional(
    Type.String({ description: "MD5(nonce + MD5(gameSecret)), hex. Both headers or none." }),
  ),
};

const methodHeader = (methods: readonly string[]) => ({
  "X-Service-Method": Type.Unsafe<string>({
    type: "string",
    enum: [...methods],
    description: "The FeathersJS method.",
  }),
});

/** Every operation in both forms: at a path of its own, and by the header X-Service-Method. */
export function operationRoutes(app: App): void {
  for (const operation of OPERATIONS) {
    if (!operation.services.includes("launcher")) continue;
    for (const [index, method] of [operation.method, ...operation.aliases].entries())
      pathForm(app, operation, method, index === 0 && operation.services[0] === "launcher");
  }
  headerForm(app, "launcher", {
    operationId: "callLauncher",
    summary: "Any operation of the launcher, in the FeathersJS form",
    description: "The body and the answer are those of the operation that X-Service-Method names.",
    tags: ["FeathersJS"],
    headers: Type.Object({ ...methodHeader(methodNames("launcher")), ...verificationHeaders }),
    body: Anything,
    response: { 200: Anything, ...errorResponses },
  });
  const leaderboard = operationOf("scores", "getGameScoresLeaderboard");
  headerForm(app, "scores", {
    ...describe(leaderboard),
    description: `${leaderboard.description} The other method here is getUsersPositionInGameScoreLeaderboard, as below /launcher.`,
    headers: Type.Object(methodHeader([leaderboard.method])),
  });
}

function describe({ method, tag, summary, description, body, answer }: Operation) {
  return {
    operationId: method,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    body,
    response: { 200: answer, ...errorResponses },
  };
}

/** @param documented whether this is the form in which the document shows it */
function pathForm(app: App, operation: Operation, method: string, documented: boolean): void {
  const path = operationPath("launcher", method);
  const schema = documented
    ? { schema: { ...describe(operation), headers: Type.Object(verificationHeaders) } }
    : {};
  app.post(path, schema, (request, reply) => callOperation(operation, request, reply));
}

function headerForm(app: App, service: ServiceName, schema: object): void {
  app.post(
    `/${service}`,
    {
      schema,
      // Before a body is looked at.
      onRequest: (request, _reply, done) => {
        operationOf(service, request.headers[METHOD_HEADER] as string | undefined);
        done();
      },
    },
    (request, reply) =>
      callOperation(operationOf(service, request.headers[METHOD_HEADER] as string), request, reply),
  );
}
