import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { explore } from "../../src/index.ts";
import { folderOf } from "../support/cli.ts";
import { ACME } from "./tables.ts";

describe("a story that ends where it began", () => {
  /** Explores subscriptions that are created, updated and deleted. @param created what a second creation does */
  async function subscriptions(
    created: "replace" | "ignore",
    { ends = "delete", retry = "5s", before = "" }: { ends?: string; retry?: string; before?: string } = {},
  ) {
    const cwd = folderOf({ "acme.yaml": ACME(retry) });
    const file = join(cwd, "shop.db");
    const db = new Database(file);
    onTestFinished(() => void db.close());
    db.exec(`create table subs (id text primary key, status text); ${before}`);
    const handle: Record<string, string> = {
      "sub.created": `insert or ${created} into subs values (?, 'trial')`,
      "sub.updated":
        "insert into subs values (?, 'active') on conflict (id) do update set status = excluded.status",
      "sub.deleted":
        ends === "delete"
          ? "delete from subs where id = ?"
          : "update subs set status = 'canceled' where id = ?",
    };
    return explore({
      async subscriber(request) {
        const { type, data } = (await request.json()) as { type: string; data: { sub: string } };
        db.prepare(handle[type]!).run(data.sub);
        return new Response();
      },
      ...{ state: `sqlite:${file}`, sender: join(cwd, "acme.yaml"), deviations: 1 },
      events: "sub.created,sub.updated@3s,sub.deleted@20s",
    });
  }

  it("is compared if a subscription comes back, also where the rows are already as the story leaves them", async () => {
    const { failure } = await subscriptions("ignore", { retry: "1m" });
    expect(failure?.differences).toMatchObject([
      { path: "subs.sub_1", expected: undefined, actual: { id: "sub_1" } },
    ]);
    const before = "insert into subs values ('sub_1', 'canceled')";
    const again = await subscriptions("ignore", { ends: "update", retry: "1m", before });
    expect(again.failure?.differences).toMatchObject([
      { path: "subs.sub_1.status", expected: "canceled", actual: "active" },
    ]);
  });
});
