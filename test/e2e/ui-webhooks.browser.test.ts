import { describe, expect, test } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { openUi } from "../support/ui.ts";

describe.skipIf(!BROWSER)("an endpoint's page", () => {
  test("its subscriber fails as a menu says", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    const { page, button, fill, menu } = await openUi(sandbox.url, `#/webhooks/${hook.id}`, {
      presenting: true,
    });
    const spec = async () => (await sandbox.control("GET", `/webhooks/${hook.id}/fault`)).body.spec;

    await menu("fault");
    await page.getByText("No fault is set: your server decides what it answers.").waitFor();
    await page.getByLabel("How", { exact: true }).selectOption("refused");
    expect(await spec()).toBeNull();
    await button("Make it fail").click();
    await expect.poll(spec).toEqual({ kind: "refused" });
    await page.getByLabel("How", { exact: true }).selectOption("status");
    await page.getByLabel("How often").selectOption("times");
    await fill("Status", "500");
    await page.getByLabel("Status").press("Enter");
    await expect.poll(spec).toEqual({ kind: "status", status: 500, times: 2 });
    await page.getByText("It answers 500, 2 times.").waitFor();
    await fill("Status", "200");
    await page.getByLabel("Status").press("Enter");
    expect(await page.locator("input:invalid").count()).toBe(1);
    await page.getByLabel("How", { exact: true }).selectOption("sequence");
    await fill("Steps", "500, explode");
    await page.getByLabel("Steps").press("Enter");
    await page.getByText(/^sequence\[1\] must be one of status, .* not 'explode'\.$/).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("switch").click();
    await expect.poll(spec).toBeNull();
  });

  test("before the fault is read, does not say that there is none", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { kind: "status", status: 503 });
    const { page, menu, go } = await openUi(sandbox.url, "#/log");
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/fault", async (route) => {
      await released;
      await route.continue();
    });
    await page.evaluate(`void (location.hash = "#/webhooks/${hook.id}")`);
    await menu("fault");
    await page.getByText("Reading what it answers…").waitFor();
    expect(await page.getByText(/No fault is set/).count()).toBe(0);
    release();
    await page.getByText(/^It answers 503/).waitFor();
    await go("#/log");
  });

  test("fits its attempts, however long ago they were", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const { page, button, menu } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    const shown = () =>
      page.locator(".stage").evaluate((stage) => {
        const { left, right } = stage.getBoundingClientRect();
        return [...stage.querySelectorAll(".mark.attempt")].filter((mark) => {
          const box = mark.getBoundingClientRect();
          return box.left >= left && box.right <= right;
        }).length;
      });
    await expect.poll(shown).toBe(2);
    await sandbox.advance("3d");
    await expect.poll(() => page.getByTestId("virtual-time").textContent()).toContain("09:00:00");
    await page.getByText("18 Jan 2026").waitFor();
    await expect.poll(shown).toBe(2);
    await menu("zoom");
    await button("1 h").click();
    await expect.poll(shown).toBe(0);
    await button("Fit").click();
    await expect.poll(shown).toBe(2);
  });

  test("resends what was delivered, and retries all that failed", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`, {
      events: ["payment.completed"],
    });
    const pay = async () => sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const [delivered] = (await pay()).deliveries;
    await sandbox.advance("1m");
    const opened = await openUi(sandbox.url, `#/webhooks/${hook.id}/${delivered.id}`);
    const { page, button, menu, problems } = opened;
    await button("Resend").click();
    await page.getByText("Resent, and delivered.").waitFor();
    await page.getByText("Resend of").waitFor();
    await expect.poll(() => page.locator(".mark.attempt.resend").count()).toBe(1);
    await page.getByText("leaves the failure count as it is").waitFor();

    await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { status: 503, times: 2 });
    await sandbox.advance("1m");
    await pay();
    await pay();
    await sandbox.advance("30s");
    await page.getByRole("link", { name: "Close the details" }).click();
    await menu("endpoint");
    await button("Retry all failed since…").click();
    await page.getByLabel("Failed since").fill("soon");
    await button("Retry all").click();
    await page.getByText('"soon" is not a duration').waitFor();
    await page.getByLabel("Failed since").fill("1h");
    await button("Retry all").click();
    await page.getByText("Retried 2 deliveries: 2 delivered.").waitFor();
    await expect.poll(() => page.locator(".mark.attempt.manual.good").count()).toBe(2);
    // The refused duration is an answer of the server, which browsers log.
    expect(problems.filter((problem) => !problem.includes("400"))).toEqual([]);
  });

  test("goes from an attempt ahead to the attempt that was made of it", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`, {
      events: ["payment.completed"],
    });
    await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { sequence: [503, 500] });
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const { page, heading, button } = await openUi(sandbox.url, `#/webhooks/${hook.id}?list=inbox`);
    await page.locator(".stage .mark.planned").click();
    await button("Advance to it").click();
    await heading(/^Failed: answered 500/).waitFor();
    const [, second] = await sandbox.deliveries(hook.id);
    expect(page.url()).toContain(`#/webhooks/${hook.id}/${second.id}?list=inbox`);

    // The same by keyboard, as the details cover it, and when something else moves the clock.
    await page.locator(".stage .mark.planned").focus();
    await page.keyboard.press("Enter");
    await heading("Attempt 3 of payment.completed").waitFor();
    await sandbox.advance("10m");
    await heading(/^Delivered: answered 200/).waitFor();
    await page.goBack();
    await heading(/^Failed: answered 500/).waitFor();
  });

  test("shows its address with the middle left out where there is no room, and with underscores that can be seen", async () => {
    const sandbox = await startSandbox();
    const path = `/_sandbox/inbox/${"long-name-".repeat(6)}`;
    for (const end of ["one", "two"]) await sandbox.createWebhook(`${sandbox.url}${path}${end}`);
    const { page } = await openUi(sandbox.url, "#/log");
    const addresses = page.locator(".places .address");
    await expect.poll(() => addresses.count()).toBe(2);
    expect((await addresses.allTextContents()).map((text) => text.slice(-3))).toEqual(["two", "one"]);
    const shown = await page.evaluate(`[...document.querySelectorAll(".places .address")].map((address) => {
      const [start, end] = address.children;
      const cell = address.closest("a").getBoundingClientRect();
      return {
        cut: start.scrollWidth > start.clientWidth,
        whole: end.getBoundingClientRect().right <= cell.right + 1,
      };
    })`);
    expect(shown).toEqual([
      { cut: true, whole: true },
      { cut: true, whole: true },
    ]);

    // The underline lies below the underscore, which a font draws below the line of the letters.
    const [underline, underscore] = (await page.evaluate(`(() => {
      const link = getComputedStyle(document.querySelector(".places .address").parentElement);
      const context = new OffscreenCanvas(100, 100).getContext("2d");
      context.font = link.fontSize + " " + link.fontFamily;
      const offset = Number.parseFloat(link.textUnderlineOffset);
      return [offset, context.measureText("_").actualBoundingBoxDescent];
    })()`)) as [number, number];
    expect(underline).toBeGreaterThan(underscore);
  });

  test("while it is healthy has no red line", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const { page } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await expect.poll(() => page.locator(".stage .mark.good").count()).toBe(2);
    /** How many points of the counter's track are red. */
    const red = async () => {
      const png = await page.locator(".stage").screenshot({ animations: "disabled" });
      return page.evaluate(`(async () => {
        const image = new Image();
        image.src = "data:image/png;base64,${png.toString("base64")}";
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, image.width, image.height);
        let count = 0;
        for (let at = 0; at < data.length; at += 4)
          if (data[at] > 150 && data[at + 1] < 100 && data[at + 2] < 100) count += 1;
        return count;
      })()`);
    };
    expect(await red()).toBe(0);
    await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { kind: "status", status: 503 });
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    await expect.poll(() => page.locator(".stage .mark.bad").count()).toBe(2);
    expect(await red()).toBeGreaterThan(100);
  });

  test("shows what is under way neither as delivered nor as failed", async () => {
    const subscriber = await startSubscriber(() => undefined);
    const sandbox = await startSandbox({ clock: { mode: "live" } });
    const hook = await sandbox.createWebhook(subscriber.url);
    const session = await sandbox.openSession();
    const { page } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await page.locator(".stage").waitFor();
    void sandbox.pay({ session_id: session.id }).catch(() => undefined);
    await expect.poll(() => page.locator(".attempt-row .code-mark.pending").count()).toBe(2);
    await page.locator(".stage .mark.pending").first().waitFor();
    expect(await page.locator(".stage .mark.good, .stage .span.good").count()).toBe(0);
    expect(await page.locator(".scrubber rect.pending").count()).toBe(1);
    expect(await page.locator(".scrubber rect.good").count()).toBe(0);
  });

  test("says the same duration in the list, on the timeline and in the detail", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`, {
      events: ["payment.completed"],
    });
    await sandbox.control("PUT", "/inbox/shop/behaviour", { delay: 40 });
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const { page } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    const listed = (await page.locator(".attempt-took").textContent())!;
    expect(listed).toMatch(/^\d+ ms$/);
    expect(Number.parseInt(listed, 10)).toBeGreaterThanOrEqual(40);
    expect(await page.locator(".stage .mark.good").getAttribute("aria-label")).toContain(`after ${listed}`);
    await page.locator(".attempt-row").click();
    await page.getByRole("heading", { name: `Delivered: answered 200 after ${listed}` }).waitFor();
  });

  test("says when older attempts are not drawn", async () => {
    const sandbox = await startSandbox();
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    await sandbox.pay({ session_id: (await sandbox.openSession()).id });
    const { page, problems } = await openUi(sandbox.url, `#/webhooks/${hook.id}`);
    await expect.poll(() => page.locator(".attempt-row").count()).toBe(2);
    expect(await page.getByText(/older ones are/).count()).toBe(0);
    await page.route(/\/timeline\?/, async (route) => {
      const answer = await (await route.fetch()).json();
      const [first] = answer.attempts;
      const attempts = Array.from({ length: 10_000 }, (_, index) => ({
        ...first,
        delivery_id: `del_${index}`,
      }));
      const earlier = { attempts: 1, since: first.started_at, slices: [] };
      await route.fulfill({ json: { ...answer, attempts, earlier } });
    });
    await page.reload();
    await page.getByText("Only the latest 10,000 attempts are drawn; older ones are in the API.").waitFor();
    expect(problems).toEqual([]);
  });
});
