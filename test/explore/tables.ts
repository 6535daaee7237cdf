import { join } from "node:path";
import Database from "better-sqlite3";
import { onTestFinished } from "vitest";
import { explore } from "../../src/index.ts";
import { folderOf } from "../support/cli.ts";

const ACME = (retry: string) => `
name: acme
events:
  sub.created: { body: { id: evt_1, type: sub.created, data: { sub: sub_1 } } }
  sub.updated: { body: { id: evt_2, type: sub.updated, data: { sub: sub_1 } } }
  sub.deleted: { body: { id: evt_3, type: sub.deleted, data: { sub: sub_1 } } }
type: body.type
id: body.id
about: [body.data.sub]
signature: { header: "Acme-Signature: {signature}" }
timeout: 5s
retries: { delays: [${retry}] }
resend: false
`;

/**
 * Explores subscriptions that are created, updated and deleted.
 * @param created what the handler does when a subscription is created again
 */
export async function exploreSubscriptions(
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
    ...{ state: `sqlite:${file}`, inPlace: true, sender: join(cwd, "acme.yaml"), deviations: 1 },
    events: "sub.created,sub.updated@3s,sub.deleted@20s",
  });
}
