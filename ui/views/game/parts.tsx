import type { ComponentChildren } from "preact";
import { Choice } from "../../components/field.tsx";
import { Button, Pill, Text } from "../../components/parts.tsx";
import type { Binding } from "../../models/binding.ts";
import { number } from "../../models/format.ts";
import { stateOf } from "../../models/game/sessions.ts";
import type { Game, Session } from "../../models/game/types.ts";
import { href } from "../../models/router.ts";
import { useGame } from "./context.ts";

const TONES = { present: "good", open: "wait", expired: "plain", ended: "plain" } as const;

export function SessionPill({ session, now }: { session: Session; now: number }) {
  const state = stateOf(session, now);
  return <Pill tone={TONES[state]}>{state}</Pill>;
}

export function PlayerLink({ id, username }: { id: string; username: string }) {
  return (
    <a href={href(["game", "players", id])}>
      <Text of={username} lines={2} />
    </a>
  );
}

/** A game's name in a narrow place. */
export function GameName({ of }: { of: string }) {
  return (
    <span class="game-name ellipsis" title={of}>
      <Text of={of} />
    </span>
  );
}

/** The games side by side; nothing where there is only one. */
export function GameChoice({
  of,
  all = false,
}: {
  of: Binding<string>;
  /** Whether every game may be meant as well. */
  all?: boolean;
}) {
  const { games } = useGame();
  if (games.length < 2) return null;
  const options = games.map(({ slug, name }) => [slug, name] as [string, string]);
  return <Choice label="Game" of={of} options={all ? [["", "All games"], ...options] : options} />;
}

/** The game that a slug names, else the first. */
export function gameNamed(games: Game[], slug: string | undefined): Game {
  return games.find((game) => game.slug === slug || game.id === slug) ?? games[0]!;
}

/** From page to page of a list that does not say how long it is. */
export function Steps({
  page,
  size,
  shown,
  words = ["Newer", "Older"],
  onPage,
}: {
  page: number;
  size: number;
  shown: number;
  words?: [before: string, after: string];
  onPage: (page: number) => void;
}): ComponentChildren {
  if (page === 1 && shown < size) return null;
  const from = (page - 1) * size;
  return (
    <nav class="pager" aria-label="Pages">
      <span class="note" role="status">
        {shown === 0 ? "no more" : `${number(from + 1)} to ${number(from + shown)}`}
      </span>
      <div class="actions">
        <Button icon="left" disabled={page <= 1} onClick={() => onPage(page - 1)}>
          {words[0]}
        </Button>
        <Button disabled={shown < size} onClick={() => onPage(page + 1)}>
          {words[1]}
        </Button>
      </div>
    </nav>
  );
}
