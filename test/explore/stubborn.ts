import { folderOf } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";

/** How to start a server that is hard to stop. */
const WAYS = {
  "that ignores SIGTERM": "exec node server.mjs",
  "behind a pipe": "node server.mjs | cat",
  "with its own session": "setsid node server.mjs",
  "whose shell has exited": "(setsid node server.mjs >/dev/null 2>&1 &) ; sleep 1000",
};
export type Way = keyof typeof WAYS;

/** A server that does not exit on its own when asked to. */
const STUBBORN = `
const { createServer } = process.getBuiltinModule("node:http");
process.on("SIGTERM", () => undefined);
let paid = 0;
createServer(async (request, response) => {
  for await (const _ of request);
  if (request.method === "POST") paid += 1;
  response.end(JSON.stringify({ paid: paid > 0 }));
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

/** The arguments with which to call \`explore\` for such a server, whose state is reset by a restart. */
export async function stubborn(way: Way) {
  const cwd = folderOf({ "server.mjs": STUBBORN });
  const port = await portOfItsOwn();
  const url = `http://127.0.0.1:${port}`;
  const args = ["explore", url, "--start", WAYS[way], "--secret", "whsec_test", "--state", url];
  return { cwd, port, args: [...args, "--story", "checkout", "--deviations", "1", "--budget", "1s"] };
}
