import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { resolveConfig } from "../../src/config/config.ts";
import { explore } from "../../src/index.ts";
import { chooseFindings } from "../../src/trial/findings/choose.ts";
import { writeFinding } from "../../src/trial/findings/finding-file.ts";
import { playFindings } from "../../src/trial/findings/play.ts";
import { exploreSubscriber } from "../../src/trial/schedules/explore.ts";
import type { Schedule } from "../../src/trial/schedules/schedule.ts";
import { STORIES } from "../../src/trial/stories/stories.ts";
import { remoteSubject } from "../../src/trial/subject/remote.ts";
import type { Subject } from "../../src/trial/subject/subscriber.ts";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";
import { BUGS } from "./bugs.ts";
import {
  apply,
  correctShop,
  lastWriteWins,
  makeShop,
  type ReadEvent,
  readEvent,
  type Shop,
  type ShopHandler,
  shopThat,
  subjectOf,
} from "./handlers.ts";
import { serveShop } from "./server.ts";

const SECRET = "whsec_saved";

const correct = () => correctShop();

/** Sets a status that depends on the order in which two requests at the same instant arrive. */
const lastOf = (isBroken: boolean) => () =>
  shopThat((event, shop, seen) => {
    apply(event, shop);
    if (seen.size > 1) shop.orders[event.order]!.status = isBroken ? event.type : "checkout.completed";
  });

/** Takes a long time to handle a payment, and records it before or after that. */
const slowly = (notes: "before" | "after") => () =>
  shopThat(async (event, shop) => {
    if (event.type === "checkout.completed") {
      await wait(50);
      shop.revenue += 1;
    }
    apply(event, shop);
  }, notes);

/** A shop that does something wrong in addition to its correct work. */
const wrongly = (work: (event: ReadEvent, shop: Shop, seen: Set<string>) => void) => () =>
  makeShop((event, shop, seen) => {
    work(event, shop, seen);
    if (event.isTest || seen.has(event.key)) return;
    seen.add(event.key);
    apply(event, shop);
  });

const byDeliveryId = BUGS["recognizes duplicates only by the delivery id"].make;
const overlapping = BUGS["reads a value, changes it and writes it back"];

/** Bugs that only one kind of deviation reveals, or that this kind reveals first. */
const SAVED: [schedule: string, story: string, make: () => ShopHandler, fixed?: () => ShopHandler][] = [
  ["0 lost", "late-payment", lastWriteWins],
  ["0 answer-lost", "checkout", BUGS["is not idempotent"].make],
  [
    "0 resend",
    "checkout",
    wrongly(({ deliveryId }, shop, seen) => {
      if (seen.has(deliveryId)) shop.revenue += 1;
      seen.add(deliveryId);
    }),
  ],
  ["0 overlap", "checkout", overlapping.make, overlapping.fixed],
  ["1 slow", "checkout", slowly("after"), slowly("before")],
  [
    "0 answer-lost, 0 manual-retry",
    "checkout",
    wrongly(({ key, sentAt, deliveryId }, _shop, seen) => {
      if (seen.has(`${key} ${sentAt}`) && !seen.has(deliveryId)) seen.delete(key);
      seen.add(`${key} ${sentAt}`).add(deliveryId);
    }),
  ],
  ["0 manual-resend", "twice-paid", BUGS["is not idempotent"].make],
  ["0 swap", "checkout", lastOf(true), lastOf(false)],
  [
    "0 timeout",
    "two-customers",
    () =>
      shopThat((event, shop) => {
        apply(event, shop);
        if (event.sentAt > event.at) shop.revenue += 1;
      }),
  ],
  ["1 test", "checkout", BUGS["counts test deliveries"].make],
  ["0 outage", "checkout", BUGS["rejects events older than five minutes"].make],
  ["0 second-endpoint", "checkout", byDeliveryId],
  ["0 second-endpoint, 1 lost, 1 manual-retry", "checkout", byDeliveryId],
];

const settings = resolveConfig({}, 0);
const DEFAULTS = { secret: SECRET, budget: 60_000, seed: "explore", settings };

const scheduleOf = (text: string): Schedule =>
  text.split(", ").map((one) => {
    const [at, kind] = one.split(" ");
    return { at: Number(at), kind: kind! };
  });

/** A shop as a trial uses it. It finishes all work before it responds. */
const quietly = (shop: ShopHandler): Subject => ({ ...subjectOf(shop), quiet: 1 });

/** Serves a shop with its database. */
async function withDatabase({ shop, state }: ReturnType<typeof openShop>): Promise<Subject> {
  const { url } = await serveShop(shop);
  const subject = remoteSubject({ url, stateUrl: state, resetBy: null, timeout: 30_000 });
  onTestFinished(() => subject.close());
  return { ...subject, quiet: 1 };
}

const exploreWith = (subject: Subject, story: string, schedule: string) =>
  exploreSubscriber({
    ...{ ...DEFAULTS, subject, deviations: 1, timeout: 30_000, ignore: [] },
    story: STORIES.find(({ name }) => name === story)!,
    only: { schedule: scheduleOf(schedule) },
  });

/** Replays the only finding in a folder. */
async function play(folder: string, subject: Subject) {
  const bindings = { settings, cwd: folder, senders: [], stories: [], invariant: undefined };
  const { findings } = await chooseFindings([], "found", folder);
  const [played] = await playFindings(findings, { ...DEFAULTS, subject }, bindings);
  return [played!.status, played!.words];
}

it("a saved finding without expectations compares the whole state", async () => {
  const folder = folderOf({
    "found/by-hand.yaml": "finding: by-hand\nstory: late-payment\nschedule: [lost@1]\n",
  });
  expect((await play(folder, quietly(lastWriteWins())))[0]).toBe("failed");
  expect((await play(folder, quietly(correct())))[0]).toBe("passed");
});

it.each(SAVED)(
  "a saved finding fails with the bug and passes without it (schedule: %s)",
  async (...saved) => {
    const [schedule, story, make, fixed = correct] = saved;
    const folder = folderOf();
    const faulty = quietly(make());
    await writeFinding(join(folder, "found"), await exploreWith(faulty, story, schedule), {});
    expect(await play(folder, faulty)).toEqual(["failed", expect.any(String)]);
    expect(await play(folder, quietly(fixed()))).toEqual(["passed", expect.any(String)]);
  },
);

/** A shop whose rows get their ids from the database. With the bug, a payment that arrives again is stored again. */
function openShop({ bug, rows }: { bug: boolean; rows: number }) {
  const file = join(folderOf(), "shop.db");
  const db = new Database(file);
  onTestFinished(() => void db.close());
  db.exec(`create table orders (id integer primary key autoincrement, reference text unique, status text);
    create table payments (id integer primary key, order_id integer references orders, event text, at text)`);
  for (let row = 0; row < rows; row += 1) {
    db.prepare("insert into orders (reference, status) values (?, 'open')").run(`old-${row}`);
    db.prepare("insert into payments (order_id, event, at) values (?, 'old', 'old')").run(row + 1);
  }
  const shop: ShopHandler = {
    async handler(request) {
      const { type, key, order, isTest } = await readEvent(request);
      if (isTest || type !== "payment.completed") return new Response();
      db.prepare("insert or ignore into orders (reference, status) values (?, 'paid')").run(order);
      const { id } = db.prepare("select id from orders where reference = ?").get(order) as { id: number };
      const seen = db.prepare("select 1 from payments where event = ?").get(key);
      if (!seen || bug)
        db.prepare("insert into payments (order_id, event, at) values (?, ?, ?)").run(
          ...[id, key, new Date().toISOString()],
        );
      return new Response();
    },
    reset: () => undefined,
    state: () => ({ orders: {}, revenue: 0 }),
  };
  return { shop, state: `sqlite:${file}` };
}

it("sandglass run matches a finding by its rows if the tables have generated ids, no matter what other rows exist", async () => {
  const folder = folderOf();
  const found = await exploreWith(
    await withDatabase(openShop({ bug: true, rows: 0 })),
    "checkout",
    "0 answer-lost",
  );
  const path = await writeFinding(join(folder, "found"), found, { tables: ["orders", "payments"] });
  expect(readFileSync(path, "utf8")).toMatch(
    /\nexpect:\n {2}payments\.\*: 1 {2}# when everything goes well; now: 2\n$/,
  );
  for (const rows of [0, 5]) {
    const faulty = await withDatabase(openShop({ bug: true, rows }));
    expect(await play(folder, faulty)).toEqual(["failed", "Payments has an entry too many."]);
    const fixed = await withDatabase(openShop({ bug: false, rows }));
    expect((await play(folder, fixed))[0]).toBe("passed");
  }
});

const NAME = "paid-order-cancelled";
const FINDING = `finding: ${NAME}
story: late-payment
schedule: [lost@1]
expect: { orders.order-7.status: paid }
`;
function folderWith(text: string): string {
  const folder = folderOf();
  mkdirSync(join(folder, "sandglass/findings"), { recursive: true });
  writeFileSync(join(folder, `sandglass/findings/${NAME}.yaml`), text);
  return folder;
}

describe("sandglass run with findings", () => {
  it("sandglass run fails a finding with its headline until the bug is fixed, and writes both reports", async () => {
    const cwd = folderWith(FINDING);
    const { args } = await serveShop(lastWriteWins());
    const run = (name: string[], [url, ...rest]: string[], ...more: string[]) =>
      runCli(["run", ...name, "--subscriber", url!, ...rest, ...more], { cwd });
    const failed = await run([NAME], args, "--junit", "out/found.xml", "--html", "out/found.html");
    expect(failed).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("A paid order ends up cancelled."),
    });
    expect(failed.stdout).toMatch(/^failed {2}paid-order-cancelled {2}late-payment: lost@1 in .*\n/);
    expect(failed.stdout).toMatch(/\n1 failed in .*\n$/);
    const [xml, page] = ["xml", "html"].map((ending) =>
      readFileSync(join(cwd, `out/found.${ending}`), "utf8"),
    );
    expect(xml).toContain('message="A paid order ends up cancelled."');
    expect(page).toContain("A paid order ends up cancelled.");
    const fixed = await serveShop(correct());
    const passed = await run([], fixed.args, "--json");
    expect(passed.code).toBe(0);
    expect(JSON.parse(passed.stdout)).toMatchObject({
      ...{ status: "passed", scenarios: [] },
      findings: [{ name: NAME, file: `sandglass/findings/${NAME}.yaml`, status: "passed" }],
    });
    const byFile = await run([`sandglass/findings/${NAME}.yaml`], fixed.args);
    expect(byFile.stdout).toMatch(/^passed .*\n1 passed in /s);
    const elsewhere = await run(["other/place.yaml"], fixed.args);
    expectMisuse(elsewhere, /no finding other\/place\.yaml in sandglass\/findings/);
  });

  it("sandglass run lists findings, and reports a finding as inconclusive if its server, story or kill is missing", async () => {
    const crash = FINDING.replace("lost@1", "crash@1");
    const { args } = await serveShop(correct());
    const listed = await runCli(["run", "--list"], { cwd: folderWith(FINDING) });
    expect(listed.stdout).toMatch(
      /^paid-order-cancelled +late-payment: lost@1 +sandglass\/findings\/.*yaml/m,
    );
    const run = (text: string, ...more: string[]) =>
      runCli(["run", NAME, ...more], { cwd: folderWith(text) });
    const withServer = ["--subscriber", args[0]!, ...args.slice(1)];
    for (const [text, flags, words] of [
      [FINDING, [], /run needs your server.s webhook URL/],
      [crash, withServer, /crash@1 needs a server that Sandglass starts\. Pass the command .* --start/s],
      [FINDING.replace("late-payment", "my-story"), withServer, /no story or scenario 'my-story'/],
      [
        FINDING.replace("lost@1", "manual-retry@2"),
        withServer,
        /schedule is impossible: 'manual-retry' cannot happen at attempt 2 /s,
      ],
      [`${FINDING}invariant: revenue`, withServer, /no rule revenue\..*subject\.invariant/s],
      [`${FINDING}sender: acme`, withServer, /no sender acme\..*subject\.sender/s],
    ] as const) {
      const { code, stdout } = await run(text, ...flags);
      expect({ code, text: stdout.replaceAll(/\s+/g, " ") }).toEqual({
        code: 3,
        text: expect.stringMatching(words),
      });
    }
  });
});

it("sandglass run replays a saved finding about a state whose keys contain invisible characters", async () => {
  const cwd = folderOf();
  const shop = lastWriteWins();
  const { args } = await serveShop({
    ...shop,
    state: () =>
      JSON.parse(JSON.stringify(shop.state()).replaceAll('"order-7"', '"\\u0007order\u200d\u{e0041}7"')),
  });
  const explored = await runCli(["explore", ...args, "--story", "late-payment", "--deviations", "1"], {
    cwd,
  });
  expect([explored.code, explored.stderr]).toEqual([1, ""]);
  const [name] = readdirSync(join(cwd, "sandglass/findings"));
  const subject = ["--subscriber", ...args];
  const { code, stderr, stdout } = await runCli(["run", name!.replace(".yaml", ""), ...subject], { cwd });
  expect([code, stderr, stdout]).toEqual([1, "", expect.stringContaining("failed")]);
});

it("explore replays a saved finding first, reports it as known, and saves it only once", async () => {
  const cwd = folderOf();
  const { args } = await serveShop(lastWriteWins());
  const explore = (of: readonly string[], ...more: string[]) =>
    runCli(["explore", ...of, "--story", "late-payment", "--deviations", "1", ...more], { cwd });
  const first = await explore(args);
  const file = join("sandglass", "findings", `${NAME}.yaml`);
  expect(first.stdout).toContain(`Saved as ${file}.\n`);
  expect(first.stdout).toContain(`\n  npx sandglass run ${NAME} --subscriber ${args[0]} --state ${args[4]}`);
  const text = readFileSync(join(cwd, file), "utf8");
  expect(text).toBe(
    `# A paid order ends up cancelled. Found by explore; replay it with: npx sandglass run ${NAME}
finding: ${NAME}
story: late-payment
schedule: [lost@1]
expect:
  orders.order-7.status: paid  # when everything goes well; now: "cancelled"
`,
  );
  const again = await explore(args);
  expect([again.code, again.stdout]).toEqual([1, expect.stringContaining("1 of 1 schedule tried   found")]);
  expect(again.stdout).toContain(`Known: ${file}.\n`);
  expect(again.stdout).toContain(
    "Nothing else was explored because a saved finding still fails. To continue anyway, add --all",
  );
  expect(readdirSync(join(cwd, "sandglass/findings"))).toEqual([`${NAME}.yaml`]);
  const fixed = await explore((await serveShop(correct())).args);
  expect([fixed.code, fixed.stdout]).toEqual([
    0,
    expect.stringMatching(/^passed {2}paid-order-cancelled {2}late-payment: lost@1 in /),
  ]);
  // A finding that was edited is kept, because the edit states the correct result.
  writeFileSync(join(cwd, file), text.replace("paid  #", "cancelled  #"));
  const edited = await explore(args);
  expect([edited.code, edited.stdout]).toEqual([
    1,
    expect.stringContaining(`Saved as ${file.replace(".y", "-2.y")}`),
  ]);
});

describe("the expectations in a finding", () => {
  const id = (number: number) => `evt_000000000000000${number}`;
  /**
   * Explores a subscriber whose state is `well` if nothing goes wrong, and `twice` if a webhook arrives twice.
   */
  const expectOf = async (well: unknown, twice: unknown) => {
    let deliveries = new Map<string, number>();
    const { failure } = await explore({
      async subscriber(request) {
        const { event } = await request.json();
        deliveries.set(event, (deliveries.get(event) ?? 0) + 1);
        return new Response();
      },
      state: () =>
        deliveries.size === 0 ? {} : (deliveries.get("payment.completed") ?? 0) > 1 ? twice : well,
      reset: () => {
        deliveries = new Map();
      },
      ...{ story: "checkout", deviations: 1 },
    });
    expect(failure?.file).toContain("\nstory: checkout\n");
    expect(failure?.finding?.schedule).toEqual(["answer-lost@1"]);
    return failure?.finding?.expect;
  };

  it.each<[what: string, well: unknown, twice: unknown, expected: object]>([
    [
      "a path that contains dots",
      { "a.b": { "c[0]": 1 } },
      { "a.b": { "c[0]": 2 } },
      { '["a.b"]["c[0]"]': 1 },
    ],
    ["null for an extra field", { a: 1 }, { a: 1, b: 2 }, { b: null }],
    ["the fields of a missing object", { a: { b: 1, c: { d: 2 } } }, {}, { "a.b": 1, "a.c.d": 2 }],
    ["the length of a list", { list: ["x"] }, { list: ["x", "x"] }, { "list.*": 1 }],
    [
      "the values of a list in any order",
      { list: [{ n: 2 }, { n: 1 }] },
      { list: [{ n: 2 }, { n: 3 }] },
      { "list.*.n": [2, 1] },
    ],
    [
      "entries with generated names",
      { seen: { [id(1)]: { n: 1 } } },
      { seen: { [id(1)]: { n: 2 } } },
      { "seen.*.n": [1] },
    ],
    ["a generated id", { last: id(1) }, { last: id(2) }, { last: id(1) }],
    ["the whole state", 1, 2, { $: 1 }],
  ])("a saved finding can expect %s", async (_what, well, twice, expected) => {
    expect(await expectOf(well, twice)).toEqual(expected);
  });
});

it("sandglass run still runs a scenario saved by version 0.2.0", async () => {
  const cwd = folderOf();
  mkdirSync(join(cwd, "scenarios"));
  const name = "explore-paid-order-cancelled";
  copyFileSync(join(import.meta.dirname, "saved", "by-0.2.0.txt"), join(cwd, `scenarios/${name}.ts`));
  const { url, origin } = await serveShop(lastWriteWins());
  const params = ["--param", `state=${origin}/state`, "--param", `reset=${origin}/reset`];
  const run = ["run", name, "--subscriber", url, "--secret", SECRET, ...params];
  expect(await runCli(run, { cwd })).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('Received value: "cancelled"'),
  });
});

describe("the file format of a finding", () => {
  const events = "sender: stripe\nevents: [charge.succeeded@x]\n";
  it.each([
    [
      "a name that differs from the file name",
      FINDING.replace(NAME, "other"),
      /finding must be paid-order-cancelled, .* not "other"/,
    ],
    [
      "a story that is a path",
      FINDING.replace("late-payment", "../evil.ts"),
      /story must be the name of a story.*"\.\.\/evil\.ts"/,
    ],
    [
      "a project folder as its story",
      FINDING.replace("late-payment", "sandglass"),
      /no story or scenario 'sandglass'/,
    ],
    ["a sender that is a path", `${FINDING}sender: ./evil.yaml`, /sender must be a name/],
    ["an invariant that is a path", `${FINDING}invariant: /etc/evil`, /invariant must be a name/],
    ["an unknown field", `${FINDING}start: rm -rf .`, /there is no field start/],
    [
      "an unknown deviation",
      FINDING.replace("lost@1", "eaten@1"),
      /schedule\[0\] must be a deviation .*"eaten@1".*lost, answer-lost/s,
    ],
    ["attempt 0", FINDING.replace("lost@1", "lost@0"), /schedule\[0\] must be a deviation .*"lost@0"/],
    [
      "an invalid path",
      FINDING.replace("orders.order-7.status", "'a..b'"),
      /expect must be by places .*"a\.\.b"/,
    ],
    [
      "an event without a time",
      events + FINDING,
      /events\[0\] must be a type with a time .*charge\.succeeded@x/,
    ],
    ["a list instead of an object", "- 1", /a finding is an object/],
    ["a YAML tag that contains code", "!!js/function 'x'", /a finding is an object|YAML/],
  ])("sandglass run rejects a finding and gives the reason: %s", async (_what, text, words) => {
    const args = [
      "run",
      NAME,
      "--subscriber",
      "http://127.0.0.1:1",
      "--state",
      "http://127.0.0.1:1",
      "--reset",
      "true",
    ];
    const { code, stdout, stderr } = await runCli([...args, "--secret", "x"], { cwd: folderWith(text) });
    expect(code).toBe(stderr === "" ? 3 : 2);
    expect(stdout + stderr).toContain(NAME);
    expect((stdout + stderr).replaceAll(/\s+/g, " ")).toMatch(words);
  });

  it("sandglass run reads findings only from their folder and never through a link", async () => {
    const cwd = folderOf({ "secret.yaml": FINDING });
    mkdirSync(join(cwd, "sandglass/findings"), { recursive: true });
    symlinkSync(join(cwd, "secret.yaml"), join(cwd, `sandglass/findings/${NAME}.yaml`));
    for (const name of [NAME, "sandglass/findings"])
      expectMisuse(await runCli(["run", name], { cwd }), /is a symbolic link, which could point anywhere/);
    // Files must not be written through a link, either.
    const linked = folderOf();
    symlinkSync(cwd, join(linked, "sandglass"));
    const { args } = await serveShop(lastWriteWins());
    const found = await runCli(["explore", ...args, "--story", "late-payment"], { cwd: linked });
    expect([found.code, found.stderr]).toEqual([1, expect.stringContaining("sandglass is a symbolic link")]);
    expect(readdirSync(cwd).sort()).toEqual(["sandglass", "secret.yaml"]);
    for (const name of ["secret.yaml", "../secret.yaml", "sandglass/findings/../../secret.yaml"])
      expectMisuse(await runCli(["run", name], { cwd }), /There is no finding .*secret\.yaml in sandglass/);
  });
});
