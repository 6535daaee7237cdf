import { Webhooks } from "@octokit/webhooks";
import { Hono } from "hono";
import { database } from "./database.js";

const github = new Webhooks({ secret: process.env.GITHUB_WEBHOOK_SECRET });
const isNew = database.prepare("insert or ignore into deliveries values (?)");
// An open pull request can arrive after it was merged: only "reopened" opens one again.
const store = database.prepare(`
  insert into pull_requests values (:id, :title, :state)
  on conflict (id) do update set title = :title, state = :state where state <> 'merged'
`);

export const webhooks = new Hono().post("/github", async (context) => {
  const body = await context.req.text();
  const signature = context.req.header("x-hub-signature-256") ?? "";
  if (!(await github.verify(body, signature).catch(() => false))) return context.body(null, 401);
  const event = await context.req.json().catch(() => null);
  if (event === null) return context.body(null, 400);
  database.exec("begin immediate");
  try {
    const { changes } = isNew.run(context.req.header("x-github-delivery") ?? "");
    if (changes === 1 && context.req.header("x-github-event") === "pull_request") handle(event);
    database.exec("commit");
  } catch (error) {
    database.exec("rollback");
    throw error;
  }
  return context.body(null, 204);
});

function handle({ pull_request: { id, title, state, merged } }) {
  store.run({ id, title, state: merged ? "merged" : state });
}
