import { createRequire } from "node:module";
import { closePlan, openPlan } from "../../../src/cli/explore/workers.ts";
import { readSubject, type SubjectFlags } from "../../../src/cli/trial/subject.ts";
import { serve } from "../../../src/server/serve.ts";
import type { Survey } from "../../../src/trial/schedules/exploration.ts";
import { exploreStories } from "../../../src/trial/schedules/explore.ts";
import { portOfItsOwn } from "../ports.ts";
import type { PostgresServer } from "../postgres.ts";
import { commandOf, eventsOf, type Kind, schemaOf } from "./shop.ts";

const { Client } = createRequire(import.meta.url)("pg");

let count = 0;

/**
 * Creates a separate database for a handler.
 * @returns its URL
 */
export async function openDatabase(server: PostgresServer, kind: Kind): Promise<string> {
  count += 1;
  const url = await server.create(`handler_${count}`);
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(schemaOf(kind));
  await client.end();
  return url;
}

/** Explores a handler on its own database. Several handlers can be explored at the same time. */
export const exploreHandler = async (
  server: PostgresServer,
  { kind, driver, flags }: { kind: Kind; driver: string; flags?: SubjectFlags },
): Promise<Survey> =>
  exploreAt(await openDatabase(server, kind), commandOf(kind, driver), { events: eventsOf(kind), ...flags });

/** Explores the server that a command starts, like `explore --start`. */
export async function exploreAt(state: string, start: string, flags: SubjectFlags): Promise<Survey> {
  const facts = await readSubject("explore", `127.0.0.1:${await portOfItsOwn()}`, {
    ...{ state, start, secret: "whsec_test", sender: "polar", deviations: "1", budget: "5m" },
    ...flags,
  });
  const plan = await openPlan(facts, undefined);
  try {
    return await exploreStories({ ...plan, serve, signal: new AbortController().signal });
  } finally {
    await closePlan(plan);
  }
}
