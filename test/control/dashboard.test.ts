import { expect, test } from "vitest";
import { startSandbox } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

const sandbox = sharedSandbox();

test("dashboard calls need no key and ignore rate limits and faults [fidelity: Simulated › Dashboard]", async () => {
  const sandbox = await startSandbox({ payments: { rateLimit: 1 } });
  await sandbox.control("PUT", "/faults/platform", { status: 503 });
  for (let count = 0; count < 5; count += 1) {
    const made = await sandbox.control("POST", "/platform/payment-links", { name: `Tea ${count}` });
    expect(made.status).toBe(201);
  }
  const { body } = await sandbox.control("GET", "/platform/payment-links?search=tea&limit=2");
  expect(body).toMatchObject({ object: "list", total_count: 5, url: "/api/v1/payment-links" });
  expect((await sandbox.control("GET", "/requests")).body.data).toEqual([]);
  const { data } = (await sandbox.control("GET", "/platform/events?limit=1")).body;
  expect(data).toMatchObject([
    {
      event_type: "payment_link.created",
      request_path: "/api/v1/payment-links",
      ip_address: "127.0.0.1",
    },
  ]);
});

test("dashboard calls select an organization with a header and return the platform's errors", async () => {
  const other = (
    await sandbox.api("POST", "/payment-links", { body: { name: "Theirs" }, key: sandbox.keys.other })
  ).body;
  const read = (organization?: string) =>
    sandbox.call("GET", `/_sandbox/platform/payment-links/${other.id}`, {
      headers: organization === undefined ? {} : { "x-sandbox-organization": organization },
    });
  expect((await read()).status).toBe(404);
  const journal = await sandbox.journal("payment_link.created");
  expect((await read(String(journal[0]!.data.organization))).body.name).toBe("Theirs");
  expect((await read("org_nobody")).body.error).toMatchObject({
    code: "resource_not_found",
    message: "No such organization: org_nobody.",
  });
  expect((await sandbox.control("POST", "/platform/payment-links", {})).body.error).toMatchObject({
    code: "missing_required_field",
    param: "name",
  });
  expect((await sandbox.control("GET", "/platform/nothing")).status).toBe(404);
});

test("the control API's OpenAPI document omits the dashboard's calls", async () => {
  const { paths } = (await sandbox.call("GET", "/_sandbox/openapi.json")).body;
  expect(Object.keys(paths).filter((path) => path.startsWith("/platform"))).toEqual([]);
});

test("pages on other sites cannot make dashboard calls in any world", async () => {
  await sandbox.control("POST", "/worlds", { name: "other" });
  for (const path of ["/_sandbox/platform/payment-links", "/w/other/_sandbox/platform/payment-links"])
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
      const { status, body, headers: sent } = await sandbox.call("GET", path, { headers });
      expect({ status, code: body.error.code }).toEqual({ status: 403, code: "forbidden" });
      expect(sent.get("access-control-allow-origin")).toBeNull();
    }
});
