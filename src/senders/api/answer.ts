import { type Answered, type ApiCall, type ApiState, Refused, refusal } from "./call.ts";
import { answerRead } from "./reads.ts";
import { findRoute, routesOf } from "./routes.ts";
import { answerWrite } from "./writes.ts";

/** Answers a call according to the sender's file. */
export function answerCall(call: ApiCall, state: ApiState): Answered {
  const { api } = state;
  const name = `${call.method} ${call.path}`;
  const found = findRoute(routesOf(api), call.method, call.path);
  if (!found) {
    const answer = refusal(api, 404, "unknown_call", `There is no ${name}.`);
    return { answer, unknown: name };
  }
  try {
    const { route, params } = found;
    return route.write
      ? answerWrite({ route, rule: route.write, params, call, name }, state)
      : answerRead({ route, rule: route.read!, params, call, name }, state);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { answer, unknown } = error;
    return { answer, ...(unknown !== undefined && { unknown }) };
  }
}
