import { describe, expect, it } from "vitest";
import { connect } from "../../src/client/index.ts";
import { runBuiltCli } from "../support/built.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

/** Shortens the timeout of Node's global agent from 5 s to one millisecond. */
const IMPATIENT =
  "--import=data:text/javascript,import{globalAgent}from'node:http';globalAgent.options.timeout=1;";

/** Starts a sandbox with an endpoint whose subscriber takes much longer to respond than the shortened timeout. */
async function startSlowShop() {
  const sandbox = await startSandbox({ settleTimeout: "30s" });
  const subscriber = await startSubscriber((_received, response) => {
    setTimeout(() => response.end(), 150);
  });
  await sandbox.createWebhook(subscriber.url);
  const { id } = await sandbox.createLink();
  return { sandbox, link: id as string };
}

describe("a slow subscriber", () => {
  it("sandglass pay and advance wait for a slow subscriber even if Node's global agent times out", async () => {
    const { sandbox, link } = await startSlowShop();
    const run = (args: string[]) =>
      runBuiltCli([...args, "--json"], { env: { SANDGLASS_URL: sandbox.url, NODE_OPTIONS: IMPATIENT } });
    const paid = await run(["pay", link]);
    expect(paid).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(paid.stdout).deliveries[0]).toMatchObject({ status: "success" });

    const session = await sandbox.openSession();
    const advanced = await run(["advance", "1h"]);
    expect(advanced).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(advanced.stdout).ledger).toContainEqual(
      expect.objectContaining({
        type: "checkout.expired",
        data: expect.objectContaining({ id: session.id }),
      }),
    );
  });

  it("a program connected to a sandbox waits for a slow subscriber", async () => {
    const { sandbox, link } = await startSlowShop();
    const client = await connect(sandbox.url);
    const { deliveries } = await client.payments.pay(link);
    expect(deliveries[0]).toMatchObject({ status: "success" });
    await client.close();
  });
});
