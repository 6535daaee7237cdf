import { describe, expect, test } from "vitest";
import { expectError } from "../support/platform-errors.ts";
import { rawCall } from "../support/raw-http.ts";
import { type Answer, startSandbox } from "../support/sandbox.ts";
import { type SharedSandbox as Sandbox, sharedSandbox } from "../support/shared.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** Opens a link as a browser would, following the redirect to the session's page. */
async function open(sandbox: Sandbox, link: { short_code: string }, query = "") {
  const redirect = await sandbox.call("GET", `/platform/pay/${link.short_code}${query}`);
  expect(redirect.status, redirect.text).toBe(303);
  const path = redirect.headers.get("location")!;
  expect(path).toMatch(/^\/platform\/checkout\/cs_\w{16}$/);
  const id = path.split("/").at(-1)!;
  return { path, id, session: (await sandbox.api("GET", `/checkout-sessions/${id}`)).body };
}

const submit = (sandbox: Sandbox, path: string, fields: Record<string, string>) =>
  sandbox.call("POST", path, { body: new URLSearchParams(fields).toString(), headers: FORM });

/** Checks that a response is a page of the checkout, and returns its text without tags. */
function expectPage(answer: Answer, status: number): string {
  expect({ status: answer.status, text: answer.text.slice(0, 15) }).toEqual({
    status,
    text: "<!doctype html>",
  });
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.text).not.toContain("<script>alert");
  return answer.text.replace(/<(style|head)\b.*?<\/\1>/gs, "").replace(/<[^>]*>/g, " ");
}

describe("the hosted checkout", () => {
  const sandbox = sharedSandbox();

  test("the hosted checkout opens a session with the reference and metadata from its query [fidelity: Resources › Client reference]", async () => {
    const link = await sandbox.createLink();
    const query = new URLSearchParams({
      client_reference_id: "order ☕ 1042",
      "metadata[cart]": "c1",
      "metadata[näme]": "<b>",
      "metadata[__proto__]": "p",
      "metadata[empty]": "",
      customer_email: "ada@example.com",
      customer_name: "Ada",
      utm_source: "mail",
    });
    const { session, path } = await open(sandbox, link, `?${query}`);
    expect(session).toMatchObject({
      payment_link_id: link.id,
      status: "active",
      client_reference_id: "order ☕ 1042",
      customer_email: "ada@example.com",
      customer_name: "Ada",
      url: sandbox.url + path,
    });
    expect(JSON.stringify(session.metadata)).toBe('{"cart":"c1","näme":"<b>","__proto__":"p","empty":""}');
    const text = expectPage(await sandbox.call("GET", path), 200);
    expect(text).toContain("Tea");
    expect(text).toContain("2.50");
    const plain = await open(sandbox, link);
    expect(plain.session).toMatchObject({ client_reference_id: null, metadata: {}, customer_email: null });
    expect(plain.id).not.toBe(session.id);
    const empty = await open(sandbox, link, "?client_reference_id=&customer_email=&customer_name=");
    expect(empty.session).toMatchObject({
      client_reference_id: null,
      customer_email: null,
      customer_name: null,
    });
    const doubled = await open(sandbox, link, "?client_reference_id=a&client_reference_id=b");
    expect(doubled.session.client_reference_id).toBe("a");
  });

  test("the hosted checkout does not open a session for HEAD, or for a query that exceeds the limits [fidelity: Resources › Client reference]", async () => {
    const sandbox = await startSandbox();
    const link = await sandbox.createLink();
    const fields = Array.from({ length: 51 }, (_, index) => `metadata[k${index}]=v`).join("&");
    for (const [query, says] of [
      [`client_reference_id=${"x".repeat(201)}`, "200"],
      [`customer_name=${"x".repeat(201)}`, "200"],
      ["customer_email=ada", "e-mail address"],
      [fields, "at most 50 keys"],
      [`metadata[${"k".repeat(41)}]=v`, "1 to 40 characters"],
      ["metadata[]=v", "1 to 40 characters"],
      [`metadata[k]=${"v".repeat(501)}`, "500"],
    ] as const) {
      const answer = await sandbox.call("GET", `/platform/pay/${link.short_code}?${query}`);
      expect(expectPage(answer, 400), query.slice(0, 40)).toContain(says);
    }
    expect((await sandbox.call("HEAD", `/platform/pay/${link.short_code}`)).status).toBe(404);
    expect((await sandbox.api("GET", "/checkout-sessions")).body.total_count).toBe(0);
  });

  test("the hosted checkout accepts a payment and then shows the receipt [fidelity: Simulated › Hosted page]", async () => {
    const sandbox = await startSandbox();
    const link = await sandbox.createLink({ return_url: "https://shop.example/thanks" });
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    const { path, id } = await open(sandbox, link, "?client_reference_id=order_1");
    const fields = {
      outcome: "completed",
      customer_email: " ada@example.com ",
      customer_name: "<script>alert(1)",
    };
    const paid = await submit(sandbox, path, fields);
    expect({ status: paid.status, location: paid.headers.get("location") }).toEqual({
      status: 303,
      location: path,
    });
    const { body: session } = await sandbox.api("GET", `/checkout-sessions/${id}`);
    expect(session).toMatchObject({
      status: "completed",
      customer_email: "ada@example.com",
      customer_name: "<script>alert(1)",
      client_reference_id: "order_1",
    });
    const receipt = await sandbox.call("GET", path);
    expectPage(receipt, 200);
    expect(receipt.text).toContain("https://shop.example/thanks");
    expect(receipt.text).toContain(session.transaction_id);
    await sandbox.advance(0);
    const delivery = (await sandbox.deliveries(hook.id)).find(({ event }) => event === "payment.completed");
    expect(JSON.parse(delivery.request_body).data.checkoutSession).toEqual({
      clientReferenceId: "order_1",
      metadata: {},
      customerEmail: "ada@example.com",
      customerName: "<script>alert(1)",
    });
    expectPage(await submit(sandbox, path, { outcome: "completed" }), 410);
    expect((await sandbox.api("GET", `/transactions?session_id=${id}`)).body.total_count).toBe(1);
  });

  test("a payer can retry a payment that fails in the hosted checkout", async () => {
    const link = await sandbox.createLink();
    const { path, id } = await open(sandbox, link);
    for (const reason of ["reverted", "timed_out", "insufficient_funds", "rejected"]) {
      expect((await submit(sandbox, path, { outcome: reason })).status, reason).toBe(303);
      expectPage(await sandbox.call("GET", path), 200);
      const { data } = (await sandbox.api("GET", `/transactions?session_id=${id}&limit=100`)).body;
      expect(data.map(({ failure_reason: seen }: { failure_reason: string }) => seen)).toContain(reason);
    }
    expect((await sandbox.api("GET", `/checkout-sessions/${id}`)).body.status).toBe("active");
    await submit(sandbox, path, {});
    expect((await sandbox.api("GET", `/checkout-sessions/${id}`)).body.status).toBe("completed");
  });

  test("the hosted checkout of an expired session returns 410, and the session cannot be paid", async () => {
    const sandbox = await startSandbox();
    const link = await sandbox.createLink();
    const first = await open(sandbox, link);
    expect((await submit(sandbox, first.path, { outcome: "expired" })).status).toBe(303);
    expectPage(await sandbox.call("GET", first.path), 410);
    const second = await open(sandbox, link);
    await sandbox.advance("30m");
    expectPage(await sandbox.call("GET", second.path), 410);
    for (const { path, id } of [first, second]) {
      expectPage(await submit(sandbox, path, { outcome: "completed" }), 410);
      expect((await sandbox.api("GET", `/checkout-sessions/${id}`)).body.status).toBe("expired");
    }
  });

  test("the hosted checkout rejects invalid fields and preserves the valid ones", async () => {
    const sandbox = await startSandbox();
    const fixed = await open(sandbox, await sandbox.createLink());
    for (const fields of [
      { customer_email: "not an address" },
      { customer_name: "x".repeat(201) },
      { discount_code: "NONE" },
      { outcome: "maybe" },
    ]) {
      const entered = { customer_name: "Ada", ...fields };
      const answer = await submit(sandbox, fixed.path, entered as Record<string, string>);
      expectPage(answer, 400);
      if (entered.customer_name === "Ada") expect(answer.text).toContain('value="Ada"');
    }
    const open1 = await open(sandbox, await sandbox.createLink({ amount: null }));
    for (const amount of ["", "0x1", "-1", "1e3", "1.1234567", "1,5", "9".repeat(90)])
      expectPage(await submit(sandbox, open1.path, { amount }), 400);
    expect((await sandbox.api("GET", "/transactions")).body.total_count).toBe(0);
    expect((await submit(sandbox, open1.path, { amount: "12.5" })).status).toBe(303);
    const { body } = await sandbox.api("GET", "/transactions");
    expect(body.data[0]).toMatchObject({ amount: "12500000", status: "completed" });
  });

  test("the hosted checkout accepts a shipping address, and fills empty fields from a seeded payer", async () => {
    const link = await sandbox.createLink();
    const payWith = async (fields: Record<string, string>) => {
      const { path, id } = await open(sandbox, link);
      expect((await submit(sandbox, path, fields)).status).toBe(303);
      return (await sandbox.api("GET", `/transactions?session_id=${id}`)).body.data[0].form_data;
    };
    const address = { line1: "1 Main Street", city: "Zürich", state: "ZH", zip: "8001" };
    const whole = await payWith({
      customer_email: "ada@example.com",
      ...address,
      line1: " 1 Main Street ",
    });
    expect(whole).toEqual({ email: "ada@example.com", shipping_address: address });
    const empty = { line1: "", city: " ", state: "", zip: "" };
    const { shipping_address: made } = await payWith({ ...empty, city: "Paris", outcome: "rejected" });
    expect(made).toEqual({
      ...whole.shipping_address,
      line1: made.line1,
      city: "Paris",
      state: made.state,
      zip: made.zip,
    });
    for (const value of Object.values(made)) expect(value).toMatch(/\S/);

    const { path, id } = await open(sandbox, link);
    for (const name of ["line1", "city", "state", "zip"]) {
      const answer = await submit(sandbox, path, {
        ...address,
        customer_name: "Ada",
        [name]: "x".repeat(201),
      });
      const text = expectPage(answer, 400);
      expect(text).toContain("at most 200 characters");
      expect(answer.text).toMatch(new RegExp(`<input id="${name}"[^>]*aria-invalid`));
      expect(answer.text).toContain('value="Ada"');
    }
    expect((await sandbox.api("GET", `/transactions?session_id=${id}`)).body.data).toEqual([]);
  });

  test("the hosted checkout accepts a discount code", async () => {
    const body = { code: "TEN", discount_type: "percentage", discount_value: 10 };
    await sandbox.api("POST", "/discount-codes", { body });
    const { path, id } = await open(sandbox, await sandbox.createLink({ amount: "1000" }));
    expect((await submit(sandbox, path, { discount_code: " TEN " })).status).toBe(303);
    const { data } = (await sandbox.api("GET", `/transactions?session_id=${id}`)).body;
    expect(data[0]).toMatchObject({ amount: "900", discount_code: "TEN" });
  });

  test("the hosted checkout returns 410 for closed links and 404 for unknown addresses", async () => {
    const inactive = await sandbox.createLink({ active: false, name: "<script>alert(1)</script>" });
    const expired = await sandbox.createLink({ expires_at: "2026-01-15T09:00:00Z" });
    const used = await sandbox.createLink({ max_uses: 1 });
    await sandbox.pay({ payment_link_id: used.id });
    for (const { short_code: code } of [inactive, expired, used])
      expectPage(await sandbox.call("GET", `/platform/pay/${code}`), 410);
    for (const path of ["/pay/nobody", "/pay/%00", "/pay/a%2Fb", "/checkout/cs_nobody", "/checkout/%00"])
      expectPage(await sandbox.call("GET", `/platform${path}`), 404);
    expectPage(await submit(sandbox, "/platform/checkout/cs_nobody", { outcome: "completed" }), 404);
    for (const path of ["/pay/%ff", "/checkout/%zz"])
      expect((await rawCall(sandbox.url, "GET", `/platform${path}`)).status, path).toBe(404);
  });

  test("the hosted checkout withstands bodies that no form would send", async () => {
    const { path, id } = await open(sandbox, await sandbox.createLink());
    const post = (body: string, type: string) =>
      sandbox.call("POST", path, { body, headers: { "content-type": type } });
    for (const body of ["[]", "null", "5", "{", '"x"'])
      expectError(await post(body, "application/json"), "invalid_field_value", { param: "body" }, body);
    expectError(await post("x", "text/plain"), "invalid_field_value", { param: "Content-Type" });
    expect((await sandbox.api("GET", `/checkout-sessions/${id}`)).body.status).toBe("active");
    const odd =
      '{"outcome":"rejected","customer_name":5,"customer_email":{"a":1},"discount_code":[],"amount":null}';
    expect((await post(odd, "application/json")).status).toBe(303);
    const form = "outcome=rejected&outcome=rejected&__proto__=1&constructor=2&%ff=%zz&customer_name=%00";
    expect((await post(form, FORM["content-type"])).status).toBe(303);
    expect((await sandbox.api("GET", `/transactions?session_id=${id}&status=failed`)).body.total_count).toBe(
      2,
    );
  });

  test("the hosted checkout shows a payment in progress and rejects a second one", async () => {
    const sandbox = await startSandbox({ payments: { confirmationDelay: "1m" } });
    const { path, id } = await open(sandbox, await sandbox.createLink());
    await submit(sandbox, path, { outcome: "completed" });
    expect(expectPage(await sandbox.call("GET", path), 200)).toContain("pending");
    expectPage(await submit(sandbox, path, { outcome: "completed" }), 400);
    await sandbox.advance("1m");
    expect((await sandbox.api("GET", `/transactions?session_id=${id}`)).body.total_count).toBe(1);
    expectPage(await sandbox.call("GET", path), 200);
  });
});
