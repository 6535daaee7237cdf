import type { Socket } from "node:net";

/** Forwards one side's bytes to the other, which may be slower. */
export function forward(to: Socket, chunks: readonly Buffer[], from: Socket): void {
  if (chunks.length > 1) to.cork();
  const isSlower = chunks.map((bytes) => to.write(bytes)).includes(false);
  if (chunks.length > 1) to.uncork();
  if (!isSlower || from.isPaused()) return;
  from.pause();
  to.once("drain", () => from.resume());
}

/** Closes each of two sockets once the other one closes. */
export function closeTogether(one: Socket, other: Socket): void {
  one.on("error", () => undefined).on("close", () => other.destroySoon());
  other.on("error", () => undefined).on("close", () => one.destroySoon());
}
