import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { denoStart, hasDeno } from "../support/deno.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { exploreStore, type StoreTrial, storeServer } from "./stores.ts";

const { CLIENTS } = process.env;
const SUPABASE =
  CLIENTS &&
  pathToFileURL(createRequire(join(CLIENTS, "package.json")).resolve("@supabase/supabase-js")).href;

const CLIENT = `
import supabase from ${JSON.stringify(SUPABASE)};
const db = supabase.createClient(process.env.SUPABASE_URL, "service-role", { auth: { persistSession: false } });
const sure = async (question) => {
  const { data, error } = await question;
  if (error) throw new Error(error.message);
  return data;
};`;

type Case = Pick<StoreTrial, "story"> & { handle: string; finds?: RegExp };

/** Handlers as people publish them, with the rows that end up wrong; correct handlers have none. */
const HANDLERS: Record<string, Case> = {
  looks_then_inserts: {
    story: "payment",
    handle: `const found = await sure(db.from("orders").select("n").eq("id", order));
      if (found.length === 0) await sure(db.from("orders").insert({ id: order, status: "paid" }));`,
    finds: /orders\.2 expected nothing/,
  },
  updates_in_any_order: {
    story: "cancel",
    handle: `const status = type.split(".")[1];
      const found = await sure(db.from("profiles").upsert({ id: order, credits: status === "paid" ? 1 : 0 }).select().single());
      if (!found) throw new Error("none");`,
    finds: /credits expected 0, got 1/,
  },
  reads_and_adds: {
    story: "payment",
    handle: `const { credits } = await sure(db.from("profiles").select("credits").eq("id", order).single());
      await sure(db.from("profiles").update({ credits: credits + amount }).eq("id", order));`,
    finds: /credits expected 2600, got 5100/,
  },
  upserts_on_a_unique_index: {
    story: "payment",
    handle: `await sure(db.from("payments").upsert({ id, amount }, { onConflict: "id", ignoreDuplicates: true }));`,
  },
  calls_a_function_that_claims_and_adds: {
    story: "payment",
    handle: `await sure(db.rpc("add_credits", { event: id, account: order, amount }));`,
  },
};

/** A Next.js route that imports its client from the project. */
const routeOf = (handle: string): string => `
${CLIENT.replace(JSON.stringify(SUPABASE), '"@supabase/supabase-js"').replace("import supabase", "import * as supabase")}
export async function POST(request) {
  const { id, type, order, amount } = await request.json();
  try { ${handle} } catch { return new Response(null, { status: 503 }); }
  return new Response(null, { status: 204 });
}`;

/** A Deno function as Supabase runs it. */
const functionOf = (handle: string): string => `
${CLIENT.replace(JSON.stringify(SUPABASE), '"@supabase/supabase-js"').replace("import supabase", "import * as supabase").replace("process.env.SUPABASE_URL", 'Deno.env.get("SUPABASE_URL")')}
Deno.serve({ port: Number(Deno.env.get("PORT")), hostname: "127.0.0.1" }, async (request) => {
  const { id, type, order, amount } = await request.json();
  try { ${handle} } catch { return new Response(null, { status: 503 }); }
  return new Response(null, { status: 204 });
});`;

describe.runIf(CLIENTS && hasPostgres())("explore with a handler that uses supabase-js", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.close());

  it.each(Object.entries(HANDLERS).map(([name, one]) => [name.replaceAll("_", " "), name, one] as const))(
    "explore correctly judges a handler that uses supabase-js and %s",
    async (_what, name, { story, handle, finds }) => {
      const { code, text } = await exploreStore(server, name, {
        files: { "server.mjs": storeServer(CLIENT, handle) },
        story,
      });
      if (finds) expect(text).toMatch(finds);
      else expect(text).toContain("No difference with up to 1 deviation");
      expect(code).toBe(finds ? 1 : 0);
    },
  );

  it("explore finds a duplicate row inserted by a Next route that checks before it inserts", async () => {
    const { handle, finds, story } = HANDLERS.looks_then_inserts!;
    const { code, text } = await exploreStore(server, "next_route", {
      files: {
        "app/webhooks/route.js": routeOf(handle),
        "package.json": '{ "private": true }',
        "next.config.mjs": `export default { turbopack: { root: ${JSON.stringify(CLIENTS)} } };`,
      },
      start: `node ${CLIENTS}/node_modules/next/dist/bin/next dev --hostname 127.0.0.1 --port $PORT`,
      story,
      below: CLIENTS!,
    });
    expect(text).toMatch(finds!);
    expect(code).toBe(1);
  });

  it("explore finds a duplicate row inserted by a Deno function that checks before it inserts", async ({
    skip,
  }) => {
    if (!hasDeno(CLIENTS)) skip("Deno is not in the folder of CLIENTS");
    const { handle, finds, story } = HANDLERS.looks_then_inserts!;
    const { code, text } = await exploreStore(server, "deno_function", {
      files: { "server.ts": functionOf(handle) },
      start: denoStart(CLIENTS!, "server.ts"),
      story,
      below: CLIENTS!,
    });
    expect(text).toMatch(finds!);
    expect(code).toBe(1);
  });

  it("explore reports that a server never calls the address in its gate", async () => {
    const { text } = await exploreStore(server, "reads_another_address", {
      files: {
        "server.mjs": storeServer(
          CLIENT.replace("SUPABASE_URL", "STORE_URL"),
          HANDLERS.upserts_on_a_unique_index!.handle,
        ),
      },
      story: "payment",
    });
    expect(text).toContain("The server made no call to the address in SUPABASE_URL.");
  });
});
