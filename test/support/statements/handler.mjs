// A webhook handler that `--start` runs: node handler.mjs <kind> <driver>. The kinds are in kinds.mjs, and the drivers
// in drivers.mjs and orms.mjs; those for MySQL and MariaDB are in the folder mysql. DATABASE_URL and PORT are set in
// the environment.

// An import would read every export of node:http, which loads undici. This would add 40 ms to each start.
const { createServer } = process.getBuiltinModule("node:http");
const [, , kind, driver] = process.argv;
const url = process.env.DATABASE_URL;
const folder = url.startsWith("mysql:") ? "./mysql" : ".";
const [{ openDriver }, { KINDS }] = await Promise.all([
  import(`${folder}/drivers.mjs`),
  import(`${folder}/kinds.mjs`),
]);
const handle = KINDS[kind](await openDriver(driver, url));
// Resume work that a worker left unfinished when it was killed.
await handle.resume?.();

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (request.method !== "POST") return void response.end();
  const { type, data } = JSON.parse(Buffer.concat(chunks));
  const answer = (status) => response.writeHead(status).end();
  try {
    await handle({ id: `${type} ${data.id}`, type, order: data.id, amount: 5 }, answer);
    if (!response.writableEnded) answer(200);
  } catch (error) {
    console.error(error.message);
    if (!response.writableEnded) answer(500);
  }
}).listen(Number(process.env.PORT), "127.0.0.1");
