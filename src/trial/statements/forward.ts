import type { Socket } from "node:net";

/** Forwards one side's bytes to the other, which may be slower. */
export function forward(to: Socket, chunks: readonly Buffer[], from: Socket): void {
  const isSplit = chunks.length > 1;
  if (isSplit) to.cork();
  let isSlower = false;
  for (const bytes of chunks) isSlower = !to.write(bytes);
  if (isSplit) to.uncork();
  if (!isSlower || from.isPaused()) return;
  from.pause();
  to.once("drain", () => from.resume());
}

export function closeTogether(one: Socket, other: Socket): void {
  one.on("error", () => undefined).on("close", () => other.destroySoon());
  other.on("error", () => undefined).on("close", () => one.destroySoon());
}

/** Forwards all bytes between two sockets. Either may end its side while the other keeps sending. */
export function joinSockets(one: Socket, other: Socket): void {
  one.allowHalfOpen = true;
  other.allowHalfOpen = true;
  closeTogether(one, other);
  one.pipe(other).pipe(one);
}
