// The parts of undici that Sandglass uses. Its own index.js would replace the dispatcher of the whole process, which
// Node's fetch uses as well.
import api from "undici/lib/api/index.js";
import buildConnector from "undici/lib/core/connect.js";
import Agent from "undici/lib/dispatcher/agent.js";

export { Agent, buildConnector };

/** This is the same as in index.js, but only for calls that specify their dispatcher. */
export function request(url, { dispatcher, ...options }) {
  const { origin, pathname, search } = new URL(url);
  const method = options.method ?? (options.body ? "PUT" : "GET");
  return api.request.call(dispatcher, { ...options, method, origin, path: pathname + search });
}
