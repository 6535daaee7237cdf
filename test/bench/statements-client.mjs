// Measures round trips to two databases in turn: node statements-client.mjs <direct URL> <URL of the proxy>
import { createRequire } from "node:module";

const require = createRequire(`${process.cwd()}/package.json`);
const INSERT = "insert into orders (id, times, total) values";
const PAY = `${INSERT} ($1, 1, $2) on conflict (id) do update set times = orders.times + 1, total = orders.total + excluded.total`;
const PAY_MYSQL = `${INSERT} (?, 1, ?) on duplicate key update times = times + 1, total = total + values(total)`;
const [ROUNDS, TRIPS] = [40, 100];

async function openPostgres(connectionString) {
  const client = new (require("pg").Client)({ connectionString });
  await client.connect();
  return { pay: (...values) => client.query(PAY, values), end: () => client.end() };
}
async function openMysql(uri) {
  const client = await require("mysql2/promise").createConnection({ uri });
  return { pay: (...values) => client.execute(PAY_MYSQL, values), end: () => client.end() };
}

const clients = [];
for (const url of process.argv.slice(2))
  clients.push(await (url.startsWith("mysql:") ? openMysql(url) : openPostgres(url)));
async function measure(client) {
  const began = performance.now();
  for (let trip = 0; trip < TRIPS; trip += 1) await client.pay(`order-${trip}`, trip);
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
