import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOf } from "../support/cli.ts";
import { correctShop } from "./handlers.ts";
import { explore, folderWith, LINK, pay, REGISTER, STORY } from "./own-story.ts";

describe("a scenario used as the story", () => {
  it("explore plays a scenario's deliveries no matter what the scenario expects of them", async () => {
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

  it.each<[what: string, lines: string[], message: RegExp]>([
    [
      "registers an endpoint at another address",
      ['await sandbox.webhooks.create("http://127.0.0.1:1/other");'],
      /calls webhooks\.create\("http:\/\/127\.0\.0\.1:1\/other"\), which cannot be explored/,
    ],
    ["registers two endpoints", [REGISTER, REGISTER.replace("{ id }", "other")], /a story has one endpoint/],
    ["opens another world", [REGISTER, "await sandbox.fork();"], /calls fork\(\), which cannot be explored/],
    ["registers no endpoint", [LINK, pay("order-1")], /The story two-orders does not send any webhooks/],
    ["fails in the calm run", [REGISTER, "expect(1).toBe(2);"], /fails in the calm run: .*toBe/],
    [
      "fails if one of its deliveries fails",
      [
        ...STORY,
        "const [{ status }] = (await sandbox.webhooks.timeline(id)).attempts;",
        'if (status !== "success") throw new Error("not delivered");',
      ],
      /fails when its deliveries do: not delivered/,
    ],
  ])("explore rejects a scenario that %s, and gives the reason", async (_what, lines, message) => {
    const { code, stderr } = await explore(folderWith(...lines), correctShop());
    expect(code).toBe(3);
    expect(stderr).toMatch(message);
  });

  it("explore rejects an unknown scenario and lists the stories", async () => {
    const { code, stderr } = await explore(folderOf(), correctShop(), "chekout");
    expect(code).toBe(2);
    expect(stderr).toMatch(/no story or scenario 'chekout'\.\n.*Did you mean checkout\? Stories: checkout, /);
  });
});
