import type { Sandbox } from "../sandbox/sandbox.ts";
import { wallTimer } from "../world/clock.ts";
import type { Follower } from "./pace.ts";

/** Real milliseconds within which changes of the clock are sent as one: an advance makes many. */
const TOGETHER_MS = 50;

/**
 * Sends the state of the clock, and sends it again when the clock was moved or set, another timer is due next, or an
 * advance made progress.
 * @returns the unsubscribe
 */
export function followClock(sandbox: Sandbox, { send, whenReady }: Follower): () => void {
  let last = "";
  let moved = true;
  let cancel: (() => void) | undefined;

  function sendChange(): void {
    cancel = undefined;
    const message = sandbox.clock.message();
    const { next_due, advance } = message.data;
    const state = JSON.stringify([next_due, advance]);
    if (!moved && state === last) return;
    moved = false;
    last = state;
    send(message);
  }

  const stopFollowing = sandbox.clock.onChange((clockMoved) => {
    moved ||= clockMoved;
    cancel ??= wallTimer(TOGETHER_MS, () => whenReady(sendChange));
  });
  sendChange();
  return () => {
    cancel?.();
    stopFollowing();
  };
}
