// What Sandglass uses of undici. Its index.js would replace the dispatcher of the whole process, which Node's own fetch uses.
import api from "undici/lib/api/index.js";
import buildConnector from "undici/lib/core/connect.js";
import Agent from "undici/lib/dispatcher/agent.js";

export { Agent, buildConnector };

/** As in index.js, for the calls that name their dispatcher. */
export function request(url, { dispatcher, ...options }) {
  const { origin, pathname, search } = new URL(url);
  const method = options.method ?? (options.body ? "PUT" : "GET");
  return api.request.call(dispatcher, { ...options, method, origin, path: pathname + search });
}
