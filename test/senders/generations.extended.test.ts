import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { validateEvent } from "polar-0/webhooks";
import { expect, test } from "vitest";
import { inPackage } from "../../src/runtime/package.ts";
import { readSender } from "../../src/senders/files.ts";
import { ofVersion } from "../../src/senders/generations.ts";
import { folderOf } from "../support/cli.ts";

test("the bodies of Stripe's older generation have exactly the fields of stripe 17", async () => {
  const { generations } = (await readSender("stripe")).facts;
  expect(generations).toMatchObject([{ package: "stripe@14-17" }]);
  const sender = ofVersion(await readSender("stripe"), generations[0]!.version);
  // Event destinations have their own versions, so leave them out.
  const types = sender.events.filter((type) => !/^v[12]\./.test(type));
  const lines = types.map((type, index) => {
    const { object } = JSON.parse(sender.example(type)).data;
    const typed = `Extract<Stripe.Event, { type: "${type}" }>["data"]["object"]`;
    return `export const body${index}: ${typed} = ${JSON.stringify(object)};`;
  });
  const folder = folderOf();
  const config = {
    compilerOptions: {
      ...{ strict: true, noEmit: true, skipLibCheck: true, target: "es2022" },
      ...{ module: "esnext", moduleResolution: "bundler" },
      ...{ types: ["node"], typeRoots: [inPackage("node_modules/@types")] },
    },
    files: [inPackage("node_modules/stripe-17/types/index.d.ts"), "bodies.ts"],
  };
  writeFileSync(join(folder, "bodies.ts"), `import type { Stripe } from "stripe";\n${lines.join("\n")}\n`);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = inPackage("node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});

test("Polar's SDK 0.42 can read the bodies of its older generation", async () => {
  const sender = ofVersion(await readSender("polar"), "2026-03");
  expect(sender.facts.package).toBe("@polar-sh/sdk@0");
  const secret = sender.newSecret(Buffer.alloc(24, 1));
  const at = Date.now();
  const refused: string[] = [];
  for (const type of sender.events) {
    const body = sender.makeBody(type, undefined, "evt_1", at);
    const ids = { eventId: "evt_1", endpointId: "wh_1", deliveryId: "dlv_1" };
    const headers = sender.headers({ ...ids, type, body, url: "http://127.0.0.1/", secret, at, test: false });
    try {
      validateEvent(body, headers, secret);
    } catch {
      refused.push(type);
    }
  }
  // The only type that this SDK does not know.
  expect(refused).toEqual(["subscription.past_due"]);
});
