import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { type ExploreOptions, explore } from "../../src/index.ts";
import { folderOf } from "../support/cli.ts";
import { ROOT } from "../support/docs.ts";
import { portOfItsOwn } from "../support/ports.ts";
import type { Json } from "../support/sandbox.ts";
import { runWarmCli } from "../support/warm-cli.ts";

/** A sender with a subscription that changes, and an API that returns its current state. */
function acmeFile(): string {
  const file = join(folderOf(), "acme.yaml");
  const event = (type: string, object: string) =>
    `  ${type}: { body: { id: ev_1a, type: ${type}, created: 0, data: ${object} } }`;
  writeFileSync(
    file,
    [
      "name: acme",
      "events:",
      event("sub.created", "{ id: sub_1, object: sub, customer: cus_1, status: trialing, version: 1 }"),
      event("sub.updated", "{ id: sub_1, object: sub, customer: cus_1, status: active, version: 2 }"),
      event("payment.made", "{ id: pay_1, object: payment, customer: cus_2, amount: 2000, refunded: 0 }"),
      "type: body.type",
      "id: body.id",
      "time: body.created",
      'signature: { header: "Acme-Signature: {signature}" }',
      "retries: { delays: [1h] }",
      "api:",
      "  base: https://api.acme.test",
      "  object: body.data",
      "  idempotency: Idempotency-Key",
      "  reads: { 'GET /subs/{id}': sub, 'GET /customers/{id}': customer }",
      "  writes:",
      "    POST /subs/{id}: { change: sub }",
      "    POST /refunds: { make: refund, as: { id: re_1, object: refund, amount: 0 } }",
      "objects: { cus_1: { object: customer, id: cus_1 } }",
    ].join("\n"),
  );
  return file;
}

interface AcmeEvent {
  id: string;
  type: string;
  data: { id: string; customer: string; status: string };
}

/** Calls the API as the story requires. Throws if the API returns an error, as an SDK does. */
type Call = (path: string, parameters?: Record<string, unknown>, key?: string) => Promise<Json>;

type Handle = (event: AcmeEvent, rows: Record<string, unknown>, call: Call, seen: Set<string>) => unknown;

async function exploreHandler(handle: Handle, more: Partial<ExploreOptions> = {}) {
  const apiPort = await portOfItsOwn();
  let rows: Record<string, unknown> = {};
  let seen = new Set<string>();
  const call: Call = async (path, parameters, key) => {
    const response = await fetch(`http://127.0.0.1:${apiPort}${path}`, {
      ...(parameters && { method: "POST", body: JSON.stringify(parameters) }),
      headers: key === undefined ? {} : { "idempotency-key": key },
    });
    const body: Json = await response.json();
    if (!response.ok) throw Object.assign(new Error(body.error.message), { status: response.status });
    return body;
  };
  return explore({
    ...{ apiPort, sender: acmeFile(), events: "sub.created,sub.updated@20s", deviations: 1 },
    state: () => ({ rows }),
    reset() {
      rows = {};
      seen = new Set();
    },
    async subscriber(request) {
      try {
        await handle(await request.json(), rows, call, seen);
      } catch {
        return new Response(null, { status: 503 });
      }
      return new Response();
    },
    ...more,
  });
}

/** Stores what the API returns, unless something newer has been stored in the meantime. */
const reread: Handle = async ({ data }, rows, call) => {
  const { status, version } = await call(`/subs/${data.id}`);
  const present = rows[data.id] as { version: number } | undefined;
  if (version >= (present?.version ?? 0)) rows[data.id] = { status, version };
};
/** Stores what the API returns, even if something newer has been stored in the meantime. */
const overwrite: Handle = async ({ data }, rows, call) => {
  rows[data.id] = (await call(`/subs/${data.id}`)).status;
};
const refund = (key: ((event: AcmeEvent) => string) | undefined): Handle => {
  return (event, rows, call) => {
    rows[event.data.id] = "refunded";
    return call("/refunds", { payment: event.data.id, amount: 500 }, key?.(event));
  };
};
const payments = { events: "payment.made" };

describe("a handler that calls its sender's API", () => {
  it("the sender's API returns objects as they are at the current point in the story, and a correct handler passes", async () => {
    const { failure, covered } = await exploreHandler(reread);
    expect(failure?.story).toBeUndefined();
    expect(covered[0]).toMatchObject({ deviations: 1, tried: covered[0]!.schedules });
  });

  it("explore finds a handler that writes stale data if no later event corrects it", async () => {
    const { failure } = await exploreHandler(overwrite, { deviations: 2 });
    expect(failure?.deviations.map(({ kind }) => kind)).toEqual(["api-slow", expect.any(String)]);
  });

  it("explore finds a handler that writes stale data after handling a newer event", async () => {
    const { failure } = await exploreHandler(async (event, rows, call, seen) => {
      if (seen.has(event.id)) return;
      await overwrite(event, rows, call, seen);
      seen.add(event.id);
    });
    expect(failure?.deviations).toEqual([{ attempt: 1, kind: "api-slow" }]);
    expect(failure?.differences).toEqual([{ path: "rows.sub_1", expected: "active", actual: "trialing" }]);
  });

  it("explore finds a handler that mistakes an error from the sender's API for data", async () => {
    const { failure } = await exploreHandler(async (event, rows, call, seen) => {
      try {
        await overwrite(event, rows, call, seen);
      } catch (error) {
        rows[event.data.id] = (error as Error).message;
      }
    });
    expect(failure?.deviations).toEqual([{ attempt: 2, kind: "api-429" }]);
    expect(failure?.differences).toEqual([
      { path: "rows.sub_1", expected: "active", actual: "Too many requests." },
    ]);
  });

  it("explore finds a handler that refunds twice without an idempotency key", async () => {
    const { failure } = await exploreHandler(refund(undefined), payments);
    expect(failure?.deviations).toEqual([{ attempt: 1, kind: "answer-lost" }]);
    expect(failure?.differences).toEqual([
      { path: expect.stringMatching(/^effects\.refund\[/), expected: 1, actual: 2 },
    ]);
  });

  it.each<[what: string, handle: Handle, more: Partial<ExploreOptions>]>([
    ["refunds with the event's id as its idempotency key", refund(({ id }) => id), payments],
    [
      "writes the same data twice",
      async ({ data }, rows, call) => {
        await call(`/subs/${data.id}`, { note: "seen", customer: "cus_1" });
        rows[data.id] = true;
      },
      {},
    ],
  ])("explore passes a handler that %s", async (_what, handle, more) => {
    const { failure } = await exploreHandler(handle, more);
    expect(failure?.story).toBeUndefined();
  });

  it("explore finds a handler that leaves an object at the sender in a stale state", async () => {
    const { failure } = await exploreHandler(({ data }, rows, call) => {
      rows[data.id] = true;
      return call(`/subs/${data.id}`, { customer: data.status });
    });
    expect(failure?.deviations).toEqual([{ attempt: 1, kind: "lost" }]);
    expect(failure?.differences).toEqual([
      { path: "effects.sub_1.customer", expected: "active", actual: "trialing" },
    ]);
  });

  it("explore rejects apiPort for a sender whose file describes no API", async () => {
    const file = join(folderOf(), "plain.yaml");
    writeFileSync(
      file,
      'name: plain\nevents: { a: { body: { id: 1 } } }\nsignature: { header: "S: {signature}" }\n',
    );
    await expect(exploreHandler(reread, { sender: file, events: "a" })).rejects.toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("plain's sender file does not describe its API"),
    });
  });

  it.each<[what: string, handle: Handle, call: string]>([
    [
      "makes a call that the sender's file does not describe",
      (_event, _rows, call) => call("/plans/7"),
      "GET /plans/7",
    ],
    [
      "ignores the error from an undescribed call",
      (event, rows, call) => {
        rows[event.data.id] = event.type;
        return call("/plans/7").catch(() => undefined);
      },
      "GET /plans/7",
    ],
    [
      "reads an object that events refer to but never contain",
      ({ data }, _rows, call) => call(`/customers/${data.customer}`),
      "GET /customers/cus_2",
    ],
  ])("explore is inconclusive and names the call if a handler %s", async (_what, handle, call) => {
    const explored = exploreHandler(handle, payments).then(
      ({ verdict, failure }) => [verdict, failure?.story],
      ({ code, message }) => [code === "invalid_state" ? "inconclusive" : code, message],
    );
    const [verdict, story] = await explored;
    expect(verdict).toBe("inconclusive");
    expect(story?.replace(/\s+/g, " ")).toContain(`Inconclusive: The server made calls that`);
    expect(story?.replace(/\s+/g, " ")).toContain(`has no response for: ${call}.`);
  });
});

it("explore finds a refund that is made twice if the sender's API response is lost", async () => {
  const cwd = folderOf({
    "shop.mjs": `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(`${ROOT}package.json`)})("better-sqlite3");
const db = new Database(process.env.DATABASE_URL.replace("file:", ""));
const busy = new Set();
createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (request.method !== "POST") return response.end();
  const { id, data } = JSON.parse(Buffer.concat(chunks));
  try {
    if (busy.has(id)) throw new Error("busy");
    busy.add(id);
    if (!db.prepare("select 1 from refunded where event = ?").get(id)) {
      const { ok } = await fetch("https://api.acme.test/refunds", {
        method: "POST", body: JSON.stringify({ payment: data.id, amount: 500 }) });
      if (!ok) throw new Error("refused");
      db.prepare("insert into refunded values (?)").run(id);
    }
    busy.delete(id);
  } catch (error) {
    if (error.message !== "busy") busy.delete(id);
    response.statusCode = 503;
  }
  response.end();
}).listen(Number(process.env.PORT), "127.0.0.1");`,
  });
  new Database(join(cwd, "shop.db")).exec("create table refunded (event text primary key)").close();
  const { code, stdout } = await runWarmCli(
    [
      ...["explore", `http://127.0.0.1:${await portOfItsOwn()}/webhooks`, "--start", "node shop.mjs"],
      ...["--state", "sqlite:shop.db", "--sender", acmeFile(), "--events", "payment.made"],
      ...["--deviations", "1", "--secret", "whsec_test"],
    ],
    { cwd },
  );
  expect([code, stdout]).toEqual([1, expect.stringContaining("POST /refunds")]);
  expect(stdout).toContain("call 2 is done, but its response is lost");
});
