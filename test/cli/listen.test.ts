import { describe, expect, it } from "vitest";
import { verifySignature } from "../../src/index.ts";
import { startCli } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

describe("sandglass listen", () => {
  it("registers an endpoint, prints its deliveries, and takes it away again", async () => {
    const sandbox = await startSandbox();
    const subscriber = await startSubscriber();
    const cli = startCli(
      ["listen", "--forward-to", subscriber.url.replace("http://", ""), "--events", "payment.completed"],
      {
        env: { SANDGLASS_URL: sandbox.url },
      },
    );
    const [, secret] = await cli.saw(/^secret +(whsec_\w+)$/m);
    const link = await sandbox.createLink();
    await sandbox.pay({ payment_link_id: link.id });
    await cli.saw(/delivery\.succeeded +payment\.completed, attempt 1 +status 200$/m);
    const [{ body, headers }] = subscriber.received as [(typeof subscriber.received)[0]];
    expect(verifySignature(body, String(headers["x-platform-signature"]), secret!)).toBe(true);

    subscriber.answer = 500;
    await sandbox.pay({ payment_link_id: link.id });
    await cli.saw(
      /delivery\.failed +payment\.completed, attempt 1 +status 500 +next 2026-01-15 09:01:00 \(in 1 m\)$/m,
    );

    cli.kill("SIGINT");
    expect((await cli.ended).code).toBe(0);
    expect((await sandbox.api("GET", "/webhooks")).body.data).toEqual([]);
  });

  it("registers again after a reset, and after the sandbox went away and came back", async () => {
    const subscriber = await startSubscriber();
    const first = await startSandbox();
    const port = Number(new URL(first.url).port);
    const cli = startCli(["listen", "--json", "--forward-to", subscriber.url, "--url", first.url]);
    const registered = (times: number) => cli.saw(new RegExp(`(?:"type":"listening"[^]*){${times}}\\n`));
    await registered(1);
    await first.control("POST", "/reset", {});
    await registered(2);
    await first.close();
    await cli.saw(/went away/);

    const second = await startSandbox({ port });
    await registered(3);
    await second.pay({ payment_link_id: (await second.createLink()).id });
    await cli.saw(/"type":"delivery\.succeeded".*"event":"payment\.completed"/);
    for (const line of cli.output.stdout.trimEnd().split("\n"))
      expect(JSON.parse(line)).toHaveProperty("type");

    const [webhook] = (await second.api("GET", "/webhooks")).body.data;
    await second.api("DELETE", `/webhooks/${webhook.id}`);
    expect(await cli.ended).toMatchObject({ code: 1, stderr: expect.stringContaining("was deleted") });
  });
});
