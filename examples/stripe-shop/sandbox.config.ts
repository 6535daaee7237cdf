import type { SandglassConfig } from "sandglass";

// All settings: node_modules/sandglass/docs/explore-reference.md
export default {
  senders: ["stripe"],
  subject: {
    sender: "stripe", // server.js:34
    url: "http://127.0.0.1:3000/webhooks/stripe", // server.js:10
    secret: "STRIPE_WEBHOOK_SECRET", // server.js:5
    start: "node server.js", // package.json
    state: process.env.DATABASE_URL ?? "postgres://localhost:5432/postgres", // server.js:5
    deviations: 1,
    budget: "5m",
  },
} satisfies SandglassConfig;
