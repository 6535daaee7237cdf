import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { configSchema, withConfigTable } from "../../build/config-files.ts";
import { resolveConfig } from "../../src/config/config.ts";
import type { SandglassConfig } from "../../src/library/config.ts";
import { FORMATS } from "../../src/schema/formats.ts";
import { DEFAULT_POLICY } from "../../src/webhooks/policy.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

describe("the description of the configuration", () => {
  test("the configuration table in the guide is up to date", () => {
    const page = read("docs/guide/configuration.md");
    expect(withConfigTable(page), "run: npm run api").toBe(page);
  });

  test("the default webhook policy matches the policy of the seeded history", () => {
    expect(resolveConfig({}, 0).webhooks).toMatchObject(DEFAULT_POLICY);
  });
});

describe("the JSON Schema of the configuration", () => {
  test("the package contains the configuration's JSON Schema at the path in the guide", () => {
    const [path] = /dist\/.*\.json/.exec(read("docs/guide/configuration.md"))!;
    expect(JSON.parse(read(path))).toEqual(JSON.parse(JSON.stringify(configSchema())));
  });

  const formats = Object.entries(FORMATS).map(([name, format]) => [
    name,
    (value: unknown) => format.read(value) !== undefined,
  ]);
  const ajv = new Ajv({ strict: false, formats: Object.fromEntries(formats) });
  const fits = ajv.compile(configSchema());
  const rule = { name: "r", when: "x", then: [{ item: { name: "Trophy", quantity: "value" } }] };

  test.each<[config: object]>([
    [{}],
    [{ $schema: "./sandbox.config.schema.json", port: 0, clock: { mode: "scaled", rate: 60 } }],
    [{ payments: { rateLimit: "off", confirmationDelay: 500 }, webhooks: { retryDelays: ["5s", 1] } }],
    [{ chainData: { upstream: { explorer: "https://{chain}.example", headers: { key: "x" } } } }],
    [{ game: { games: [{ slug: "a", name: "A" }], requireSignature: { a: "off" }, rules: [rule] } }],
    [{ subject: { url: "localhost:3000", secret: "STRIPE_WEBHOOK_SECRET", at: "now", budget: "5m" } }],
  ])("the configuration's JSON Schema accepts a configuration that a sandbox accepts: %j", (config) => {
    expect(fits(config), JSON.stringify(fits.errors)).toBe(true);
    resolveConfig(config, 0);
  });

  test.each<[config: object]>([
    [{ prot: 4400 }],
    [{ port: 70_000 }],
    [{ startAt: "soon" }],
    [{ clock: { rate: 0 } }],
    [{ payments: { rateLimit: 0 } }],
    [{ webhooks: { headerPrefix: "a b", disableAfter: { count: "all" } } }],
    [{ chainData: { chains: [1, 1] } }],
    [{ chainData: { upstream: { headers: { "a b": "x" } } } }],
    [{ game: { games: [{ slug: "a" }] } }],
    [{ subject: { secret: "whsec_test" } }],
    [{ subject: { deviations: 10 } }],
    [{ game: { requireSignature: "yes" } }],
    [{ game: { rules: [{ ...rule, then: [{ dance: {} }] }] } }],
    [{ game: { rules: [{ ...rule, if: { value: { gte: "5" } } }] } }],
  ])("the configuration's JSON Schema rejects a configuration that a sandbox rejects: %j", (config) => {
    expect(fits(config)).toBe(false);
    expect(() => resolveConfig(config, 0)).toThrow(/the configuration/);
  });
});

test("an unknown field of the configuration is rejected with a suggestion", () => {
  const config = { webhooks: { retryDelay: ["1m"] } } as SandglassConfig;
  expect(() => resolveConfig(config, 0)).toThrow(
    expect.objectContaining({
      message: "the configuration: there is no field webhooks.retryDelay.",
      hint: expect.stringMatching(
        /^Did you mean retryDelays\? Valid names: allowExternal, allowHttpHosts, .*retryDelays/,
      ),
    }),
  );
  expect(() => resolveConfig({ sede: "monday" } as SandglassConfig, 0)).toThrow(
    expect.objectContaining({
      hint: expect.stringMatching(/^Did you mean seed\? Valid names: \$schema, allowedHosts, .* seed, /),
    }),
  );
});

test("a configuration section that is not an object is reported as one error", () => {
  const config = { clock: [], chainData: 5, game: "x" } as unknown as SandglassConfig;
  expect(() => resolveConfig(config, 0)).toThrow(
    [
      "the configuration has 3 errors:",
      "- clock must be an object, not [].",
      "- chainData must be an object, not 5.",
      '- game must be an object, not "x".',
    ].join("\n"),
  );
});

test("an error in a configuration list identifies the item", () => {
  const config = {
    webhooks: { retryDelays: ["1m", "soon"] },
    allowedHosts: [1],
  } as unknown as SandglassConfig;
  expect(() => resolveConfig(config, 0)).toThrow(
    [
      "the configuration has 2 errors:",
      "- allowedHosts[0] must be a non-empty string, not 1.",
      '- webhooks.retryDelays[1] must be a duration such as 30s, 10m or 1h30m, not "soon".',
    ].join("\n"),
  );
});

test("a secret given instead of its variable's name is rejected without being printed", () => {
  expect(() => resolveConfig({ subject: { secret: "whsec_real" } }, 0)).toThrow(
    expect.objectContaining({
      message:
        'the configuration: subject.secret must be the upper-case name of an environment variable, not the secret itself, not "…".',
    }),
  );
});
