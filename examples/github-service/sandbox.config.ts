import type { SandglassConfig } from "sandglass";

// All settings: node_modules/sandglass/docs/explore-reference.md
export default {
  senders: ["github"],
  subject: {
    sender: "github", // src/webhooks.js:15
    url: "http://127.0.0.1:3000/webhooks/github", // src/webhooks.js:13
    secret: "GITHUB_WEBHOOK_SECRET", // src/webhooks.js:5
    start: "node src/server.js", // package.json
    state: "sqlite:reviews.db", // src/database.js:3
    databaseEnv: ["REVIEWS_FILE"],
    stories: ["pull-request"],
    deviations: 1,
    budget: "5m",
  },
} satisfies SandglassConfig;
