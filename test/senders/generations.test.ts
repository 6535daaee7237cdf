import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { type ExploreOptions, explore } from "../../src/index.ts";
import { readSender } from "../../src/senders/files.ts";
import { ofVersion } from "../../src/senders/generations.ts";
import { otherVersion } from "../../src/senders/installed.ts";
import { mergeOver, REMOVED } from "../../src/webhooks/body-text.ts";
import type { FileSender } from "../../src/webhooks/described.ts";
import { diagnose } from "../../src/webhooks/diagnosis/diagnose.ts";
import { folderOf } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const ACACIA = "2025-02-24.acacia";
const ENDIVE = "2026-10-28.endive";
const OLD = "2024-06-20";

/** A project with a given version of Stripe's package. The code runs in its folder. */
function project(version: string, api: string): string {
  const folder = folderOf();
  const own = join(folder, "node_modules/stripe");
  mkdirSync(join(own, "esm"), { recursive: true });
  writeFileSync(join(own, "package.json"), JSON.stringify({ version }));
  writeFileSync(join(own, "esm/apiVersion.js"), `// Generated\nexport const ApiVersion = '${api}';\n`);
  vi.spyOn(process, "cwd").mockReturnValue(folder);
  return folder;
}

interface Subscription {
  current_period_end?: number;
  items: { data: { current_period_end?: number }[] };
}

interface StripeEvent {
  api_version: string;
  type: string;
  data: { object: Subscription };
}

/**
 * A shop that stores the date until which a subscription is paid, as code written for either generation would read it.
 */
function shop(endOf: (event: StripeEvent) => unknown, answer = 200) {
  let paidUntil: unknown = null;
  const seen: StripeEvent[] = [];
  const options: ExploreOptions = {
    subscriber: async (request) => {
      const event = JSON.parse(await request.text()) as StripeEvent;
      seen.push(event);
      const end = endOf(event);
      if (typeof end !== "number") return { status: 500 };
      paidUntil = end;
      return { status: answer };
    },
    ...{ state: () => ({ paidUntil }), sender: "stripe", deviations: 1 },
    reset: () => {
      paidUntil = null;
    },
    events: "customer.subscription.created",
  };
  return { seen, options };
}

const oldEnd = ({ data }: StripeEvent) => data.object.current_period_end;
const newEnd = ({ data }: StripeEvent) => data.object.items.data[0]?.current_period_end;

test.each([
  ["14.25.0", "2023-10-16", oldEnd],
  ["17.7.0", ACACIA, oldEnd],
  ["18.0.0", "2025-03-31.basil", newEnd],
])(
  "a project with stripe %s gets bodies and an API version that the package can read",
  async (version, api, endOf) => {
    project(version, api);
    const { seen, options } = shop(endOf);
    expect((await explore(options)).verdict).toBe("nothing_found");
    expect(seen[0]!.api_version).toBe(api);
    expect("current_period_end" in seen[0]!.data.object).toBe(endOf === oldEnd);
  },
);

test("subject.version overrides the version of the project's package", async () => {
  project("18.0.0", "2025-03-31.basil");
  const { seen, options } = shop(oldEnd);
  const known = { customer: "cus_Ada", subscription: "sub_Ada" };
  expect((await explore({ ...options, version: OLD, known })).verdict).toBe("nothing_found");
  expect(seen[0]).toMatchObject({
    api_version: OLD,
    data: { object: { id: "sub_Ada", customer: "cus_Ada" } },
  });
});

test.each([
  ["go.mod", "require github.com/stripe/stripe-go/v78 v78.1.0 // indirect\n"],
  ["build.gradle.kts", 'implementation("com.stripe:stripe-java:25.0.0")\n'],
])("the SDK version in %s selects the API version and the bodies", async (manifest, text) => {
  const folder = folderOf({ [manifest]: text });
  const go = join(folder, "mod/github.com/stripe/stripe-go/v78@v78.1.0");
  const jar = join(folder, "gradle/caches/modules-2/files-2.1/com.stripe/stripe-java/25.0.0/0a1b2c3d");
  for (const one of [go, jar]) mkdirSync(one, { recursive: true });
  writeFileSync(join(go, "api_version.go"), `package stripe\n\nconst (\n\tAPIVersion string = "${OLD}"\n)\n`);
  writeFileSync(
    join(jar, "stripe-java-25.0.0.jar"),
    zipOf({ "META-INF/MANIFEST.MF": "", "com/stripe/ApiVersion.class": `\u0000\u0001${OLD}\u0001` }),
  );
  vi.stubEnv("GOMODCACHE", join(folder, "mod"));
  vi.stubEnv("GRADLE_USER_HOME", join(folder, "gradle"));
  const body = JSON.parse(ofVersion(await readSender("stripe"), undefined, folder).example("invoice.paid"));
  expect(body).toMatchObject({ api_version: OLD, data: { object: { paid: true } } });
});

/** A ZIP archive as tools create it, with only the fields that a reader needs. */
function zipOf(files: Record<string, string>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const data = deflateRawSync(Buffer.from(text, "latin1"));
    const header = Buffer.alloc(30);
    header.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(data.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    parts.push(header, Buffer.from(name), data);
    directory.push(entry, Buffer.from(name));
    at += header.length + name.length + data.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

test("older generations identify objects without a kind by the ids in the examples", async () => {
  const folder = folderOf();
  mkdirSync(join(folder, "node_modules/@polar-sh/sdk"), { recursive: true });
  writeFileSync(join(folder, "node_modules/@polar-sh/sdk/package.json"), '{"version":"0.42.5"}');
  const order = (sender: FileSender) => JSON.parse(sender.example("order.paid")).data;
  const newest = await readSender("polar");
  const older = order(ofVersion(newest, undefined, folder));
  expect(older).toEqual({ ...order(newest), user_id: older.customer_id, product: expect.anything() });
  expect(JSON.parse(ofVersion(newest, undefined, folder).example("product.updated")).data).toMatchObject({
    prices: [{ type: "recurring", recurring_interval: "month" }],
  });
});

test("API responses and stories use the same generation as events", async () => {
  project("17.7.0", ACACIA);
  const { control, url } = await startSandbox({ senders: ["stripe"], subject: { sender: "stripe" } });
  const { body } = await control("POST", "/senders/stripe/stories/card-replaced");
  expect(JSON.stringify(body)).not.toContain("subscription_item_details");
  const { body: sent } = await control("POST", "/senders/stripe/events", { type: "invoice.paid" });
  const { data, api_version } = sent.body;
  expect(api_version).toBe(ACACIA);
  const { id, subscription } = data.object;
  expect(data.object).toMatchObject({ paid: true, payment_intent: expect.stringMatching(/^pi_/) });
  const read = (path: string) =>
    fetch(`${url}/senders/stripe/v1/${path}`).then(
      (answer) => answer.json() as Promise<Record<string, unknown>>,
    );
  const invoice = await read(`invoices/${id}`);
  expect(invoice).toMatchObject({ paid: true, subscription });
  expect(invoice.parent).toBeUndefined();
  await control("POST", "/senders/stripe/events", { type: "customer.subscription.created" });
  expect(await read(`subscriptions/${subscription}`)).toMatchObject({ current_period_end: 1739610000 });
});

const refusal = (version: string) =>
  `Received event with API version ${version}, but stripe-go 82.0.1 expects API version 2025-04-30.basil.`;

test("the diagnosis reports the version if the server's response rejects it", async () => {
  const subscriber = () => new Response(refusal(ENDIVE), { status: 400 });
  await expect(explore({ ...shop(newEnd).options, subscriber })).rejects.toMatchObject({
    hint: expect.stringContaining(
      `According to its response, it rejects the API version ${ENDIVE}. Set subject.version in the configuration to 2025-04-30.basil, or`,
    ),
  });
});

test("the diagnosis ignores a version in a response that only repeats the event or names another version", async () => {
  const sender = await readSender("stripe");
  const body = sender.example("invoice.paid");
  const ids = { eventId: "evt_1", endpointId: "we_1", deliveryId: "dlv_1" };
  const message = { ...ids, type: "invoice.paid", body, url: "http://127.0.0.1/", secret: "whsec_1", at: 0 };
  for (const words of [body, `API version: ${ENDIVE}`, refusal(OLD)]) {
    const refused = {
      sender,
      message: { ...message, test: false },
      words,
      secrets: [],
      others: [],
      atNow: "",
    };
    const { cause } = await diagnose(refused, async () => ({ responseCode: 400 }));
    expect(cause).not.toMatch(/API version/);
  }
});

test("check warns about a package version only if it has no bodies for that version", async () => {
  const notes = async (version: string) => {
    const folder = project(version, OLD);
    return otherVersion(ofVersion(await readSender("stripe"), undefined, folder), folder);
  };
  expect(await notes("16.1.0")).toBeUndefined();
  expect(await notes("20.0.0")).toBeUndefined();
  expect(await notes("24.0.0")).toMatch(
    /^Your stripe is 24\.0\.0, but .* match stripe 18 to 23, so fields may differ/,
  );
  expect(await notes("12.0.0")).toMatch(/ match stripe 14 to 17, so fields may differ/);
});

test("a custom sender's file can define generations, and specifying a version without any is an error", async () => {
  const file = (generations: string) =>
    join(
      folderOf({
        "acme.yaml": `
name: acme
version: "3"
${generations}
events:
  order.paid: { body: '{"type":"order.paid", "order": {"object":"order","total":{"amount":1.10},"old":0}, "gone": 1}' }
type: body.type
signature: { header: "Acme: {signature}" }
`,
      }),
      "acme.yaml",
    );
  const own = file(`generations:
  - { version: "2.10", with: { order: { amount: "{total.amount}" } }, without: { order: [total, old, none.at] } }
  - { version: "2.9", events: { order.paid: { old: true } } }`);
  const bodyOf = async (version: string) => ofVersion(await readSender(own), version).example("order.paid");
  expect(await bodyOf("3")).toContain('"total":{"amount":1.10}');
  expect(await bodyOf("2.10")).toBe(
    '{"type":"order.paid", "order": {"object":"order","amount":1.1}, "gone": 1}',
  );
  expect(JSON.parse(await bodyOf("2.9"))).toMatchObject({ old: true, order: { total: { amount: 1.1 } } });
  await expect(
    readSender(file('generations: [{ version: "2", events: { order.paidd: {} } }]')),
  ).rejects.toThrow("generations[0].events.order.paidd");
  const plain = await readSender(file(""));
  expect(() => ofVersion(plain, "2")).toThrow("acme's sender file has only one API version");
});

test("removing and adding fields of a body leaves valid JSON with all other fields unchanged", () => {
  const names = fc.constantFrom("a", "b", "c", "d", "e");
  const object = fc.dictionary(names, fc.oneof(fc.integer(), fc.constant("}"), fc.constant([1, { a: 2 }])));
  const spaces = fc.constantFrom(0, 2);
  fc.assert(
    fc.property(
      object,
      fc.uniqueArray(names),
      fc.dictionary(names, fc.integer()),
      spaces,
      (body, out, more, indent) => {
        const data = { ...more, ...Object.fromEntries(out.map((name) => [name, REMOVED])) };
        const expected = { ...body, ...more };
        for (const name of out) delete expected[name];
        expect(JSON.parse(mergeOver(JSON.stringify(body, null, indent), data))).toEqual(expected);
      },
    ),
  );
});
