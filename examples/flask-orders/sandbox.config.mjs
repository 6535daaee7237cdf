// All settings: node_modules/sandglass/docs/explore-reference.md
/** @type {import("sandglass").SandglassConfig} */
export default {
  senders: ["shopify"],
  subject: {
    sender: "shopify", // app.py:34
    url: "http://127.0.0.1:5000/webhooks/shopify", // app.py:30
    secret: "SHOPIFY_API_SECRET", // app.py:12
    start: 'flask --app app.py run --port "$PORT"', // app.py:11
    state: "sqlite:orders.db", // app.py:15
    databaseEnv: ["ORDERS_FILE"],
    deviations: 1,
    budget: "5m",
  },
};
