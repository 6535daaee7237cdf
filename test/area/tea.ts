import { Type } from "typebox";
import { faultHeaders, meetApiFaults } from "../../src/http/api-faults.ts";
import type { Area } from "../../src/http/area.ts";
import { refusalText } from "../../src/http/refusals.ts";
import { iso, MINUTE } from "../../src/world/duration.ts";
import type { World } from "../../src/world/world.ts";

const STEEPED = "tea.steeped";

declare module "fastify" {
  interface FastifyRequest {
    tea: Tea;
  }
}

interface PotRow {
  id: string;
  leaf: string;
  ready_at: number;
  ready: number;
}

const Pot = Type.Object(
  { id: Type.String(), leaf: Type.String(), ready_at: Type.String(), ready: Type.Boolean() },
  { title: "Pot" },
);

type TeaError = Error & { status: number; headers: Record<string, string> };

type Tea = ReturnType<typeof createTea>;

function createTea({ world }: { world: World }) {
  const { store, clock, timers, ids, journal, scheduler } = world;
  const view = ({ ready_at, ready, ...pot }: PotRow) => ({
    ...pot,
    ready_at: iso(ready_at),
    ready: ready === 1,
  });
  const pots = () => store.sql<PotRow>("select * from tea_pots order by id").all().map(view);

  scheduler.handle(STEEPED, ({ key }) => {
    store.sql("update tea_pots set ready = 1 where id = ?").run(key);
    journal.append("pot.ready", { pot: key });
    return undefined;
  });
  return {
    world,
    pots,
    counts: () => ({ pots: pots().length }),
    brew: (leaf: string) =>
      store.transaction(() => {
        const pot = { id: ids.next("pot_"), leaf, ready_at: clock.now() + 4 * MINUTE, ready: 0 };
        store.sql("insert into tea_pots values (?, ?, ?, 0)").run(pot.id, leaf, pot.ready_at);
        timers.set(STEEPED, pot.id, pot.ready_at);
        return view(pot);
      }),
  };
}

/** A complete area, as small as possible: pots of tea that are ready four minutes after they were made. */
export const teaArea: Area<Tea, { world: World }> = {
  name: "tea",
  tables: [
    "create table tea_pots (id text primary key, leaf text not null, ready_at integer, ready integer);",
  ],
  timerKinds: [STEEPED],
  rowRules: { json: {}, references: [] },
  entries: ["pot.ready"],
  seed: (world, days) => {
    if (days > 0) world.store.sql("insert into tea_pots values ('pot_0', 'sencha', 0, 1)").run();
  },
  open: createTea,
  routes(app, { open }) {
    app.decorateRequest("tea");
    app.setErrorHandler((error: Partial<TeaError>, _request, reply) =>
      reply
        .code(error.status ?? 400)
        .headers(error.headers ?? {})
        .send({ sorry: error.message }),
    );
    app.addHook("onRequest", async (request) => {
      request.tea = open(request);
    });
    meetApiFaults(app, "tea", {
      world: ({ tea }) => tea.world,
      paths: ({ url }) => [url.replace(/^\/tea/, "")],
      error: (status) =>
        Object.assign(new Error("The kettle is broken."), { status, headers: faultHeaders(status) }),
    });
    const list = { operationId: "listPots", response: { 200: Type.Array(Pot) } };
    app.get("/pots", { schema: list }, async ({ tea }) => tea.pots());
    const body = Type.Object({ leaf: Type.String() });
    const brew = { operationId: "brew", body, response: { 200: Pot } };
    app.post("/pots", { schema: brew }, async ({ tea, body }) => tea.brew(body.leaf));
  },
  refusals: { body: (refusal) => ({ sorry: refusalText(refusal) }) },
  document: { title: "Tea", description: "Pots of tea." },
};
