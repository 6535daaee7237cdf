import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { explore as exploreInProcess } from "../../src/index.ts";
import { folderOf } from "../support/cli.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { correctShop, repeatingShop, type ShopHandler } from "./handlers.ts";
import { serveShop } from "./server.ts";

/** A folder with a scenario, whose run has these lines. */
function folderWith(...lines: string[]): string {
  const folder = folderOf();
  mkdirSync(join(folder, "scenarios"));
  writeFileSync(
    join(folder, "scenarios", "two-orders.ts"),
    `import { defineScenario } from "sandglass";
     export default defineScenario({
       name: "two-orders",
       title: "Two customers buy the same thing",
       seed: "empty",
       async run({ sandbox, step, expect }) {
         ${lines.join("\n")}
       },
     });`,
  );
  return folder;
}

const REGISTER =
  'const { id } = await sandbox.webhooks.create({ url: sandbox.inbox("shop").url, events: ["payment.completed"] });';
const LINK =
  'await sandbox.payments.createLink({ name: "Coffee", short_code: "coffee", amount: "18000000" });';
const pay = (order: string) =>
  `await step("Payment of ${order}", () => sandbox.payments.pay("coffee", { client_reference_id: "${order}" }));`;
const STORY = [REGISTER, LINK, pay("order-1"), 'await sandbox.clock.advance("30s");', pay("order-2")];

async function explore(folder: string, shop: ShopHandler, story = "two-orders") {
  const { args } = await serveShop(shop);
  const { code, stdout, stderr } = await runWarmCli(
    ["explore", ...args, "--story", story, "--deviations", "1", "--json"],
    { cwd: folder },
  );
  const { stories: [result] = [], saved } = stdout === "" ? {} : JSON.parse(stdout);
  return { code, stderr, result, saved };
}

describe("a scenario as the story", () => {
  it("has its deliveries explored, whatever it expects of them in the calm run", async () => {
    const folder = folderWith(
      ...STORY,
      "const { attempts } = await sandbox.webhooks.timeline(id);",
      "expect(attempts).toHaveLength(2);",
      'await expect(sandbox.payments.pay("tea")).rejects.toThrow();',
    );
    const { code, result } = await explore(folder, correctShop());
    expect({ code, story: result.story, attempts: result.calm.attempts.length }).toEqual({
      code: 0,
      story: {
        name: "two-orders",
        title: "Two customers buy the same thing",
        file: join("scenarios", "two-orders.ts"),
      },
      attempts: 2,
    });
    expect(result.levels[0].schedules).toBe(result.levels[0].tried);
  });

  it("is about the subscriber alone, in the seeded world and in one of its own fixtures", async () => {
    const withoutLink = STORY.filter((line) => line !== LINK);
    const seeded = (...lines: string[]) => {
      const folder = folderWith(...lines);
      const file = join(folder, "scenarios", "two-orders.ts");
      writeFileSync(file, readFileSync(file, "utf8").replace('seed: "empty",', ""));
      return folder;
    };
    const first = await explore(seeded(...withoutLink), correctShop());
    expect(first.result?.calm.attempts.map(({ event }: { event: string }) => event)).toEqual([
      "payment.completed",
      "payment.completed",
    ]);
    const furnished = seeded(...withoutLink.map((line) => line.replace('pay("coffee"', 'pay("teapot"')));
    writeFileSync(
      join(furnished, "fixtures.json"),
      '{"payment_links": [{"name": "Teapot", "short_code": "teapot", "amount": "18000000"}]}',
    );
    writeFileSync(join(furnished, "sandbox.config.json"), '{"from": "./fixtures.json"}');
    const { code, result } = await explore(furnished, correctShop());
    expect({ code, attempts: result?.calm.attempts.length }).toEqual({ code: 0, attempts: 2 });
  });

  it("is played from its beginning for each schedule if it calls something else each time", async () => {
    const drawn = STORY.map((line) =>
      line.replace('client_reference_id: "order-2"', "$&, metadata: { number: String(Math.random()) }"),
    );
    const { code, result } = await explore(folderWith(...drawn), correctShop());
    expect({ code, flaky: result.flaky }).toEqual({ code: 0, flaky: null });
    expect(result.levels[0].tried).toBe(result.levels[0].schedules);
  });

  it("leaves no socket of the sandboxes in which the library played it", async () => {
    const story = join(folderWith(...STORY), "scenarios", "two-orders.ts");
    // Nothing is installed beside it.
    writeFileSync(
      story,
      readFileSync(story, "utf8").replace(/import .*/, "const defineScenario = (one) => one;"),
    );
    const sockets = folderOf();
    vi.stubEnv("TMPDIR", sockets);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { handler: subscriber, state, reset } = correctShop();
    const { verdict } = await exploreInProcess({ subscriber, state, reset, story, deviations: 1 });
    expect([verdict, readdirSync(sockets)]).toEqual(["nothing_found", []]);
  });

  it("is no bug of the server's if it calls the server itself", async () => {
    const call = `await fetch(sandbox.inbox("shop").url, {
      method: "POST",
      body: JSON.stringify({ event: "order.created", data: { id: "own", client_reference_id: "own" } }),
    });`;
    const { code, result } = await explore(folderWith(...STORY.toSpliced(3, 0, call)), correctShop());
    expect({ code, finding: result.finding }).toEqual({ code: 0, finding: null });
    expect(result.calm.state.orders.own).toEqual({ status: "open", payments: 0 });
    expect(result.levels[0].tried).toBe(result.levels[0].schedules);
  });

  it("is named by its file, too, and a bug in the second payment is found", async () => {
    const { code, result } = await explore(
      folderWith(...STORY),
      repeatingShop(({ order }) => order === "order-2"),
      "scenarios/two-orders.ts",
    );
    expect(code).toBe(1);
    expect(result.finding.run.schedule).toEqual([{ at: 1, kind: "answer-lost" }]);
    expect(result.finding.differences[0].path).toBe("orders.order-2.payments");
  });

  it.each<[what: string, lines: string[], message: RegExp]>([
    [
      "registers an endpoint elsewhere",
      ['await sandbox.webhooks.create("http://127.0.0.1:1/other");'],
      /calls webhooks\.create\("http:\/\/127\.0\.0\.1:1\/other"\), which cannot be explored/,
    ],
    ["registers two", [REGISTER, REGISTER.replace("{ id }", "other")], /a story has one endpoint/],
    ["opens another world", [REGISTER, "await sandbox.fork();"], /calls fork\(\), which cannot be explored/],
    ["registers none", [LINK, pay("order-1")], /The story two-orders sends no webhooks/],
    ["fails", [REGISTER, "expect(1).toBe(2);"], /fails in the calm run: .*toBe/],
    [
      "fails when a delivery does",
      [
        ...STORY,
        "const [{ status }] = (await sandbox.webhooks.timeline(id)).attempts;",
        'if (status !== "success") throw new Error("not delivered");',
      ],
      /fails when its deliveries do: not delivered/,
    ],
  ])("cannot be explored if it %s, and explore says why", async (_what, lines, message) => {
    const { code, stderr } = await explore(folderWith(...lines), correctShop());
    expect(code).toBe(3);
    expect(stderr).toMatch(message);
  });

  it("is refused if it does not exist, with the names of the stories", async () => {
    const { code, stderr } = await explore(folderOf(), correctShop(), "chekout");
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /no story and no scenario 'chekout'\.\n.*Did you mean checkout\? Stories: checkout, /,
    );
  });
});
