// What Sandglass uses of undici. Its index.js loads fetch, WebSocket, mocks and caches with it: three quarters of it.
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
