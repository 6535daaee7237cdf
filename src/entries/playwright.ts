import "../runtime/require-node.ts";
import { existsSync } from "node:fs";
import { test as base, type Locator, type Page, type TestInfo, type TestType } from "@playwright/test";
import { accessOf } from "../client/sandbox.ts";
import type { Sandbox } from "../library/index.ts";
import type { CheckoutSession, CheckoutSessionOptions } from "../library/payments.ts";
import type { FailureReason } from "../library/words.ts";
import { type CreateSandboxOptions, createSandbox } from "./create-sandbox.ts";
import { fileNameOf, KEEP, keptFiles } from "./keep.ts";
import { explain, forgetWorld, keepWorld, numbered, type ReportedError } from "./keep-on-failure.ts";

/**
 * The hosted checkout in the test's browser.
 * @example
 * await checkout.open("coffee", { client_reference_id: "order-7" });
 * await checkout.pay({ email: "ada@example.com" });
 * await expect(checkout.heading).toHaveText("Paid");
 */
export interface Checkout {
  /**
   * Opens a checkout session for a payment link, and shows its page.
   * @throws SandboxError `not_found` for a link that does not exist
   */
  open(link: string, options?: CheckoutSessionOptions): Promise<CheckoutSession>;
  /** Fills in the given fields and pays. */
  pay(payer?: CheckoutPayer): Promise<void>;
  /** Fills in the given fields and makes a payment that fails. The session stays open. */
  refuse(reason: FailureReason, payer?: CheckoutPayer): Promise<void>;
  /** Clicks the link on the receipt that leads back to the shop. The page never redirects automatically. */
  backToShop(): Promise<void>;
  /** The page's heading: "Pay", "Paid" or "This checkout has expired". */
  readonly heading: Locator;
  /** The reason why the last payment failed, or what is wrong with a field. */
  readonly notice: Locator;
  /** The remaining time, for example 30:00. */
  readonly timeLeft: Locator;
}

/**
 * A customer's input on the hosted checkout page.
 * @example
 * const payer: CheckoutPayer = { email: "ada@example.com", discountCode: "WELCOME10" };
 */
export interface CheckoutPayer {
  email?: string;
  name?: string;
  discountCode?: string;
}

/**
 * The fixtures for a Playwright test.
 * @example
 * test("both", async ({ sandbox, checkout }: SandboxFixtures) => {
 *   await checkout.open("coffee");
 *   await sandbox.clock.advance("30m");
 * });
 */
export interface SandboxFixtures {
  /**
   * A fresh world. Its URL is the same for all tests of a worker. Advancing its clock also advances the browser's
   * clock.
   */
  sandbox: Sandbox;
  /** The hosted checkout of that world. */
  checkout: Checkout;
}

/**
 * The fixtures that a worker's tests share.
 * @example
 * export default defineConfig<{}, SandboxWorkerFixtures>({ use: { sandboxOptions: { seed: "empty" } } });
 */
export interface SandboxWorkerFixtures {
  /** The options for the worker's sandbox. `ports`, `dataDir` and any `port` other than false are ignored. */
  sandboxOptions: CreateSandboxOptions;
  /** The worker's sandbox, which is reset before each test that uses `sandbox`. */
  sandboxServer: Sandbox;
}

/**
 * Playwright's `test` with two fixtures: `sandbox`, a fresh world for each test, whose clock the browser shares; and
 * `checkout`, the hosted checkout page. A failing test attaches its world, a page with its timeline, and a screenshot.
 *
 * @example
 * test("a session expires before the customer pays", async ({ page, sandbox, checkout }) => {
 *   await checkout.open("coffee", { expires_in: 600 });
 *   await sandbox.clock.advance("10m");
 *   await expect(checkout.heading).toHaveText("This checkout has expired");
 * });
 */
export const test: SandboxTest = base.extend<SandboxFixtures, SandboxWorkerFixtures>({
  sandboxOptions: [{}, { option: true, scope: "worker" }],
  sandboxServer: [
    async ({ sandboxOptions }, use) => {
      const { port: _port, ports: _ports, dataDir: _dataDir, ...options } = sandboxOptions;
      const server = await createSandbox(options);
      await use(server);
      await server.close();
    },
    { scope: "worker" },
  ],
  sandbox: async ({ sandboxServer, page }, use, info) => {
    await sandboxServer.reset();
    const { client } = accessOf(sandboxServer, "sandbox");
    const { last_seq: after } = await client.status();
    const { clock } = sandboxServer;
    const { advance } = clock;
    await page.clock.install({ time: await clock.now() });
    clock.advance = async (by) => {
      const done = await advance(by);
      await page.clock.fastForward(Date.parse(done.to) - Date.parse(done.from));
      return done;
    };
    await use(sandboxServer);
    clock.advance = advance;
    await settle({ client, after }, page, info);
  },
  checkout: async ({ sandbox, page }, use) => use(checkoutIn(page, sandbox)),
});

function checkoutIn(page: Page, sandbox: Sandbox): Checkout {
  async function submit(outcome: string, payer: CheckoutPayer = {}): Promise<void> {
    const fields = {
      customer_email: payer.email,
      customer_name: payer.name,
      discount_code: payer.discountCode,
    };
    for (const [name, value] of Object.entries(fields))
      if (value !== undefined) await page.locator(`#${name}`).fill(value);
    await page.locator(`button[name=outcome][value=${outcome}]`).click();
  }
  return {
    async open(link, options) {
      const session = await sandbox.payments.openSession(link, options);
      await page.goto(session.url!);
      return session;
    },
    pay: (payer) => submit("completed", payer),
    refuse: submit,
    backToShop: () => page.getByRole("link", { name: /^Go back to / }).click(),
    heading: page.locator("main h1, main h2").first(),
    notice: page.locator(".notice, [role=alert]").first(),
    timeLeft: page.locator(".reading b"),
  };
}

/** Attaches the files of a failed test. After a passing test, removes the files of an earlier failure. */
async function settle(world: Parameters<typeof keepWorld>[0], page: Page, info: TestInfo): Promise<void> {
  const name = numbered(
    [info.project.name, ...info.titlePath].filter(Boolean).join(" > "),
    info.repeatEachIndex,
  );
  if (info.status === info.expectedStatus) return forgetWorld(name);
  const where = await keepWorld(world, name);
  for (const error of info.errors)
    explain(error as ReportedError, ...(error === info.errors.at(-1) ? [where] : []));
  const files = keptFiles(KEEP, fileNameOf(name));
  // If writing failed, this was already reported. If the test closed the page, there is no screenshot.
  if (existsSync(files.page)) {
    await info.attach("world", { path: files.world, contentType: "application/octet-stream" });
    await info.attach("timeline", { path: files.page, contentType: "text/html" });
  }
  const picture = await page.screenshot().catch(() => undefined);
  if (picture) await info.attach("picture", { body: picture, contentType: "image/png" });
}

/** Playwright's `test`, with these fixtures. */
export type SandboxTest =
  typeof base extends TestType<infer TestArgs, infer WorkerArgs>
    ? TestType<TestArgs & SandboxFixtures, WorkerArgs & SandboxWorkerFixtures>
    : never;

export { expect } from "@playwright/test";
