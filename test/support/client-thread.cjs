// Calls a server from a thread of its own: in one event loop with the server, a client never writes into a closed connection.
const { parentPort, workerData } = require("node:worker_threads");
const http = require("node:http");
const { request } = require("undici");

const CLIENTS = {
  async fetch(url, headers, body) {
    const answer = await fetch(url, { method: "POST", headers, body });
    return [answer.status, await answer.text()];
  },
  "fetch and a stream": (url, headers, body) =>
    fetch(url, { method: "POST", headers, body: new Blob([body]).stream(), duplex: "half" }).then(
      async (answer) => [answer.status, await answer.text()],
    ),
  async undici(url, headers, body) {
    const answer = await request(url, { method: "POST", headers, body });
    return [answer.statusCode, await answer.body.text()];
  },
  "node:http": (url, headers, body) =>
    new Promise((resolve, reject) => {
      const call = http.request(url, { method: "POST", headers, agent: false }, async (response) => {
        resolve([response.statusCode, (await response.toArray()).join("")]);
      });
      call.on("error", reject).end(body);
    }),
};

/** Bodies by their number of bytes. */
const bodies = new Map();
parentPort.on("message", ({ url, headers, bytes }) => {
  if (!bodies.has(bytes)) bodies.set(bytes, Buffer.from(JSON.stringify({ name: "x".repeat(bytes) })));
  CLIENTS[workerData](url, headers, bodies.get(bytes)).then(
    ([status, text]) => parentPort.postMessage({ status, body: JSON.parse(text) }),
    (error) => parentPort.postMessage({ error: error.cause?.code ?? error.code ?? error.message }),
  );
});
