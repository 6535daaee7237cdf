import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { explore as exploreInProcess } from "../../src/index.ts";
import { folderOf } from "../support/cli.ts";
import { correctShop, repeatingShop } from "./handlers.ts";
import { explore, folderWith, LINK, STORY } from "./own-story.ts";

describe("a scenario used as the story", () => {
  it("explore runs a scenario in its seeded world and with the configured fixtures, and includes only deliveries to the subscriber", async () => {
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

  it("explore replays a scenario from its beginning if its calls differ each time", async () => {
    const drawn = STORY.map((line) =>
      line.replace('client_reference_id: "order-2"', "$&, metadata: { number: String(Math.random()) }"),
    );
    const { code, result } = await explore(folderWith(...drawn), correctShop());
    expect({ code, flaky: result.flaky }).toEqual({ code: 0, flaky: null });
    expect(result.levels[0].tried).toBe(result.levels[0].schedules);
  });

  it("explore() closes all sockets of the sandboxes in which it ran a scenario", async () => {
    const story = join(folderWith(...STORY), "scenarios", "two-orders.ts");
    // No packages are installed next to the script.
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

  it("explore does not blame the server for a scenario that calls it directly", async () => {
    const call = `await fetch(sandbox.inbox("shop").url, {
      method: "POST",
      body: JSON.stringify({ event: "order.created", data: { id: "own", client_reference_id: "own" } }),
    });`;
    const { code, result } = await explore(folderWith(...STORY.toSpliced(3, 0, call)), correctShop());
    expect({ code, finding: result.finding }).toEqual({ code: 0, finding: null });
    expect(result.calm.state.orders.own).toEqual({ status: "open", payments: 0 });
    expect(result.levels[0].tried).toBe(result.levels[0].schedules);
  });

  it("explore accepts a scenario's file, and finds a bug in its second payment", async () => {
    const { code, result } = await explore(
      folderWith(...STORY),
      repeatingShop(({ order }) => order === "order-2"),
      "scenarios/two-orders.ts",
    );
    expect(code).toBe(1);
    expect(result.finding.run.schedule).toEqual([{ at: 1, kind: "answer-lost" }]);
    expect(result.finding.differences[0].path).toBe("orders.order-2.payments");
  });
});
