import { resolveConfig } from "../../src/config/config.ts";
import { SEEDED_KEYS } from "../../src/payments/seed/organizations.ts";
import { type Served, serve } from "../../src/server/serve.ts";
import { type Growing, type Growth, REQUESTS } from "../support/growing-requests.ts";
import { fillHistory, type History } from "../support/history.ts";
import type { Figure } from "./harness.ts";

/** Payments in the smaller and in the larger world. */
const SIZES = [10_000, 100_000] as const;
/** CPU milliseconds for a page of a list of the larger world. */
const MOST_FOR_A_PAGE = 10;
/** The most that the exponent may be. What reads all there is grows with it, and no faster. */
const MOST: Record<Growth, number> = { page: 1.1, constant: 0.3, history: 1.15 };

/** CPU milliseconds of a request, the least of a few rounds: what another program takes of the machine is left out. */
async function costOf(
  { url }: Served,
  history: History,
  { method = "GET", path, body }: Growing,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round += 1) {
    const asked = typeof path === "string" ? path : path(history);
    const content = typeof body === "function" ? body(history) : body;
    const before = process.cpuUsage();
    const response = await fetch(url + asked, {
      method,
      headers: { authorization: `Bearer ${SEEDED_KEYS.write}`, "content-type": "application/json" },
      ...(content === undefined ? {} : { body: JSON.stringify(content) }),
    });
    const text = await response.text();
    const { user, system } = process.cpuUsage(before);
    if (!response.ok)
      throw new Error(`${method} ${asked} answered ${response.status}: ${text.slice(0, 300)}`);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

/** The costs of all requests in a world of a size. */
async function costs(payments: number): Promise<number[]> {
  const served = await serve(
    resolveConfig({ port: 0, seed: "empty", clock: { mode: "paused" }, payments: { rateLimit: "off" } }, 0),
  );
  const history = await fillHistory(served.sandbox, served.url, payments);
  const found: number[] = [];
  for (const request of REQUESTS) {
    found.push(await costOf(served, history, request));
    if (process.env.GROWTH) console.log(payments, request.name, found.at(-1)!.toFixed(2));
  }
  await served.close();
  return found;
}

/** How the cost of everything that a request can ask for grows with the history. */
export async function growth(): Promise<Figure[]> {
  const [small, large] = [await costs(SIZES[0]), await costs(SIZES[1])];
  return REQUESTS.flatMap(({ name, grows }, index): Figure[] => {
    const [bare, ours] = [small[index]!, large[index]!];
    const exponent = Math.log10(ours / bare) / Math.log10(SIZES[1] / SIZES[0]);
    return [
      {
        name: `growth: ${name}`,
        unit: "ms of CPU",
        ours,
        bare,
        ratio: exponent,
        limit: { most: MOST[grows] },
      },
      ...(grows === "page"
        ? [{ name: `growth: ${name}, at 100,000`, unit: "ms of CPU", ours, limit: { most: MOST_FOR_A_PAGE } }]
        : []),
    ];
  });
}
