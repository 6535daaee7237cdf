import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { check, type ExploreOptions, explore, type Known } from "../../src/index.ts";
import { storiesOf } from "../../src/senders/event-list.ts";
import { readAllShipped } from "../../src/senders/files.ts";
import { knowing } from "../../src/senders/known.ts";
import { parseBody } from "../../src/webhooks/body-text.ts";
import { maskKnown, resolveKnown } from "../../src/webhooks/known.ts";
import { startReceiver } from "../check/support/start.ts";
import { folderOf } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";
import { type Session, shop } from "./known.ts";

const KNOWN = {
  customer: "cus_Ada",
  email: "ada@shop.example",
  price: ["price_Pro", "price_Max"],
  metadata: { userId: "42" },
  "checkout.session": { client_reference_id: "cart-7" },
};
const EXAMPLES = ["cus_RaXg1o8vlGDgPx", "jenny@example.com", "price_1QhLfmB7WZ01zgkW6dKueIc5", "order_1"];

const ofShop = ({ subscriber, state, reset }: ReturnType<typeof shop>, more: Partial<ExploreOptions> = {}) =>
  explore({ ...{ subscriber, state, reset, sender: "stripe", deviations: 1, known: KNOWN }, ...more });

test("explore finds a bug in a handler that accepts only known customers, and saves names instead of values", async () => {
  const server = shop();
  const { verdict, failure } = await ofShop(server, { events: "checkout.session.completed" });
  expect(verdict).toBe("found");
  expect(server.seen[0]).toMatchObject({
    customer: "cus_Ada",
    client_reference_id: "cart-7",
    metadata: { userId: "42", order_id: "order_1" },
  });
  expect(failure!.finding!.expect).toMatchObject({ 'byEmail["$known.email"]': 10 });
  expect(failure!.file).not.toMatch(/cus_Ada|ada@shop/);
});

test("explore replaces $known values in the events of a file", async () => {
  const server = shop();
  const events = join(folderOf(), "events.yaml");
  const data = {
    data: { object: { customer: "$known.customer", client_reference_id: "for $known.price.2" } },
  };
  writeFileSync(events, JSON.stringify([{ type: "checkout.session.completed", data }]));
  const { failure } = await ofShop(server, { events });
  expect(server.seen[0]).toMatchObject({ customer: "cus_Ada", client_reference_id: "for price_Max" });
  expect(JSON.stringify(failure!.finding!.events)).toContain("for $known.price.2");
  await expect(ofShop(server, { events, known: {} })).rejects.toMatchObject({
    code: "bad_request",
    message: "$known.customer has no value.",
  });
});

test.each([
  [{ custommer: "cus_1" }, /stripe has no object kind custommer/, /Did you mean customer\?/],
  [
    { "email.name": "Ada" },
    /None of stripe's example events contains an object of the kind email/,
    /leave email/,
  ],
  [{ customer: null }, /customer in known must be a string or a number/, /cus_123/],
])("explore rejects known values that the sender's file cannot use: %j", async (known, message, hint) => {
  const asked = ofShop(shop(), { known: known as unknown as Known });
  await expect(asked).rejects.toMatchObject({
    code: "bad_request",
    message: expect.stringMatching(message),
    hint: expect.stringMatching(hint),
  });
});

test("a world uses known values in its events, stories and API responses", async () => {
  const { control, api } = await startSandbox({
    senders: ["stripe"],
    subject: { sender: "stripe", known: KNOWN },
  }).then((sandbox) => ({
    control: sandbox.control,
    api: (path: string) => fetch(`${sandbox.url}/senders/stripe${path}`).then((answer) => answer.json()),
  }));
  const { body: sent } = await control("POST", "/senders/stripe/events", {
    type: "checkout.session.completed",
  });
  expect(sent.body.data.object).toMatchObject({ customer: "cus_Ada", metadata: { userId: "42" } });
  expect(await api("/v1/customers/cus_Ada")).toMatchObject({
    email: KNOWN.email,
    metadata: { userId: "42" },
  });
  const { body: story } = await control("POST", "/senders/stripe/stories/checkout");
  for (const example of EXAMPLES.slice(0, 3)) expect(JSON.stringify(story)).not.toContain(example);
  const { body: other } = await control("POST", "/senders/stripe/events", {
    ...{ type: "invoice.paid", known: { customer: "cus_Bob" } },
  });
  expect(other.body.data.object).toMatchObject({ customer: "cus_Bob", metadata: { userId: "42" } });
  expect(await api("/v1/customers/cus_Bob")).toMatchObject({ id: "cus_Bob", email: KNOWN.email });
});

test("check uses only the known object, unless a second one is known", async () => {
  const seen: Session[] = [];
  const { url } = await startReceiver(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    if (body.startsWith("{")) seen.push(JSON.parse(body).data.object);
    response.writeHead(200).end();
  });
  const trying = (client_reference_id: string | string[]) =>
    check({
      ...{ subscriber: url, sender: "stripe", secret: "whsec_test", only: ["other-events"] },
      ...{ events: "checkout.session.completed,checkout.session.expired" },
      known: { "checkout.session": { client_reference_id } },
    }).then(({ hazards }) => hazards.find(({ name }) => name === "other-events")!);
  expect((await trying("cart-7")).verdict).toBe("pass");
  expect(seen.length).toBeGreaterThan(1);
  expect(new Set(seen.map((one) => one.client_reference_id))).toEqual(new Set(["cart-7"]));
  expect((await trying(["cart-7", "cart-8"])).verdict).toBe("pass");
  expect(seen.at(-1)!.client_reference_id).toBe("cart-8");
});

test("the kinds in every shipped sender's file refer to ids that occur in the example bodies", async () => {
  for (const sender of await readAllShipped()) {
    const kinds = Object.entries(sender.facts.kinds ?? {});
    const known = Object.fromEntries(
      kinds.map(([kind, ids]) => [
        kind,
        [ids].flat().map((id, index) => (/^\d+$/.test(String(id)) ? `77${index}1` : `own-${kind}-${index}`)),
      ]),
    );
    const bodies = (one: typeof sender) =>
      [...one.events.map((type) => one.example(type)), JSON.stringify(storiesOf(one))].join("\n");
    const replaced = knowing(sender, known);
    const [before, after] = [bodies(sender), bodies(replaced)];
    expect(kinds.length, sender.name).toBeGreaterThan(0);
    for (const [kind, ids] of kinds)
      for (const [index, id] of [ids].flat().entries()) {
        const isElsewhere = JSON.stringify(sender.facts.objects ?? {}).includes(String(id));
        expect(before.includes(String(id)) || isElsewhere, `${sender.name} ${kind}`).toBe(true);
        expect(after, `${sender.name} ${kind}`).not.toContain(String(id));
        if (!isElsewhere) expect(after).toContain(String(known[kind]![index]));
      }
    for (const type of sender.events) expect(() => parseBody(replaced.example(type))).not.toThrow();
  }
});

test("resolving a masked text restores every known value", () => {
  const value = fc.oneof(fc.stringMatching(/^[a-z]{3}_[A-Za-z0-9]{1,12}$/), fc.integer({ min: 100_000 }));
  const names = fc.stringMatching(/^[a-z]{1,5}(\.[a-z]{1,5})?$/);
  const known = fc.dictionary(names, fc.array(value, { minLength: 1, maxLength: 3 }), { minKeys: 1 });
  fc.assert(
    fc.property(known, fc.jsonValue(), fc.nat(), (all, other, pick) => {
      const values = Object.values(all).flat();
      const one = values[pick % values.length]!;
      const state = { other, [`rows.${one}.id`]: one, text: `of ${one}, and more` };
      const masked = maskKnown(state, all);
      expect(JSON.stringify(masked.text)).not.toContain(String(one));
      expect(resolveKnown(masked, all)).toEqual(state);
    }),
  );
});
