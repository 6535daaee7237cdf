import { Choice } from "../../components/field.tsx";
import { Pill, Text } from "../../components/parts.tsx";
import type { Binding } from "../../models/binding.ts";
import { stateOf } from "../../models/game/players.ts";
import type { Game, Session } from "../../models/game/types.ts";
import { href } from "../../models/router.ts";
import { useGame } from "./context.ts";

const TONES = { present: "good", open: "wait", expired: "plain", ended: "plain" } as const;

export function SessionPill({ session, now }: { session: Session; now: number }) {
  const state = stateOf(session, now);
  return <Pill tone={TONES[state]}>{state}</Pill>;
}

export function PlayerLink({ id, username }: { id: string; username: string }) {
  return <Text as="a" href={href(["game", "players", id])} of={username} lines={2} />;
}

/** A game's name in a narrow place. */
export function GameName({ of }: { of: string }) {
  return <Text as="span" class="game-name ellipsis" title={of} of={of} />;
}

interface GameChoiceProps {
  of: Binding<string>;
  /** Whether every game may be meant as well. */
  all?: boolean;
}

/** The games side by side; nothing where there is only one. */
export function GameChoice({ of, all = false }: GameChoiceProps) {
  const { games } = useGame();
  if (games.length < 2) return null;
  const options = games.map(({ slug, name }) => [slug, name] as [string, string]);
  return <Choice label="Game" of={of} options={all ? [["", "All games"], ...options] : options} />;
}

/** The game that a slug names, else the first. */
export function gameNamed(games: Game[], slug: string | undefined): Game {
  return games.find((game) => game.slug === slug || game.id === slug) ?? games[0]!;
}
