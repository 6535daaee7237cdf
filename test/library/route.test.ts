import dns from "node:dns";
import { createServer } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { test as sandboxTest } from "../../src/entries/vitest.ts";
import { createSandbox } from "../../src/index.ts";
import { folderOf } from "../support/cli.ts";

/** Simulates a service outside this machine. A name server resolves every name below .test to its address. */
const outside = createServer((_, response) => response.end("outside"));
const { lookup } = dns;
beforeAll(async () => {
  dns.lookup = ((host: string, ...values: unknown[]) =>
    (lookup as (...values: unknown[]) => void)(
      host.endsWith(".test") ? "127.0.0.1" : host,
      ...values,
    )) as never;
  syncBuiltinESMExports();
  await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  dns.lookup = lookup;
  syncBuiltinESMExports();
  outside.close();
});

/** A project's sender whose API is at the address of the simulated service. */
function acme(): { api: string; senders: string[] } {
  const api = `http://api.acme.test:${(outside.address() as AddressInfo).port}`;
  const folder = folderOf({
    "acme.yaml": `
name: acme
signature: { header: "acme-signature: {signature}" }
type: body.type
id: body.id
events: { order.paid: { body: { id: evt_1, type: order.paid, order: { object: order, id: ord_1 } } } }
api: { base: "${api}", object: body.order, reads: { "GET /orders/{id}": order } }`,
  });
  return { api, senders: [join(folder, "acme.yaml")] };
}

const textOf = async (url: string) => (await fetch(url)).text();

describe("a sandbox with a route", () => {
  it.each([{}, { port: false }] as const)(
    "a sandbox with the options %o handles this process's calls to its sender's API in its newest world until it is closed",
    async (door) => {
      const { api, senders } = acme();
      const sandbox = await createSandbox({ ...door, senders, route: "senders" });
      const order = `${api}/orders/ord_1`;
      expect(JSON.parse(await textOf(order))).toMatchObject({ error: expect.anything() });
      const world = await sandbox.open();
      await world.send("order.paid");
      expect(JSON.parse(await textOf(order))).toEqual({ object: "order", id: "ord_1" });
      expect(await textOf(order.replace("api.", "other."))).toBe("outside");
      await world.close();
      expect(JSON.parse(await textOf(order))).toMatchObject({ error: expect.anything() });
      await sandbox.close();
      expect(await textOf(order)).toBe("outside");
    },
  );

  it("a sandbox with a route handles the Stripe package's calls to Stripe's address over TLS, and calls to services by name", async () => {
    await using sandbox = await createSandbox({ senders: ["stripe"], route: "services" });
    await sandbox.send("customer.created");
    const { data } = await new Stripe("sk_test_1").customers.list();
    expect(data.map(({ object }) => object)).toEqual(["customer"]);
    const mail = { from: "shop@acme.test", to: "ada@acme.test", subject: "Order", text: "Thank you" };
    const answer = await fetch("https://api.resend.com/emails", {
      method: "POST",
      body: JSON.stringify(mail),
    });
    expect(await answer.json()).toEqual({ id: expect.any(String) });
  });

  it("createSandbox rejects a route that does not exist", async () => {
    await expect(createSandbox({ route: "all" as never })).rejects.toThrow(
      /route must be senders or services/,
    );
  });
});

const test = sandboxTest.extend({ sandboxOptions: { senders: ["stripe"], route: "senders" } });
for (const name of ["one", "two"])
  test(`the Vitest test ${name} reads customers of its own world through its route`, async ({ sandbox }) => {
    await sandbox.send("customer.created", { data: { object: { name } } });
    const { data } = await new Stripe("sk_test_1").customers.list();
    expect(data.map((customer) => customer.name)).toEqual([name]);
  });
