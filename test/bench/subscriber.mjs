// A subscriber that responds immediately, except for requests below /hang, to which it never responds.
import { createServer } from "node:http";

let received = 0;
const server = createServer((request, response) => {
  if (request.url === "/count") return void response.end(String(received));
  if (request.url === "/hang") return void request.resume();
  received += 1;
  request.resume().on("end", () => response.writeHead(200).end());
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
