/** What `sandglass init` writes. Its import is of types alone, so that it loads without an installed package. */
export const CONFIG_TEMPLATE = `import type { SandglassConfig } from "sandglass";

// Every field is optional. What is commented out here is the default.
// Durations are written like 500ms, 30s, 10m, 1h30m, 2d, PT1H, or in milliseconds.
export default {
  // Port to serve on; 0 picks a free one.
  // port: 4400,

  // Address to bind. The control API answers this machine only, whatever this says.
  // host: "127.0.0.1",

  // Seeds data and chance: the same seed and the same calls give the same bytes.
  // "empty" makes organizations, API keys and games, and nothing else.
  // seed: "sandglass",

  // Virtual time at the start, ISO 8601, or "now".
  // startAt: "2026-01-15T09:00:00Z",

  // live runs with real time, scaled at \`rate\` virtual seconds in a real one; paused waits for an advance.
  // clock: { mode: "live", rate: 1 },

  // A folder that keeps the world when the sandbox ends. Without it everything is in memory.
  // dataDir: "./sandbox-data",

  // Real time that a request to your server gets while the clock is advanced or stands still.
  // settleTimeout: "5s",

  // Host names beside localhost by which the control API may be called: a compose service, say.
  // allowedHosts: [],

  // The folder of your scenarios.
  // scenarios: "scenarios",

  // Ports of their own for areas, for clients that take only a host.
  // ports: { platform: 4401, data: 4402, game: 4403 },

  payments: {
    // API calls in a minute for each key, or "off".
    // rateLimit: 120,

    // Virtual time from a payment to its confirmation.
    // confirmationDelay: 0,
  },

  webhooks: {
    // Hosts beside localhost that webhooks may reach by plain http.
    // allowHttpHosts: [],

    // Whether deliveries may leave this machine.
    // allowExternal: false,

    // The signing secret of every endpoint that is made; each gets one of its own without it.
    // secret: "whsec_the_one_my_server_knows",

    // Prefix of the headers of a delivery.
    // headerPrefix: "X-Platform-",

    // Whether each attempt has a delivery id of its own, or all attempts of an event share one: "event".
    // deliveryId: "attempt",

    // Delays between the attempts of a delivery.
    // retryDelays: ["1m", "10m", "1h"],

    // How long your server may take to answer.
    // timeout: "30s",

    // When an endpoint is disabled: after so many failed attempts in a row, or after so many events
    // whose attempts are all used up: "exhausted".
    // disableAfter: { consecutive: 10, count: "attempts" },
  },

  chainData: {
    // Chains that are asked when a request names none, in the order of fallback.
    // chains: [1, 8453, 10, 42161, 137, 56, 43114, 100, 42220, 59144, 130, 34443],

    // Rows in a page of an address's tokens, 1 to 100.
    // pageSize: 50,

    // Whether "usdc" finds USDC; "exact" otherwise.
    // symbols: "any-case",

    // What an address holds that no recording knows: nothing, or coins drawn from the seed: "generate".
    // unknownAddresses: "empty",

    // How long a provider may take.
    // timeout: "10s",

    // How long an answer is fresh on the virtual clock, with rows and without.
    // cache: { ttl: "24h", emptyTtl: "5m" },

    // Files and folders of nock recordings, looked at before the built-in ones.
    // recordings: [],

    // Real upstreams in place of recordings: {chain} is a chain's id.
    // upstream: { explorer: "https://{chain}.explorer.example/api/v2", indexer: "https://indexer.example" },
  },

  game: {
    // Games of your own, before the built-in ones: the id that your game sends, and the secret it signs with.
    // games: [{ slug: "my-game", name: "My Game", id: "my-game-id", secret: "a secret of my own" }],

    // Whether requests have to be signed: true, a list of games, or "off", "optional" or "required" for each.
    // requireSignature: false,

    // What triggers do, in place of the built-in rules. Actions: activity, score, message, item, notification, payment.
    // rules: [
    //   {
    //     name: "boss reward",
    //     when: "boss-defeated",
    //     if: { value: { gte: 100 } },
    //     then: [{ item: { name: "Trophy" } }, { activity: { displayText: "{username} won {value} points" } }],
    //   },
    // ],
  },
} satisfies SandglassConfig;
`;

/** The scenario that `sandglass init` writes. */
export const SCENARIO_TEMPLATE = `import { defineScenario } from "sandglass";

// Run it: npx sandglass run first-payment
export default defineScenario({
  name: "first-payment",
  title: "A payment is announced, also when the first attempt fails",
  // An empty world has what the story makes, and nothing else. Without this line: 120 days of history.
  seed: "empty",
  params: { failures: { default: 1, description: "attempts that fail" } },
  async run({ sandbox, step, expect, params }) {
    const { id } = await step("A shop sells coffee, and takes webhooks", async () => {
      await sandbox.payments.createLink({ name: "Coffee", short_code: "coffee", amount: "4000000" });
      return sandbox.webhooks.create({ url: sandbox.inbox("shop").url, events: ["payment.completed"] });
    });

    await step("Somebody pays while the shop is down", async () => {
      await sandbox.webhooks.fail(id, { kind: "status", status: 503, times: params.failures });
      await sandbox.payments.pay("coffee", { client_reference_id: "order-7" });
    });

    await step("Two hours later it has the event, once", async () => {
      await sandbox.clock.advance("2h");
      const messages = await sandbox.inbox("shop").messages();
      expect(messages.map((message) => JSON.parse(message.body).event)).toEqual(["payment.completed"]);
    });
  },
});
`;
