import { defineScenario } from "sandglass";

const LIMIT = 120;

export default defineScenario({
  name: "rate-limit",
  title: "A script calls too often, waits as it is told, and goes on",
  description:
    "A key has 120 calls a minute. Every answer says how many are left; the 121st is a 429 that says how long to wait. Repeating a change under its Idempotency-Key does it once, but costs a call like any other. After a day the key of a repetition is forgotten.",
  seed: "empty",
  async run({ sandbox, step, expect }) {
    const { key } = await step("A script gets an API key of its own", () =>
      sandbox.platform.call<{ key: string }>("POST", "/api-keys", { name: "Import", permission: "write" }),
    );
    const list = () => sandbox.platform.request("GET", "/payment-links", { key });
    const create = (body: { name: string; amount: string }) =>
      sandbox.platform.request<{ id: string }>("POST", "/payment-links", {
        key,
        body,
        headers: { "idempotency-key": "import-row-1" },
      });
    const beans = { name: "Coffee beans, 1 kg", amount: "18000000" };

    await step("Its first answer says that 119 calls of 120 are left", async () => {
      const { status, headers } = await list();
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        "x-ratelimit-limit": `${LIMIT}`,
        "x-ratelimit-remaining": `${LIMIT - 1}`,
      });
      expect(Number(headers["x-ratelimit-reset"])).toBeGreaterThan(
        Date.parse(await sandbox.clock.now()) / 1000,
      );
    });

    const link = await step("It makes a link, and repeats the call: one link, two calls", async () => {
      const made = await create(beans);
      expect(made.status).toBe(201);
      const repeated = await create(beans);
      expect(repeated).toMatchObject({ status: 201, body: { id: made.body.id } });
      expect(repeated.headers).toMatchObject({
        "idempotent-replayed": "true",
        "x-ratelimit-remaining": `${LIMIT - 3}`,
      });
      return made.body;
    });

    await step("The same Idempotency-Key with another body is a conflict, and costs a call", async () => {
      const answer = await create({ ...beans, amount: "1" });
      expect(answer).toMatchObject({ status: 409, body: { error: { code: "idempotency_conflict" } } });
      expect(answer.headers["x-ratelimit-remaining"]).toBe(`${LIMIT - 4}`);
    });

    await step("It uses the other calls up", async () => {
      const answers = await Promise.all(Array.from({ length: LIMIT - 4 }, list));
      expect(answers.every(({ status }) => status === 200)).toBe(true);
    });

    await step("The next one is refused, and told how long to wait", async () => {
      const { status, headers, body } = await list();
      expect(status).toBe(429);
      expect(body).toMatchObject({ error: { type: "rate_limit_error", code: "rate_limit_exceeded" } });
      const seconds = Number(headers["retry-after"]);
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(headers["x-ratelimit-remaining"]).toBe("0");
    });

    await step("Other keys are not held up: each has its own count", async () => {
      const answer = await sandbox.platform.request("GET", "/payment-links", { key: sandbox.keys.read });
      expect(answer.status).toBe(200);
    });

    await step("A minute later there are 120 calls again", async () => {
      await sandbox.clock.advance("1m");
      const { status, headers } = await list();
      expect(status).toBe(200);
      expect(headers["x-ratelimit-remaining"]).toBe(`${LIMIT - 1}`);
    });

    await step("A day later the Idempotency-Key is forgotten: the same call makes another link", async () => {
      await sandbox.clock.advance("1d");
      const { status, headers, body } = await create(beans);
      expect(status).toBe(201);
      expect(headers["idempotent-replayed"]).toBeUndefined();
      expect(body.id).not.toBe(link.id);
    });
  },
});
