import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { webhooks } from "./webhooks.js";

const app = new Hono();
app.route("/webhooks", webhooks);
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) });
