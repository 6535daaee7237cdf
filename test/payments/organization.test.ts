import { expect, test } from "vitest";
import { expectError } from "../support/platform-errors.ts";
import { startSandbox } from "../support/sandbox.ts";

const RECIPIENT = `0x${"c0".repeat(20)}`;

test("a key can read and change its organization, and new defaults apply from then on", async () => {
  const sandbox = await startSandbox();
  const before = (await sandbox.api("GET", "/organization", { key: sandbox.keys.read })).body;
  expect(before).toEqual({
    object: "organization",
    id: "org_Nl7hQ2vKx0RtB4wZ",
    name: "Northlight Coffee Roasters",
    slug: "northlight-coffee",
    description: expect.any(String),
    logo_url: expect.stringMatching(/^https:/),
    website_url: "https://northlight.example",
    default_recipient_address: expect.stringMatching(/^0x[0-9a-f]{40}$/),
    default_chain_id: 8453,
    default_token_address: expect.stringMatching(/^0x[0-9A-Fa-f]{40}$/),
    created_at: "2025-12-16T09:00:00.000Z",
    updated_at: "2025-12-16T09:00:00.000Z",
  });
  const body = {
    name: "Northlight",
    description: null,
    default_chain_id: 10,
    default_recipient_address: RECIPIENT,
  };
  const changed = await sandbox.api("PATCH", "/organization", { body });
  expect({ status: changed.status, body: changed.body }).toEqual({
    status: 200,
    body: { ...before, ...body, updated_at: "2026-01-15T09:00:00.000Z" },
  });
  expect((await sandbox.api("GET", "/organization")).body).toEqual(changed.body);
  expect(await sandbox.createLink()).toMatchObject({ chain_id: 10, recipient_address: RECIPIENT });
  const session = await sandbox.openSession();
  expect((await sandbox.call("GET", new URL(session.url).pathname)).text).toContain("Northlight");
  const other = await sandbox.api("GET", "/organization", { key: sandbox.keys.other });
  expect(other.body.name).toBe("Paper Lantern Games");
});

test("a change to the organization is in the journal, not the audit trail, and a reset undoes it [fidelity: Shapes of published clients › Organization]", async () => {
  const sandbox = await startSandbox();
  expectError(await sandbox.api("PATCH", "/organization", { body: { slug: "x" } }), "no_updates_provided");
  await sandbox.api("PATCH", "/organization", { body: { name: "Other" } });
  expect((await sandbox.journal("organization.*")).map(({ type }) => type)).toEqual(["organization.updated"]);
  expect((await sandbox.api("GET", "/events")).body.data).toEqual([]);
  const fork = await sandbox.makeWorld({ name: "fork", from: "default" });
  await sandbox.control("POST", "/reset", {});
  expect((await sandbox.api("GET", "/organization")).body.name).toBe("Northlight Coffee Roasters");
  expect((await fork.api("GET", "/organization")).body.name).toBe("Other");
});
