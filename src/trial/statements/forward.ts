import type { Socket } from "node:net";

/** Writes one side's bytes to the other side, which may be slower. */
export function forward(to: Socket, chunks: readonly Buffer[], from: Socket): void {
  if (chunks.length > 1) to.cork();
  const isSlower = chunks.map((bytes) => to.write(bytes)).includes(false);
  if (chunks.length > 1) to.uncork();
  if (!isSlower || from.isPaused()) return;
  from.pause();
  to.once("drain", () => from.resume());
}

/** Closes each of two sockets once the other one is closed. */
export function closeTogether(one: Socket, other: Socket): void {
  one.on("error", () => undefined).on("close", () => other.destroySoon());
  other.on("error", () => undefined).on("close", () => one.destroySoon());
}

/** Passes all bytes between two sockets, each of which may end its side alone. */
export function joinSockets(one: Socket, other: Socket): void {
  one.allowHalfOpen = true;
  other.allowHalfOpen = true;
  closeTogether(one, other);
  one.pipe(other).pipe(one);
}
