import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ExploreOptions, explore } from "../../src/index.ts";
import { explorationLines, UNPAINTED } from "../../src/trial/findings/report.ts";
import { arrivalOrder } from "../../src/trial/schedules/arrival-order.ts";
import { folderOf, runCli } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { apply, correctShop, exploreShop, shopThat } from "./handlers.ts";
import { serveShop } from "./server.ts";

/** An event sent by Acme. `what` is a short name for it. */
interface AcmeEvent {
  id: string;
  type: string;
  what: string;
}

const RETRIES = "retries: { delays: [1h] }";

/**
 * The file of a sender whose stories contain several events at the same instant.
 * @param more additional lines in the file
 */
function acmeFile(stories: Record<string, string[]>, ...more: string[]): string {
  const file = join(folderOf(), "acme.yaml");
  const events = Object.entries(stories).map(([name, list]) => {
    const listed = list.map((what) => {
      const [type, data, after = "0s"] = what.split(" ");
      return `{ type: ${type}, after: ${after}, data: { what: ${data} } }`;
    });
    return `  ${name}: [${listed.join(", ")}]`;
  });
  writeFileSync(
    file,
    [
      "name: acme",
      "events:",
      ...["paid", "refunded", "noted"].map(
        (type) => `  ${type}: { body: { id: evt_1, type: ${type}, created: 0, what: "" } }`,
      ),
      "type: body.type",
      "id: body.id",
      "time: body.created",
      'signature: { header: "Acme-Signature: {signature}" }',
      "stories:",
      ...events,
      ...(more.length > 0 ? more : [RETRIES]),
    ].join("\n"),
  );
  return file;
}

type State = Record<string, unknown>;

/** Explores a handler for the sender, with its state in memory. */
async function exploreEvents(
  handle: (event: AcmeEvent, state: State) => unknown,
  { deviations = 1, ...options }: Partial<ExploreOptions> & { sender: string },
) {
  let state: State = {};
  return explore({
    async subscriber(request) {
      const status = await handle(await request.json(), state);
      return new Response(null, { status: typeof status === "number" ? status : 204 });
    },
    state: () => state,
    reset() {
      state = {};
    },
    ...{ deviations, ...options },
  });
}

/** Adds an event's name to a list, by reading the list and writing it back. */
async function addLate({ what }: AcmeEvent, state: State, ms = 20): Promise<void> {
  const known = String(state.names ?? "")
    .split(" ")
    .filter(Boolean);
  if (ms > 0) await wait(ms);
  state.names = [...new Set([...known, what])].toSorted().join(" ");
}

const REFUNDS = { refunds: ["refunded rf_1", "refunded rf_2"] };

/** Attempts at the same instant, each of which may coincide with another. */
const meetings = fc.integer({ min: 1, max: 6 }).chain((count) =>
  fc.array(
    fc.record({
      deviation: fc.constantFrom(null, "swap", "overlap", "lost"),
      beside: fc.option(fc.nat(count), { nil: null }),
    }),
    { minLength: count, maxLength: count },
  ),
);
const orderOf = (attempts: { deviation: string | null; beside: number | null }[]): number[] =>
  arrivalOrder(
    attempts.map((_, index) => ({ index })),
    attempts,
  ).map(({ index }) => index);

describe("requests at the same instant", () => {
  it("a schedule delivers each request once, and moves only the requests that it specifies", () => {
    fc.assert(
      fc.property(meetings, (drawn) => {
        const attempts = drawn.map((one) =>
          one.deviation === "swap" || one.deviation === "overlap" ? one : { ...one, beside: null },
        );
        const order = orderOf(attempts);
        expect(order.toSorted()).toEqual(attempts.map((_, index) => index));
        const still = order.filter((index) => attempts[index]!.beside === null);
        expect(still).toEqual(still.toSorted((a, b) => a - b));
      }),
    );
  });

  it.each<[kind: string, at: number, beside: number, order: number[]]>([
    ["swap", 0, 2, [1, 2, 0, 3]],
    ["swap", 2, 0, [2, 0, 1, 3]],
    ["overlap", 0, 2, [1, 0, 2, 3]],
    ["overlap", 3, 1, [0, 3, 1, 2]],
  ])("the deviation %s moves request %i next to request %i", (deviation, at, beside, order) => {
    const attempts = [0, 1, 2, 3].map((index) =>
      index === at ? { deviation, beside } : { deviation: null, beside: null },
    );
    expect(orderOf(attempts)).toEqual(order);
  });
});

describe("explore with events at the same instant", () => {
  it("explore finds an update that is overwritten by another event at the same instant", async () => {
    const { failure } = await exploreEvents(addLate, { sender: acmeFile(REFUNDS) });
    expect(failure?.deviations).toEqual([{ attempt: 1, kind: "overlap" }]);
    expect(failure?.story).toContain("refunded #1 and refunded #2 are processed at the same time");
  });

  it("explore finds a handler that fails only if the later of two events is handled more slowly", async () => {
    const { failure } = await exploreEvents(
      (event, state) => addLate(event, state, event.what === "rf_1" ? 20 : 0),
      { sender: acmeFile({ refunds: REFUNDS.refunds.toReversed() }) },
    );
    expect(failure?.deviations).toEqual([{ attempt: 2, kind: "overlap", beside: 1 }]);
  });

  it("explore overlaps the two payments in the story two-customers although they are not adjacent", async () => {
    const shop = shopThat(async (event, state) => {
      if (event.type !== "payment.completed") return;
      const { revenue } = state;
      await wait(20);
      state.revenue = revenue + event.amount;
    });
    const { finding } = await exploreShop(shop, "two-customers");
    expect(finding?.run.schedule).toEqual([{ at: 0, kind: "overlap", beside: 2 }]);
  });

  it.each<[name: string, wrongAfter: string, deviation: object]>([
    ["behind a request that is not adjacent to it", "b c a", { attempt: 1, kind: "swap", beside: 3 }],
    ["in front of a request that is not adjacent to it", "c a b", { attempt: 3, kind: "swap", beside: 1 }],
    ["behind an adjacent request", "b a c", { attempt: 1, kind: "swap" }],
  ])("explore moves a request %s", async (_name, wrongAfter, deviation) => {
    let order: string[] = [];
    const { failure } = await explore({
      subscriber: async (request) => {
        const { what }: AcmeEvent = await request.json();
        if (!order.includes(what)) order.push(what);
        return new Response();
      },
      state: () => ({ count: order.length, isWrong: order.join(" ") === wrongAfter }),
      reset() {
        order = [];
      },
      // If the sender does not retry, a lost request never arrives.
      ...{ sender: acmeFile({ three: ["paid a", "refunded b", "noted c"] }, "retries: {}"), deviations: 1 },
    });
    expect(failure?.deviations).toEqual([deviation]);
  });

  it("explore delivers events at the same instant one by one for a sender that preserves their order", async () => {
    const { failure, covered } = await exploreEvents(addLate, {
      sender: acmeFile(REFUNDS, RETRIES, "order: endpoint"),
    });
    expect(failure?.story).toBeUndefined();
    expect(covered[0]!.schedules).toBeGreaterThan(0);
  });

  it("an API call during the first of several simultaneous events returns the state after the last one", async () => {
    const apiPort = await portOfItsOwn();
    const api = [
      RETRIES,
      "api: { base: https://api.acme.test, object: body.object, reads: { 'GET /orders/{id}': order } }",
      "objects: {}",
    ];
    const file = acmeFile({ made: ["paid a", "noted b"] }, ...api);
    const list = join(folderOf(), "list.yaml");
    writeFileSync(
      list,
      "- paid\n- { type: noted, data: { object: { id: ord_1, object: order, status: open } } }\n",
    );
    const { failure } = await exploreEvents(
      async ({ type }, state) => {
        if (type !== "paid") return;
        const read = await fetch(`http://127.0.0.1:${apiPort}/orders/ord_1`);
        if (!read.ok) return 503;
        state.seen = ((await read.json()) as { status: string }).status;
      },
      { sender: file, events: list, apiPort },
    );
    expect(failure?.story).toBeUndefined();
  });

  it("explore lets one event without an effect represent all such events at the same instant, and counts them", async () => {
    const ignored = (count: number) => Array.from({ length: count }, (_, index) => `noted n${index}`);
    const exploreStory = async (count: number) => {
      const handle = ({ type, what }: AcmeEvent, state: State) => {
        if (type === "paid") state[what] = true;
      };
      const sender = acmeFile({ mixed: ["paid a", ...ignored(count), "paid b"] });
      return (await exploreEvents(handle, { sender })).covered[0]!.schedules!;
    };
    const [few, many] = [await exploreStory(3), await exploreStory(6)];
    // Each ignored event adds the deviations of that event alone, and its possible positions before and after the two
    // other events.
    expect(many - few).toBeLessThan(3 * 12);
    const exploration = await exploreShop(correctShop(), "two-customers");
    const [{ stoodFor } = { stoodFor: 0 }] = exploration.levels;
    expect(stoodFor).toBeGreaterThan(0);
    const lines = explorationLines(exploration, { paint: UNPAINTED, width: 200 }).join("\n");
    expect(lines).toContain(`tried, standing for ${stoodFor} more`);
    expect(lines).toContain(`They stand for ${stoodFor} more that would end the same way.`);
  });

  it("sandglass run replays a finding with overlapping requests until the bug is fixed", async () => {
    let isMended = false;
    const shop = shopThat((event, state) => {
      // Only a first attempt can reveal that another attempt overtook it.
      const isOvertaken = event.sentAt === event.at && state.orders["order-8"]?.status === "paid";
      apply(event, state);
      if (!isMended && event.order === "order-7" && event.type === "payment.completed" && isOvertaken)
        state.revenue = 0;
    });
    const { url, origin } = await serveShop(shop);
    const cwd = folderOf();
    const where = ["--state", `${origin}/state`, "--reset", `${origin}/reset`, "--secret", "whsec_test"];
    const found = await runCli(["explore", url, "--story", "two-customers", "--deviations", "1", ...where], {
      cwd,
    });
    expect(found.stdout).toContain("200, after 3");
    const [, path] = /^Saved as (\S+)\.$/m.exec(found.stdout)!;
    const run = () => runCli(["run", path!, "--subscriber", url, ...where], { cwd });
    expect(await run()).toMatchObject({ code: 1, stdout: expect.stringContaining("swap@1+3") });
    isMended = true;
    expect(await run()).toMatchObject({ code: 0 });
  });
});
