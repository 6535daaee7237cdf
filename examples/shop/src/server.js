import { createShop } from "./shop.js";

const { env } = process;

const { app } = createShop({
  database: env.SHOP_DATABASE ?? "shop.db",
  platform: {
    url: env.SANDGLASS_PLATFORM_URL ?? "http://127.0.0.1:4400/platform",
    key: env.SANDGLASS_API_KEY ?? "sk_sandbox_write",
  },
  secret: env.SANDGLASS_WEBHOOK_SECRET ?? "whsec_dev",
  sendMail: async (address, text) => console.log(`To ${address}: ${text}`),
});

const server = app.listen(Number(env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`The shop is open at http://127.0.0.1:${server.address().port}`);
});
