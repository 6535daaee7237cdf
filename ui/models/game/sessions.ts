import { toMs } from "../format.ts";
import type { Session } from "./types.ts";

export type SessionState = "present" | "open" | "expired" | "ended";

/** How it is with a session at a virtual instant. */
export function stateOf({ ended_at, expires_at, present }: Session, now: number): SessionState {
  if (ended_at !== null) return "ended";
  if (toMs(expires_at) <= now) return "expired";
  return present ? "present" : "open";
}

/** Whether a session can still be used, and ended. */
export const goesOn = (state: SessionState): boolean => state === "present" || state === "open";

const holds = (session: Session, now: number) => session.token !== null && goesOn(stateOf(session, now));

/** The newest session of a player with a game whose token holds; the list has the newest first. */
export function openSession(
  sessions: readonly Session[],
  player: string,
  game: string,
  now: number,
): Session | undefined {
  return sessions.find(
    (session) => session.player_id === player && session.game_id === game && holds(session, now),
  );
}

/** How many sessions of each player go on. */
export function openCounts(sessions: readonly Session[], now: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const session of sessions)
    if (goesOn(stateOf(session, now)))
      counts.set(session.player_id, (counts.get(session.player_id) ?? 0) + 1);
  return counts;
}
