import { GameError } from "../errors.ts";
import { OPERATIONS } from "./list.ts";
import { type Operation, pathOf, type ServiceName } from "./operation.ts";

/** A service's operations by FeathersJS method name, including aliases. */
export const BY_METHOD: Readonly<Record<ServiceName, ReadonlyMap<string, Operation>>> = {
  launcher: methodsOf("launcher"),
  scores: methodsOf("scores"),
};

function methodsOf(service: ServiceName): Map<string, Operation> {
  return new Map(
    OPERATIONS.filter(({ services }) => services.includes(service)).flatMap((operation) =>
      [operation.method, ...operation.aliases].map((method) => [method, operation] as const),
    ),
  );
}

export const methodNames = (service: ServiceName): string[] => [...BY_METHOD[service].keys()];

/** The operation for an X-Service-Method header. @throws GameError MethodNotAllowed, listing the known methods */
export function operationOf(service: ServiceName, method: string | undefined): Operation {
  const operation = BY_METHOD[service].get(method ?? "");
  if (operation) return operation;
  const what = method
    ? `The X-Service-Method '${method.slice(0, 80)}' is unknown`
    : "X-Service-Method is missing";
  throw new GameError(
    "MethodNotAllowed",
    `${what} at /${service}. Send one of: ${methodNames(service).join(", ")}.`,
  );
}

export const CALLED_PATHS: ReadonlySet<string> = new Set([
  "/launcher",
  "/scores",
  ...methodNames("launcher").map((method) => operationPath("launcher", method)),
]);

/** Returns an operation's path below the area's base: `/launcher/set-user-score`. */
export function operationPath(service: ServiceName, method: string): `/${ServiceName}/${string}` {
  return `/${service}/${pathOf(method)}`;
}
