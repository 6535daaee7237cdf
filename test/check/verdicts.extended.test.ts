import { describe, expect, onTestFinished, test } from "vitest";
import { verifySignature } from "../../src/index.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { SECRET, startReceiver } from "./support/start.ts";
import { tryReceiver, verdictsOf } from "./support/try.ts";
import { good, startCorrect } from "./verdicts.ts";

describe("a state URL", () => {
  const only = ["duplicate"];

  test("check waits up to 2 seconds for a state that reflects parts of an event late", async () => {
    const mails = { only: ["truncated-signature", "late-retry"], mailAfter: 300 };
    const lateMail = { only: ["truncated-signature"], mailAfter: 1_100 };
    const twoMails = { only: ["duplicate", "duplicate-at-once"], mailAfter: 300, mailTwice: true };
    const lateQueue = { only, orderAfter: 1_050, mailAfter: 1_050, twice: true };
    const tooLate = { only, mailAfter: 1_300, mails: 2 };
    let ticks = 0;
    const clock = await startSubscriber((_request, response) => response.end(String(ticks)));
    const timer = setInterval(() => {
      ticks += 1;
    }, 700);
    onTestFinished(() => clearInterval(timer));
    const { url } = await good();
    const [found] = await Promise.all([
      Promise.all(
        [mails, lateMail, twoMails, lateQueue, tooLate].map(async ({ only, ...delays }) =>
          tryReceiver(await startShop(delays), { state: true, only }),
        ),
      ),
      expect(tryReceiver({ url, stateUrl: clock.url }, { state: true, only })).rejects.toMatchObject({
        code: "bad_request",
        message: expect.stringContaining("changes without a request"),
      }),
    ]);
    expect(found.map(verdictsOf)).toEqual([
      {},
      {},
      { fail: twoMails.only },
      { fail: only },
      { warn: ["valid-event"], unknown: only },
    ]);
    const [event, duplicate] = found.at(-1)!.hazards;
    expect(event!.summary).toMatch(/still changed \d+\.\d+ s after it, so the other verdicts do not use it/);
    expect(duplicate!.note).toContain("Only the response");
  });
});

/**
 * What a handler does after it has responded, and when, in milliseconds. `twice` and `mailTwice` make it handle
 * duplicates again.
 */
interface ShopDelays {
  orderAfter?: number;
  mailAfter: number;
  mails?: number;
  twice?: boolean;
  mailTwice?: boolean;
}

/** Starts a handler that verifies an event, stores an order and counts an e-mail. */
function startShop({ orderAfter = 0, mailAfter, mails = 1, twice = false, mailTwice = false }: ShopDelays) {
  const seen = new Set<string>();
  const done = { orders: 0, mails: 0 };
  const after = (ms: number, count: () => void) => (ms === 0 ? count() : void setTimeout(count, ms));
  return startReceiver(async (request, response) => {
    if (request.url === "/state") return response.end(JSON.stringify(done));
    const body = Buffer.concat(await request.toArray()).toString();
    if (!verifySignature(body, String(request.headers["x-platform-signature"]), SECRET))
      return response.writeHead(401).end();
    const isRepeat = seen.has(JSON.parse(body).data.id);
    seen.add(JSON.parse(body).data.id);
    if (!isRepeat || twice)
      after(orderAfter, () => {
        done.orders += 1;
      });
    if (!isRepeat || twice || mailTwice)
      for (let mail = 1; mail <= mails; mail++)
        after(mailAfter * mail, () => {
          done.mails += 1;
        });
    return response.writeHead(204).end();
  });
}

describe("a handler that defers an event", () => {
  test("check passes a handler that defers a duplicate while the event is in progress", async () => {
    /** Works on an event until a copy of it arrives or, if none does, for this many milliseconds. */
    const startBusy = (milliseconds: number) => {
      const paid = new Set<string>();
      const busy = new Map<string, () => void>();
      return startCorrect(
        async (event, { id }) => {
          if (busy.has(id)) {
            busy.get(id)!();
            return 409;
          }
          await new Promise<void>((resolve) => {
            busy.set(id, resolve);
            setTimeout(resolve, milliseconds);
          });
          if (event === "payment.completed") paid.add(id);
          busy.delete(id);
          return 204;
        },
        () => ({ paid: paid.size }),
      );
    };
    const only = ["duplicate", "duplicate-at-once", "late-retry"];
    expect(verdictsOf(await tryReceiver(await startBusy(20), { only, state: true }))).toEqual({});
    const unseen = await tryReceiver(await startBusy(1_000), { only: ["duplicate-at-once"] });
    expect(verdictsOf(unseen)).toEqual({ unknown: ["duplicate-at-once"] });
    const statuses = unseen.hazards[1]!.exchanges.map(({ came_back: { status } }) => status);
    // The first five requests only open the handler's connections. In each of the five pairs that follow, one request
    // is sent again.
    expect(statuses.filter((status) => status === 204)).toHaveLength(15);
    expect(statuses.filter((status) => status === 409).length).toBeGreaterThan(0);
  });
});
