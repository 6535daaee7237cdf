import { useComputed } from "@preact/signals";
import { useApp } from "../../components/context.ts";
import { Copy } from "../../components/copy.tsx";
import { ButtonLink, Empty, Time, ViewHead } from "../../components/parts.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { bind } from "../../models/binding.ts";
import { isolated } from "../../models/format.ts";
import { itemsText, openSession } from "../../models/game/players.ts";
import type { Player } from "../../models/game/types.ts";
import { href } from "../../models/router.ts";
import { type Seat, SeatProvider, useGame } from "./context.ts";
import { Channels, Messages } from "./messages.tsx";
import { GameChoice, gameNamed } from "./parts.tsx";
import { Mint, MintFirst, Sessions } from "./sessions.tsx";
import { Scores, States } from "./states.tsx";

const TABS = [
  ["", "Sessions"],
  ["channels", "Channels"],
  ["states", "States"],
  ["scores", "Scores"],
] as const;

/** One player, in one game at a time: what is read, is read as that player. */
export function PlayerPage({ id, parts: [tab = "", item] }: { id: string; parts: string[] }) {
  const { router, clock } = useApp();
  const { model, games } = useGame();
  const player = model.players.value.find((candidate) => candidate.id === id);
  const game = gameNamed(games, router.route.value.query.get("game") ?? undefined);
  const slug = game === games[0] ? undefined : game.slug;
  const token = useComputed(() => {
    const named = gameNamed(games, router.route.value.query.get("game") ?? undefined);
    return openSession(model.sessions.value, id, named.id, clock.second.value)?.token ?? undefined;
  });
  if (!player)
    return (
      <Empty title="This player no longer exists.">
        <a href="#/game">All players</a>
      </Empty>
    );

  const seat: Seat = {
    player,
    game,
    access: () => ({ game, token: token.peek() ?? "" }),
    address: (...rest) => href(["game", "players", id, ...rest], { game: slug }),
  };
  return (
    <SeatProvider value={seat}>
      <div class="view game">
        <Head player={player} game={game.slug} />
        <GameChoice
          of={bind(game.slug, (next) => router.replace(href(["game", "players", id, tab], { game: next })))}
        />
        <Tabs label="Parts of this player" current={tab} tabs={TABS} hrefOf={(name) => seat.address(name)} />
        <Part key={game.id} tab={tab} item={item} holds={token.value !== undefined} />
      </div>
    </SeatProvider>
  );
}

function Part({ tab, item, holds }: { tab: string; item: string | undefined; holds: boolean }) {
  if (tab === "")
    return (
      <div class="stack game-parts">
        <Mint />
        <Sessions />
      </div>
    );
  if (!holds) return <MintFirst />;
  if (tab === "channels" && item) return <Messages key={item} channel={item} />;
  if (tab === "channels") return <Channels />;
  if (tab === "states") return <States />;
  if (tab === "scores") return <Scores />;
  return <Empty title="A player has no such part." />;
}

function Head({ player, game }: { player: Player; game: string }) {
  const { games } = useGame();
  const { username, address, created_at } = player;
  const items = itemsText(player, gameNamed(games, game).id);
  return (
    <ViewHead
      path={<a href="#/game">Players</a>}
      facts={
        <>
          <p class="flow">
            <code>{address}</code>
            <Copy text={address} what="the wallet" />
          </p>
          <p class="note">
            joined <Time at={created_at} />
            {items && `, has ${isolated(items)}`}
          </p>
        </>
      }
      title={username}
    >
      <div class="actions">
        <ButtonLink to={href(["game", "rules"], { player: username, game })}>Trigger rules</ButtonLink>
        <ButtonLink to={href(["game", "activities"], { wallet: address, game })}>Activities</ButtonLink>
      </div>
    </ViewHead>
  );
}
