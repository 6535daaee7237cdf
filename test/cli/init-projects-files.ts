import { facts, npm, type Sample } from "./init-projects.ts";

/** Projects in JavaScript, most of them with routes determined by the location of files. */
export const FILES: Sample[] = [
  [
    "Next's app router with a group and a port of the script",
    facts(
      "clerk",
      "/api/webhooks/clerk",
      "3005",
      "CLERK_WEBHOOK_SIGNING_SECRET",
      "pnpm run start",
      "$POSTGRES_PRISMA_URL",
    ),
    {
      "package.json": npm("next @clerk/nextjs @prisma/client stripe", {
        start: "next start -p 3005",
        build: "next build",
      }),
      "pnpm-lock.yaml": "",
      "src/app/(api)/api/webhooks/clerk/route.ts": `import { verifyWebhook } from "@clerk/nextjs/webhooks";
export async function POST(request: NextRequest) {
  const event = await verifyWebhook(request);
}`,
      "prisma/schema.prisma": `datasource db {
  provider = "postgresql"
  url = env("POSTGRES_PRISMA_URL")
}`,
      ".env.example":
        "CLERK_WEBHOOK_SIGNING_SECRET=\nSTRIPE_SECRET_KEY=\nPOSTGRES_PRISMA_URL=postgresql://localhost/app\n",
    },
  ],
  [
    "Next's pages with an index file, Supabase, and a sender of the mail service beside it",
    facts("stripe", "/api/stripe/webhook", "3000", "STRIPE_WEBHOOK_SECRET_LIVE", "npm run dev", "Supabase"),
    {
      "package.json": npm("next stripe resend @supabase/supabase-js", { dev: "next dev" }),
      "pages/api/stripe/webhook/index.ts": `import { buffer } from "micro";
import { createClient } from "@supabase/supabase-js";
export const config = { api: { bodyParser: false } };
const webhookHandler = async (req: NextApiRequest, res: NextApiResponse) => {
  const sig = req.headers["stripe-signature"];
  const webhookSecret = process.env.STRIPE_WEBHOOK_SECRET_LIVE ?? process.env.STRIPE_WEBHOOK_SECRET;
  const event = stripe.webhooks.constructEvent(await buffer(req), sig, webhookSecret);
};
export default webhookHandler;`,
      "pages/api/mail.ts": `export default async (req, res) => resend.emails.send({});`,
    },
  ],
  [
    "Next with a dynamic segment",
    facts("polar", "/api/webhooks/polar", "3000", "POLAR_WEBHOOK_SECRET", "npm run dev", "$DATABASE_URL"),
    {
      "package.json": npm("next @polar-sh/sdk @neondatabase/serverless", { dev: "next dev" }),
      "app/api/webhooks/[provider]/route.ts": `import { validateEvent } from "@polar-sh/sdk/webhooks";
import { neon } from "@neondatabase/serverless";
const sql = neon(process.env.DATABASE_URL!);
export async function POST(request: Request, { params }) {
  const event = validateEvent(await request.text(), Object.fromEntries(request.headers), process.env.POLAR_WEBHOOK_SECRET!);
}`,
    },
  ],
  [
    "Remix with flat routes",
    facts(
      "shopify",
      "/webhooks/app/uninstalled",
      "3000",
      "SHOPIFY_API_SECRET",
      "npm run start",
      "sqlite:prisma/dev.sqlite",
    ),
    {
      "package.json": npm("@remix-run/node @shopify/shopify-api @prisma/client", {
        start: "remix-serve ./build/server/index.js",
      }),
      "app/routes/webhooks.app.uninstalled.tsx": `import { authenticate } from "../shopify.server";
export const action = async ({ request }: ActionFunctionArgs) => {
  const { shop, session } = await authenticate.webhook(request);
  return new Response();
};`,
      "app/shopify.server.ts": `const shopify = shopifyApp({ apiKey: process.env.SHOPIFY_API_KEY, apiSecretKey: process.env.SHOPIFY_API_SECRET || "" });
export const authenticate = shopify.authenticate;`,
      "prisma/schema.prisma": `datasource db {
  provider = "sqlite"
  url = "file:dev.sqlite"
}`,
    },
  ],
  [
    "SvelteKit with a private variable",
    facts("stripe", "/api/stripe", "5173", "STRIPE_WEBHOOK_SECRET", "npm run dev", "$DATABASE_URL"),
    {
      "package.json": npm("@sveltejs/kit stripe postgres", { dev: "vite dev", build: "vite build" }),
      "src/routes/(app)/api/stripe/+server.ts": `import { STRIPE_WEBHOOK_SECRET } from "$env/static/private";
import { sql } from "$lib/db";
export async function POST({ request }) {
  const event = stripe.webhooks.constructEvent(await request.text(), request.headers.get("stripe-signature"), STRIPE_WEBHOOK_SECRET);
}`,
      "src/lib/db.ts": `import postgres from "postgres";
import { env } from "$env/dynamic/private";
export const sql = postgres(env.DATABASE_URL);`,
    },
  ],
  [
    "Nuxt with a method in the file's name and a runtime configuration",
    facts(
      "stripe",
      "/api/stripe/webhook",
      "3000",
      "NUXT_STRIPE_WEBHOOK_SECRET",
      "npm run dev",
      "sqlite:data/app.db",
    ),
    {
      "package.json": npm("nuxt stripe better-sqlite3", { dev: "nuxt dev" }),
      "server/api/stripe/webhook.post.ts": `export default defineEventHandler(async (event) => {
  const { stripeWebhookSecret } = useRuntimeConfig(event);
  const body = await readRawBody(event);
  const stripeEvent = stripe.webhooks.constructEvent(body!, getHeader(event, "stripe-signature")!, stripeWebhookSecret);
});`,
      "server/utils/db.ts": `import Database from "better-sqlite3";
export const db = new Database("data/app.db");`,
      "nuxt.config.ts": `export default defineNuxtConfig({
  runtimeConfig: {
    stripeSecretKey: "",
    stripeWebhookSecret: "",
  },
});`,
    },
  ],
  [
    "a monorepo with an API and a site",
    facts(
      "paddle",
      "/v1/webhooks/paddle",
      "4100",
      "PADDLE_WEBHOOK_SECRET",
      "cd apps/api && pnpm run start",
      "$DATABASE_URL",
    ),
    {
      "package.json": JSON.stringify({
        private: true,
        packageManager: "pnpm@9.0.0",
        scripts: { dev: "turbo dev" },
      }),
      "pnpm-workspace.yaml": "packages: [apps/*, packages/*]",
      "apps/web/package.json": npm("next", { dev: "next dev" }),
      "apps/web/app/page.tsx": `export default () => null;`,
      "apps/api/package.json": npm("express @paddle/paddle-node-sdk @acme/db", { start: "tsx src/main.ts" }),
      "apps/api/src/main.ts": `import express from "express";
import { webhooks } from "./webhooks.js";
const app = express();
app.use("/v1", webhooks);
app.listen(4100);`,
      "apps/api/src/webhooks.ts": `export const webhooks = express.Router();
webhooks.post("/webhooks/paddle", express.raw({ type: "*/*" }), async (req, res) => {
  const event = await paddle.webhooks.unmarshal(req.body.toString(), process.env.PADDLE_WEBHOOK_SECRET!, req.headers["paddle-signature"]);
});`,
      "packages/db/package.json": npm("@prisma/client"),
      "packages/db/prisma/schema.prisma": `datasource db {
  provider = "postgresql"
  url = env("DATABASE_URL")
}`,
    },
  ],
  [
    "a monorepo whose API signs webhooks of its own, and whose site takes those of a watch",
    facts(
      "./senders/acme.yaml",
      "/api/webhook",
      "5173",
      "ACME_WEBHOOK_SECRET",
      "cd apps/web && npm run dev",
      "sqlite:apps/web/data/runs.db",
    ),
    {
      "package.json": JSON.stringify({ private: true, workspaces: ["apps/*"] }),
      "apps/api/package.json": npm("fastify", { start: "node dist/index.js" }),
      "apps/api/src/routes/webhooks.ts": `import { ping } from "../ping.js";
export async function routes(app) {
  app.post("/api/v1/webhooks/:id/test", async (request) => ping(request.params.id));
}`,
      "apps/api/src/ping.ts": `export async function ping(id: string) {
  const signature = createHmac("sha256", hook.secret).update(body).digest("hex");
  await fetch(hook.url, { method: "POST", headers: { "X-Webhook-Signature": signature }, body });
}`,
      "apps/web/package.json": npm("@sveltejs/kit better-sqlite3", { dev: "vite dev" }),
      "apps/web/src/routes/api/webhook/+server.ts": `export const POST: RequestHandler = async ({ request }) => {
  const token = request.headers.get("x-webhook-token");
  if (!(await isActive(token))) throw error(401);
};`,
      "apps/web/src/lib/db.ts": `export const db = new Database("data/runs.db");`,
    },
  ],
  [
    "plain Node with compared paths, and a port from .env",
    facts("linear", "/linear", "4321", "LINEAR_SIGNING_SECRET", "node bot.mjs", "none found"),
    {
      "package.json": npm("@linear/sdk", { start: "node bot.mjs" }),
      ".env": "PORT=4321\nLINEAR_SIGNING_SECRET=x\n",
      "bot.mjs": `import { createServer } from "node:http";
createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  if (url.pathname === "/health") {
    return response.end("ok");
  }
  if (request.method === "POST" && url.pathname === "/linear") {
    const signature = createHmac("sha256", process.env.LINEAR_SIGNING_SECRET).update(body).digest("hex");
    if (signature !== request.headers["linear-signature"]) return response.writeHead(401).end();
  }
}).listen(process.env.PORT || 3000);`,
    },
  ],
  [
    "a Probot app without a database",
    facts("github", "/api/github/webhooks", "3000", "WEBHOOK_SECRET", "npm run start", "none found"),
    {
      "package.json": npm("probot", { start: "probot run ./index.js" }),
      "index.js": `import { Probot } from "probot";
export default (app) => {
  app.on("issues.opened", (context) => context.octokit.issues.createComment(context.issue({ body: "Thanks" })));
};`,
      ".env.example": "APP_ID=\nPRIVATE_KEY=\nWEBHOOK_SECRET=development\n",
    },
  ],
  [
    "Koa with a prefixed router, and a secret per webhook",
    facts("square", "/hooks/square", "8088", "SQUARE_SIGNATURE_KEY", "node app.js", "mysql"),
    {
      "package.json": npm("koa @koa/router square mysql2", { start: "node app.js" }),
      "app.js": `const Router = require("@koa/router");
const mysql = require("mysql2/promise");
const router = new Router({ prefix: "/hooks" });
router.post("/square", async (ctx) => {
  const isValid = WebhooksHelper.isValidWebhookEventSignature(ctx.request.rawBody, ctx.get("x-square-hmacsha256-signature"), process.env.SQUARE_SIGNATURE_KEY, URL);
});
router.post("/mail", async (ctx) => checkMail(ctx, process.env.MAIL_WEBHOOK_SECRET));
app.use(router.routes());
const PORT = 8088;
app.listen(PORT);`,
    },
  ],
  [
    "Elysia on Bun with a group",
    facts(
      "stripe",
      "/api/stripe/webhook",
      "3030",
      "STRIPE_WEBHOOK_SECRET",
      "bun run start",
      "sqlite:shop.sqlite",
    ),
    {
      "package.json": npm("elysia stripe", { start: "bun src/index.ts" }),
      "bun.lock": "",
      "src/index.ts": `import { Database } from "bun:sqlite";
const db = new Database("shop.sqlite");
new Elysia()
  .group("/api", (app) =>
    app.post("/stripe/webhook", async ({ request }) => {
      const event = await stripe.webhooks.constructEventAsync(await request.text(), request.headers.get("stripe-signature")!, Bun.env.STRIPE_WEBHOOK_SECRET!);
    }),
  )
  .listen(3030);`,
    },
  ],
  [
    "Express with a function that takes the app, and a secret of another webhook",
    facts("github", "/api/ci/events", "3000", "CI_HOOK_SECRET", "node .", "$DATABASE_URL"),
    {
      "package.json": npm("express pg stripe", { start: "node ." }),
      "index.js": `const app = require("express")();
require("./routes/billing")(app);
require("./routes/ci")(app);
app.listen(process.env.PORT || 3000);`,
      "routes/ci.js": `const { createHmac } = require("crypto");
const { CI_HOOK_SECRET, BILLING_HOOK_SECRET } = process.env;
module.exports = function (app) {
  app.post("/api/ci/events", (req, res) => {
    const digest = createHmac("sha256", CI_HOOK_SECRET).update(req.rawBody).digest("hex");
    if (req.headers["x-hub-signature-256"] !== "sha256=" + digest) return res.sendStatus(403);
  });
};`,
      "routes/billing.js": `const { Pool } = require("pg");
const pool = new Pool({ connectionString: process.env.DATABASE_URL });
module.exports = (app) => app.post("/api/billing/webhook", (req, res) => res.sendStatus(204));`,
    },
  ],
  [
    "hapi with a list of routes",
    facts("stripe", "/stripe", "8100", "STRIPE_WEBHOOK_SECRET", "node server.js", "sqlite:shop.db"),
    {
      "package.json": npm("@hapi/hapi stripe sqlite3", { start: "node server.js" }),
      "server.js": `const server = Hapi.server({ port: 8100, host: "localhost" });
const db = new sqlite3.Database("shop.db");
server.route([
  { method: "GET", path: "/", handler: () => "up" },
  { method: "POST", path: "/stripe", options: { payload: { parse: false } }, handler: (request) => {
    const event = stripe.webhooks.constructEvent(request.payload, request.headers["stripe-signature"], process.env.STRIPE_WEBHOOK_SECRET);
    return { received: true };
  } },
]);`,
    },
  ],
  [
    "Nitro alone, with routes in a folder",
    facts("github", "/hooks/github", "3000", "GITHUB_TOKEN_HOOK", "npm run dev", "none found"),
    {
      "package.json": npm("nitropack", { dev: "nitropack dev" }),
      "routes/hooks/github.post.ts": `export default eventHandler(async (event) => {
  const signature = getHeader(event, "x-hub-signature-256");
  if (!(await isValid(await readRawBody(event), signature, process.env.GITHUB_TOKEN_HOOK))) throw createError({ statusCode: 401 });
});`,
    },
  ],
  [
    "NestJS without a prefix, with a version in the controller",
    facts("stripe", "/billing/events", "3000", "STRIPE_HOOK_KEY", "npm run start", "MongoDB"),
    {
      "package.json": npm("@nestjs/core @nestjs/mongoose mongoose stripe", { start: "nest start" }),
      "src/main.ts": `const app = await NestFactory.create(AppModule, { rawBody: true });\nawait app.listen(3000);`,
      "src/app.module.ts": `@Module({ imports: [MongooseModule.forRoot(process.env.MONGO_URL!)] })\nexport class AppModule {}`,
      "src/billing/billing.controller.ts": `@Controller({ path: "billing" })
export class BillingController {
  @Post("checkout")
  checkout() {}

  @Post("events")
  async events(@Req() req: RawBodyRequest<Request>) {
    const event = this.stripe.webhooks.constructEvent(req.rawBody!, req.headers["stripe-signature"]!, process.env.STRIPE_HOOK_KEY!);
  }
}`,
    },
  ],
];
