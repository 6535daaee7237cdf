/** Small projects shaped like real ones, with the facts that init should find. */

export interface Expected {
  sender: string;
  path: string;
  port: string;
  secret: string;
  start: string;
  database: string;
}

export type Sample = [name: string, facts: Expected, files: Record<string, string>];

/** Builds an `Expected` from its facts, which are passed in order. */
export const facts = (
  ...[sender, path, port, secret, start, database]: [string, string, string, string, string, string]
): Expected => ({ sender, path, port, secret, start, database });

/**
 * Builds a package.json.
 * @param needs names of packages
 * @param scripts the scripts
 */
export const npm = (needs: string, scripts: Record<string, string> = {}): string =>
  JSON.stringify({
    scripts,
    dependencies: Object.fromEntries(needs.split(" ").map((name) => [name, "^1.0.0"])),
  });

export const NODE: Sample[] = [
  [
    "Express with routers nested twice, and a commented-out route",
    facts(
      "stripe",
      "/api/v1/checkout/webhook",
      "8000",
      "STRIPE_ENDPOINT_SECRET",
      "node src/index.js",
      "$DATABASE_URL",
    ),
    {
      "package.json": npm("express stripe pg", { start: "node src/index.js" }),
      "src/index.js": `const express = require("express");
const routes = require("./routes");
const app = express();
// app.post("/webhook", legacyWebhook);
app.use("/api/v1", routes);
app.listen(process.env.API_PORT || 8000);`,
      "src/routes/index.js": `const router = require("express").Router();
router.use("/users", require("./users"));
router.use("/checkout", require("./checkout"));
module.exports = router;`,
      "src/routes/users.js": `const router = require("express").Router();
router.post("/login", (req, res) => res.json({}));
module.exports = router;`,
      "src/routes/checkout.js": `const express = require("express");
const router = express.Router();
const { handleWebhook } = require("../controllers/checkout");
router.post("/session", require("../controllers/checkout").createSession);
router.post("/webhook", express.raw({ type: "application/json" }), handleWebhook);
module.exports = router;`,
      "src/controllers/checkout.js": `const stripe = require("stripe")(process.env.STRIPE_SECRET_KEY);
const pool = new (require("pg").Pool)({ connectionString: process.env.DATABASE_URL });
exports.createSession = async (req, res) => res.json(await stripe.checkout.sessions.create({}));
exports.handleWebhook = async (req, res) => {
  const endpointSecret = process.env.STRIPE_ENDPOINT_SECRET;
  const event = stripe.webhooks.constructEvent(req.body, req.headers["stripe-signature"], endpointSecret);
  res.sendStatus(200);
};`,
    },
  ],
  [
    "Express in TypeScript with a router class, a prefix constant and a configuration object",
    facts("stripe", "/api/payments/stripe/webhook", "4000", "STRIPE_WHSEC", "npm run start", "$DB_URL"),
    {
      "package.json": npm("express stripe pg", { start: "tsx src/server.ts" }),
      "src/server.ts": `import express from "express";
import { API_PREFIX, config } from "./config";
import { paymentRouter } from "./payments/payment.router";
const app = express();
app.use(\`\${API_PREFIX}/payments\`, paymentRouter);
app.listen(config.port, () => console.log("up"));`,
      "src/config.ts": `export const API_PREFIX = "/api";
export const config = {
  port: Number(process.env.PORT ?? 4000),
  databaseUrl: process.env.DB_URL,
  slack: { signingSecret: process.env.SLACK_ALERTS_SECRET },
  stripe: { apiKey: process.env.STRIPE_API_KEY, webhookSecret: process.env.STRIPE_WHSEC },
};`,
      "src/payments/payment.router.ts": `import { Router, raw } from "express";
import { PaymentController } from "./payment.controller";
const controller = new PaymentController();
export const paymentRouter = Router();
paymentRouter.post("/stripe/webhook", raw({ type: "*/*" }), controller.webhook);`,
      "src/payments/payment.controller.ts": `import { config } from "../config";
export class PaymentController {
  webhook = async (req: Request, res: Response) => {
    const event = stripe.webhooks.constructEvent(req.body, req.headers["stripe-signature"]!, config.stripe.webhookSecret!);
    await new Pool({ connectionString: config.databaseUrl }).query("select 1");
  };
}`,
    },
  ],
  [
    "Express with a middleware that verifies GitHub, beside Stripe's API without webhooks",
    facts("github", "/hooks/github", "5050", "GH_SECRET", "node server.js", "sqlite:data/ci.db"),
    {
      "package.json": npm("express stripe better-sqlite3", { start: "node server.js" }),
      "server.js": `import express from "express";
import { verifyGithub } from "./lib/verify.js";
const hooks = express.Router();
hooks.post("/github", verifyGithub, onPush);
const app = express();
app.use("/hooks", hooks);
app.post("/pay", async (req, res) => res.json(await stripe.paymentIntents.create({})));
const port = process.env.PORT || 5050;
app.listen(port);
const db = new Database("data/ci.db");`,
      "lib/verify.js": `import { createHmac } from "node:crypto";
export function verifyGithub(req, res, next) {
  const expected = "sha256=" + createHmac("sha256", process.env.GH_SECRET).update(req.rawBody).digest("hex");
  if (req.get("X-Hub-Signature-256") !== expected) return res.sendStatus(401);
  next();
}`,
    },
  ],
  [
    "Express with a sender that the package lacks, checked by hand",
    facts(
      "./senders/kassa.yaml",
      "/api/kassa/webhook",
      "3000",
      "KASSA_WEBHOOK_SECRET",
      "node index.js",
      "MongoDB",
    ),
    {
      "package.json": npm("express mongoose", { start: "node index.js" }),
      "index.js": `const express = require("express");
const crypto = require("crypto");
const mongoose = require("mongoose");
mongoose.connect(process.env.MONGODB_URI);
const app = express();
app.post("/api/kassa/webhook", express.json(), (req, res) => {
  const digest = crypto.createHmac("sha256", process.env.KASSA_WEBHOOK_SECRET).update(JSON.stringify(req.body)).digest("hex");
  if (digest !== req.headers["x-kassa-signature"]) return res.status(400).end();
  res.json({ status: "ok" });
});
app.listen(3000);`,
    },
  ],
  [
    "Fastify with plugins that have prefixes, one within the other",
    facts("stripe", "/api/billing/webhook", "3333", "STRIPE_WEBHOOK_SECRET", "npm run dev", "$DATABASE_URL"),
    {
      "package.json": npm("fastify stripe drizzle-orm postgres", { dev: "tsx watch src/server.ts" }),
      "src/server.ts": `import Fastify from "fastify";
import { api } from "./api";
const app = Fastify();
await app.register(api, { prefix: "/api" });
await app.listen({ port: 3333, host: "0.0.0.0" });`,
      "src/api.ts": `import type { FastifyInstance } from "fastify";
import billing from "./billing/routes";
export async function api(app: FastifyInstance) {
  app.register(billing, { prefix: "/billing" });
}`,
      "src/billing/routes.ts": `import { verify } from "./verify";
export default async function (app: FastifyInstance) {
  app.post("/portal", async () => ({}));
  app.route({ method: "POST", url: "/webhook", handler: async (request, reply) => {
    const event = verify(request.rawBody, request.headers["stripe-signature"]);
    return { received: true };
  } });
}`,
      "src/billing/verify.ts": `export const verify = (body, signature) => stripe.webhooks.constructEvent(body, signature, process.env.STRIPE_WEBHOOK_SECRET);`,
      "drizzle.config.ts": `export default { dialect: "postgresql", dbCredentials: { url: process.env.DATABASE_URL! } };`,
    },
  ],
  [
    "Hono with a base path and an app in a file of its own",
    facts("github", "/api/integrations/github", "8787", "GITHUB_APP_WEBHOOK_SECRET", "npm run dev", "D1"),
    {
      "package.json": npm("hono @octokit/webhooks wrangler", { dev: "wrangler dev src/index.ts" }),
      "src/index.ts": `import { Hono } from "hono";
import github from "./github";
const app = new Hono().basePath("/api");
app.route("/integrations", github);
export default app;`,
      "src/github.ts": `import { Webhooks } from "@octokit/webhooks";
import { drizzle } from "drizzle-orm/d1";
const github = new Hono<{ Bindings: Env }>();
github.post("/github", async (c) => {
  const webhooks = new Webhooks({ secret: c.env.GITHUB_APP_WEBHOOK_SECRET });
  await webhooks.verifyAndReceive({ id: c.req.header("x-github-delivery")!, signature: c.req.header("x-hub-signature-256")! });
  return c.json({});
});
export default github;`,
      "drizzle.config.ts": `export default { dialect: "sqlite", driver: "d1-http" };`,
    },
  ],
  [
    "NestJS with a global prefix, and a service that verifies",
    facts("stripe", "/api/webhooks/stripe", "3001", "STRIPE_WEBHOOK_SECRET", "npm run start", "$DB_NAME"),
    {
      "package.json": npm("@nestjs/core @nestjs/typeorm stripe pg", {
        start: "nest start",
        build: "nest build",
      }),
      "src/main.ts": `async function bootstrap() {
  const app = await NestFactory.create(AppModule, { rawBody: true });
  app.setGlobalPrefix("api", { exclude: ["health"] });
  await app.listen(process.env.PORT || 3001);
}`,
      "src/app.module.ts": `@Module({ imports: [TypeOrmModule.forRoot({
  type: "postgres",
  host: process.env.DB_HOST || "localhost",
  port: Number(process.env.DB_PORT) || 5432,
  username: process.env.DB_USER,
  password: process.env.DB_PASSWORD,
  database: process.env.DB_NAME || "shop",
})] })
export class AppModule {}`,
      "src/webhooks/webhooks.controller.ts": `import { StripeService } from "../stripe/stripe.service";
@Controller("webhooks")
export class WebhooksController {
  constructor(private readonly stripeService: StripeService) {}
  @Post("stripe")
  @HttpCode(200)
  async handle(@Headers("stripe-signature") signature: string, @Req() req: RawBodyRequest<Request>) {
    return this.stripeService.handleEvent(req.rawBody, signature);
  }
}`,
      "src/stripe/stripe.service.ts": `@Injectable()
export class StripeService {
  constructor(private config: ConfigService) {}
  async handleEvent(body: Buffer, signature: string) {
    const event = this.stripe.webhooks.constructEvent(body, signature, this.config.get<string>("STRIPE_WEBHOOK_SECRET"));
  }
}`,
    },
  ],
];
