import { CONFIG } from "../config/description.ts";
import { defaultOf, literal } from "../schema/explain.ts";
import type { Schema } from "../schema/schema.ts";

/** Every field with its description, commented out: with an example if it has one, else with its default. */
function explain({ properties = {} }: Schema): string {
  const fields = Object.entries(properties).map(([name, field]) => {
    if (field.properties) return `${name}: {\n${indent(explain(field))}},\n`;
    const about = field.examples ? `${field.description} Default: ${defaultOf(field)}.` : field.description!;
    const lines = `${name}: ${literal(field.examples?.[0] ?? field.default)},`.split("\n");
    return [...wrap(about), ...lines].map((line) => `// ${line}\n`).join("");
  });
  return fields.join("\n");
}

const wrap = (text: string): string[] => text.match(/\S.{0,99}(?= |$)/g)!;
const indent = (text: string): string => text.replace(/^(?=.)/gm, "  ");

const { $schema: _, ...properties } = CONFIG.properties;

/** What `sandglass init` writes. It imports only types, so that it loads without an installed package. */
export const CONFIG_TEMPLATE = `import type { SandglassConfig } from "sandglass";

// Every field is optional. What is commented out is the default, or an example where the comment names the default.
// Durations are written like 500ms, 30s, 10m, 1h30m, 2d, PT1H, or in milliseconds.
export default {
${indent(explain({ properties }))}} satisfies SandglassConfig;
`;

/** The scenario that `sandglass init` writes. */
export const SCENARIO_TEMPLATE = `import { defineScenario } from "sandglass";

// Run it: npx sandglass run first-payment
export default defineScenario({
  name: "first-payment",
  title: "A payment is announced even if the first attempt fails",
  // An empty world has only what the story creates. Without this line, it has 120 days of history.
  seed: "empty",
  params: { failures: { default: 1, description: "attempts that fail" } },
  async run({ sandbox, step, expect, params }) {
    const { id } = await step("A shop sells coffee and subscribes to payments", async () => {
      await sandbox.payments.createLink({ name: "Coffee", short_code: "coffee", amount: "4000000" });
      return sandbox.webhooks.create({ url: sandbox.inbox("shop").url, events: ["payment.completed"] });
    });

    await step("A customer pays while the shop is down", async () => {
      await sandbox.webhooks.fail(id, { kind: "status", status: 503, times: params.failures });
      await sandbox.payments.pay("coffee", { client_reference_id: "order-7" });
    });

    await step("Two hours later the shop has received the event once", async () => {
      await sandbox.clock.advance("2h");
      const messages = await sandbox.inbox("shop").messages();
      expect(messages.map((message) => JSON.parse(message.body).event)).toEqual(["payment.completed"]);
    });
  },
});
`;
