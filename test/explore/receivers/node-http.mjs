import { createServer } from "node:http";
import { announce, port, reset, state, take } from "./shop.mjs";

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (request.url === "/state") return void response.end(JSON.stringify(state()));
  let status = 204;
  if (request.url === "/reset") reset();
  else status = take(Buffer.concat(chunks), request.headers);
  response.writeHead(status).end();
});
server.listen(port, "127.0.0.1", () => announce(server));
