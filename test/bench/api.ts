import { SEEDED_KEYS } from "../../src/payments/seed/organizations.ts";
import { compareRates, type Figure, pathOf, startMeasured } from "./harness.ts";

const CLI = pathOf("../../dist/cli/main.js");
const BARE = pathOf("./bare-server.mjs");
const key = { authorization: `Bearer ${SEEDED_KEYS.write}` };

/** Measures a read and a write through the API, each compared with a bare route that runs the same query. */
export async function api(): Promise<Figure[]> {
  const ours = await startMeasured([CLI, "start", "--port", "0", "--quiet", "--rate-limit", "1000000"]);
  const bare = await startMeasured([BARE]);
  const list = await fetch(`${ours.url}/platform/api/v1/payment-links?limit=1`, { headers: key });
  const [{ id }] = ((await list.json()) as { data: { id: string }[] }).data as [{ id: string }];
  const json = { ...key, "content-type": "application/json" };
  const body = () => JSON.stringify({ name: "Bench", amount: "2500000" });
  const read = await compareRates(
    [ours, { method: "GET", path: `/platform/api/v1/payment-links/${id}`, headers: key }],
    [bare, { method: "GET", path: "/links/pl_7" }],
  );
  const write = await compareRates(
    [ours, { method: "POST", path: "/platform/api/v1/payment-links", headers: json, body }],
    [bare, { method: "POST", path: "/links", headers: { "content-type": "application/json" }, body }],
  );
  await ours.stop();
  await bare.stop();
  return [
    {
      name: "GET a payment link, of a bare Fastify read",
      ...read,
      limit: { least: 0.3 },
    },
    {
      name: "POST a payment link, of a bare Fastify insert",
      ...write,
      limit: { least: 0.12 },
    },
  ];
}
