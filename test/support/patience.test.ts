import { expect, onTestFinished, test, vi } from "vitest";
import { createWaiting } from "./patience.ts";

test("a wait fails a minute after the last progress and says what is missing", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const waiting = createWaiting();
  let attempts = 0;
  const missed = expect(
    waiting.until(
      () => attempts > 1,
      () => `attempt 2 to wh_1, ${attempts} arrived`,
    ),
  ).rejects.toThrow("Nothing came for 60 s: attempt 2 to wh_1, 1 arrived");
  await vi.advanceTimersByTimeAsync(59_000);
  attempts = 1;
  waiting.check();
  await vi.advanceTimersByTimeAsync(60_000);
  await missed;
});
