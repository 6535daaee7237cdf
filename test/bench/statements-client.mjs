// Measures round trips to the databases whose addresses it is given, in turn: node statements-client.mjs <bare> <through the proxy>
import { createRequire } from "node:module";

const { Client } = createRequire(`${process.cwd()}/package.json`)("pg");
const PAY = `insert into orders (id, times, total) values ($1, 1, $2)
  on conflict (id) do update set times = orders.times + 1, total = orders.total + excluded.total`;
const [ROUNDS, TRIPS] = [40, 100];
const clients = [];
for (const connectionString of process.argv.slice(2)) {
  const client = new Client({ connectionString });
  await client.connect();
  clients.push(client);
}
async function measure(client) {
  const began = performance.now();
  for (let trip = 0; trip < TRIPS; trip += 1) await client.query(PAY, [`order-${trip}`, trip]);
  return (performance.now() - began) / TRIPS;
}
for (const client of clients) await measure(client);
const rounds = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const [bare, proxied] = [await measure(clients[0]), await measure(clients[1])];
  rounds.push({ bare, proxied });
}
console.log(JSON.stringify(rounds));
for (const client of clients) await client.end();
