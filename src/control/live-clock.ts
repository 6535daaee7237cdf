import type { Sandbox } from "../sandbox/sandbox.ts";
import { wallTimer } from "../world/clock.ts";
import type { ClockMessage } from "../world/clock-message.ts";

/** Changes of the clock within so many real milliseconds are told together: an advance makes many. */
const TOGETHER_MS = 50;

/**
 * Tells where the clock stands now, and again whenever it was moved or set, something else is due next, or an advance
 * got further.
 * @returns the end of it
 */
export function followClock(sandbox: Sandbox, send: (message: ClockMessage) => void): () => void {
  let last = "";
  let moved = false;
  let cancel: (() => void) | undefined;

  function tell(): void {
    cancel = undefined;
    const message = sandbox.clock.message();
    const { next_due, advance } = message.data;
    const state = JSON.stringify([next_due, advance]);
    if (!moved && state === last) return;
    moved = false;
    last = state;
    send(message);
  }

  const tellSoon = () => {
    cancel ??= wallTimer(TOGETHER_MS, tell);
  };
  const stopFollowing = sandbox.clock.onChange((clockMoved) => {
    moved ||= clockMoved;
    tellSoon();
  });
  const stop = () => {
    cancel?.();
    stopFollowing();
    forget();
  };
  // A world that ends has no clock to read, and its listeners' connections close a moment later.
  const forget = sandbox.onClose(stop);
  moved = true;
  tell();
  return stop;
}
