import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { senderSchema, withSenderTable } from "../../build/config-files.ts";
import { inPackage } from "../../src/runtime/package.ts";
import { readSender, readSenders, shippedSenders } from "../../src/senders/files.ts";
import { idLike } from "../../src/webhooks/example.ts";
import { folderOf } from "../support/cli.ts";

const VALID = `
name: acme
events: { order.paid: { body: { id: ord_1, type: order.paid } } }
signature: { header: "Acme-Signature: {signature}" }
`;

const read = (name: string, text: string, others: Record<string, string> = {}) =>
  readSender(`./${name}`, folderOf({ [name]: text, ...others }));

const BODY = "{ body: { id: ord_1, type: order.paid } }";

/**
 * For each case: what is added to or changed in a valid file, where the mistake is, how it is described, and the hint.
 */
const MISTAKES: [change: string | [from: string | RegExp, to: string], says: string, hint?: string][] = [
  [
    ["{signature}", '{signature}", algoritm: "none'],
    "no field signature.algoritm",
    "Did you mean algorithm?",
  ],
  ["retrys: {}", "there is no field retrys", "Did you mean retries?"],
  [
    ["{ id: ord_1, type: order.paid }", "5"],
    "events.order.paid.body must be an object or a list or a non-empty string",
  ],
  [['signature}"', 'signature}", algorithm: md5'], "signature.algorithm must be one of hmac-sha256"],
  [[/signature: .*\n/, ""], "signature.header is required: a header", "Add it."],
  ["id: body.idd", "id must be a field of an example body", "Did you mean body.id?"],
  ["about: [body.ordr]", "about[0] must be a field of an example body"],
  ["type: header.X-Acme-Event", "type must be a header that the sender sends"],
  [
    ['signature}"', 'signature}", over: "{tme}"'],
    "signature.over must be a string with",
    "Did you mean {time}?",
  ],
  [["{signature}", "{sig}"], "signature.header must be a string with the placeholders"],
  ["stories: { sale: [order.pad] }", 'sale[0] must be an event type, not "order.pad"', "mean order.paid?"],
  [
    "stories: { sale: [{ type: order.paid, second: [order] }] }",
    'sale[0].second must be a kind with two examples in kinds, not "order"',
  ],
  ["timeout: soon", "timeout must be a duration such as 30s"],
  [[": {signature}", ""], "signature.header must be a header with its value"],
  ["disable: { failing: 5d }", "disable must be never, { failures: 8 } or { failing-for: 5d }"],
  ["assumed: [retries.delay]", "assumed[0] must be a field of the file", "Did you mean retries.delays?"],
  ["retries: { every: 1h }", "retries.for is required: a duration such as 3d, with retries.every"],
  [[BODY, "paid.json"], "events.order.paid must be a JSON file"],
  [[/events: .*\n/, "events: {}\n"], "events must be an object with at least one type"],
  [["acme", "platform"], "name must be a name other than platform"],
  ["  - x", "is not valid YAML"],
  [[BODY, "../../etc/hosts"], "events.order.paid must be a JSON file next to the sender's file"],
  ['headers: { X-Acme: "a\\r\\nX-Admin: 1" }', "headers.X-Acme must be a header's value: one line"],
  ['headers: { X-Acme: "5 €" }', "headers.X-Acme must be a header's value"],
  ['headers: { "X Acme": "5" }', "headers must be at most 50 headers whose names"],
  [["{signature}", "{signature}\\n"], "signature.header must be a header with its value"],
  [
    ["order.paid: {", 'order.€: { body: { id: ord_1 } } }\nheaders: { X-Acme: "{type}" }\n#'],
    "events.order.€ must be an event whose type and id fit in a header",
  ],
  ["success: 600", "success must be a whole number from 100 to 599, not 600"],
  ["gone: 600", "gone must be a whole number from 100 to 599"],
  ["disable: { failures: 1001 }", "disable.failures must be a whole number from 1 to 1000"],
  ["retries: { every: 1h, for: 1d, jitter: 1.1 }", "retries.jitter must be a number from 0 to 1, not 1.1"],
  [
    "retries: { every: 1ms, for: 3650d }",
    'retries.every must be at least a 1,000th of retries.for, not "1ms"',
  ],
];

test.each(MISTAKES)(
  "the sandbox rejects a mistake in a sender's file and says where it is: %j",
  async (change, says, hint = "") => {
    const text = typeof change === "string" ? VALID + change : VALID.replace(...(change as [string, string]));
    await expect(read("acme.yaml", text)).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining(says),
      hint: expect.stringContaining(hint),
    });
  },
);

test("the sandbox lists all mistakes in a sender's file at once", async () => {
  await expect(read("acme.yaml", `${VALID}timeout: x\nunit: weeks\nsucces: 200`)).rejects.toMatchObject({
    message: expect.stringMatching(/^acme\.yaml has 3 errors:/),
  });
});

test("a sender's file works the same in YAML, JSON and TypeScript, and a body may be a separate file", async () => {
  const body = { "paid.json": '{"id":"ord_1","type":"order.paid"}' };
  const yaml = await read("acme.yaml", VALID.replace(BODY, "paid.json"), body);
  const json = await read("acme.json", JSON.stringify(parse(VALID)));
  const typescript = await read("acme.ts", `export default ${JSON.stringify(parse(VALID))} as const;`);
  expect(json.facts).toEqual(yaml.facts);
  expect(typescript.facts).toEqual(yaml.facts);
});

test("a sender's module can sign with its own algorithm", async () => {
  const sign = "({ body }, secret) => secret + body.length";
  const written = JSON.stringify(parse(VALID)).replace(/}$/, `, sign: ${sign} }`);
  const sender = await read("acme.ts", `export default ${written};`);
  const body = '{"id":"ord_1"}';
  const headers = sender.headers({
    eventId: "evt_1",
    type: "order.paid",
    body,
    endpointId: "wh_1",
    deliveryId: "del_1",
    url: "http://127.0.0.1/",
    secret: "key",
    at: 0,
    test: false,
  });
  expect(headers["Acme-Signature"]).toBe("key14");
  expect(sender.verify({ headers, body, url: "" }, "key")).toBe("valid");
  expect(sender.verify({ headers, body: `${body} `, url: "" }, "key")).toBe("invalid");
});

test("the sandbox reads a body from a subfolder, and rejects a link that points outside the folder", async () => {
  const folder = folderOf({ "secret.json": '{"key": 1}' });
  mkdirSync(join(folder, "senders/bodies"), { recursive: true });
  symlinkSync(join(folder, "secret.json"), join(folder, "senders/link.json"));
  writeFileSync(join(folder, "senders/bodies/paid.json"), '{"id":"ord_1","type":"order.paid"}');
  const readWith = (body: string) => {
    const text = VALID.replace(BODY, body);
    writeFileSync(join(folder, "senders/acme.yaml"), text);
    return readSender("./senders/acme.yaml", folder);
  };
  await expect(readWith("link.json")).rejects.toMatchObject({
    message: expect.stringContaining("not a link to a file outside that folder"),
  });
  expect((await readWith("bodies/paid.json")).example("order.paid")).toContain("ord_1");
});

test("the sandbox rejects two senders with the same name, and an unknown sender", async () => {
  const folder = folderOf({ "a.yaml": VALID, "b.yaml": VALID });
  await expect(readSenders(["./a.yaml", "./b.yaml"], folder)).rejects.toMatchObject({
    code: "invalid_config",
  });
  await expect(readSenders(["./c.yaml"], folder)).rejects.toMatchObject({ code: "not_found" });
  await expect(readSender("githb")).rejects.toMatchObject({
    hint: expect.stringContaining("Did you mean github?"),
  });
});

test("the JSON Schema accepts every shipped sender and the guide's file, and rejects an unknown field", () => {
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: true });
  ajv.addFormat("duration", true);
  const validate = ajv.compile(senderSchema());
  const page = readFileSync(inPackage("docs/guide/own-sender.md"), "utf8");
  const guide = /```yaml\n([\s\S]*?)```/.exec(page)![1]!;
  const files = shippedSenders().map((name) =>
    readFileSync(inPackage(`fixtures/senders/${name}.yaml`), "utf8"),
  );
  for (const text of [...files, guide])
    expect(validate(parse(text)), JSON.stringify(validate.errors)).toBe(true);
  expect(validate({ ...parse(guide), retrys: {} })).toBe(false);
});

test("the table of fields in the documentation matches the schema", () => {
  const page = readFileSync(inPackage("docs/sender-fields.md"), "utf8");
  expect(withSenderTable(page), "run: npm run api").toBe(page);
});

test("a sender's file can define which responses succeed and which end the retries", async () => {
  const { policy } = await read(
    "acme.yaml",
    `${VALID}success: 200\nretries: { every: 20h, for: 3d }\ntimeout: 5s`,
  );
  expect([199, 200, 201, 299].filter(policy.succeeds)).toEqual([200]);
  expect(policy).toMatchObject({ retryDelays: Array(3).fill(20 * 3_600_000), timeout: 5_000 });
  const { policy: usual } = await read("acme.yaml", VALID);
  expect([199, 200, 299, 300].filter(usual.succeeds)).toEqual([200, 299]);
  expect(usual).toMatchObject({ retryDelays: [], disableAfter: { consecutive: null } });
});

test("a short example still produces a hundred different ids for a hundred events", () => {
  for (const isString of [true, false]) {
    const ids = Array.from({ length: 100 }, (_, index) => idLike("7", String(index), isString));
    expect(new Set(ids).size).toBe(100);
    expect(ids.some((id) => id.startsWith("0"))).toBe(isString);
  }
});

test("each event gets a new id that looks like the example's", () => {
  const form = (id: string) => id.replace(/\d/g, "0").replace(/[a-z]/g, "a").replace(/[A-Z]/g, "A");
  fc.assert(
    fc.property(
      fc.constantFrom(
        "evt_1QabcD2eZvKYlo2C0Example",
        "Ev123ABC456",
        "ord_20260115-1",
        "73464126000000000000",
      ),
      fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 2 }),
      (example, [one, other]) => {
        expect(form(idLike(example, one!))).toBe(form(example));
        expect(idLike(example, one!)).toBe(idLike(example, one!));
        expect(idLike("00000000-0000-0000-0000-000000000000", one!)).toMatch(
          /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
        );
        expect(idLike("evt_1QabcD2eZvKYlo2C0Example", one!)).not.toBe(
          idLike("evt_1QabcD2eZvKYlo2C0Example", other!),
        );
      },
    ),
  );
});
