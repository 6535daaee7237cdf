import { useMemo } from "preact/hooks";
import { useApp, useModel } from "../../components/context.ts";
import { Empty, Problem, Unread, ViewHead } from "../../components/parts.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { createGameApi } from "../../models/game/api.ts";
import { GameModel } from "../../models/game/model.ts";
import { href } from "../../models/router.ts";
import type { ViewProps } from "../registry.ts";
import { Activities } from "./activities.tsx";
import { GameProvider } from "./context.ts";
import { Games } from "./games.tsx";
import { Leaderboard } from "./leaderboard.tsx";
import { PlayerPage } from "./player.tsx";
import { Players } from "./players.tsx";
import { Rules } from "./rules.tsx";
import "./game.css";

const TABS = [
  ["players", "Players"],
  ["rules", "Rules"],
  ["leaderboard", "Leaderboard"],
  ["activities", "Activities"],
  ["games", "Games"],
] as const;

/** The game launcher: who plays, what they did, and what rules made of it. */
export default function GameView({ parts }: ViewProps) {
  const { api: page, live, clock } = useApp();
  const api = useMemo(() => createGameApi(page.transport), [page]);
  const model = useModel(() => new GameModel(api, live, clock.exact), [api]);
  const games = model.games.value;
  const [tab = "players", id] = parts;
  if (!games) return <Unread of={model} />;
  return (
    <GameProvider value={{ api, model, games }}>
      {tab === "players" && id ? (
        <PlayerPage key={id} id={id} parts={parts.slice(2)} />
      ) : (
        <div class="view game">
          <ViewHead
            title="Game"
            note="Play as anybody: mint a token, talk, keep scores, and see which rules fire."
          />
          <Tabs
            label="Parts of the game launcher"
            current={tab}
            tabs={TABS}
            hrefOf={(name) => href(["game", name])}
          />
          {model.error.value && <Problem error={model.error.value} retry={() => void model.read()} />}
          <Part tab={tab} />
        </div>
      )}
    </GameProvider>
  );
}

function Part({ tab }: { tab: string }) {
  if (tab === "players") return <Players />;
  if (tab === "rules") return <Rules />;
  if (tab === "leaderboard") return <Leaderboard />;
  if (tab === "activities") return <Activities />;
  if (tab === "games") return <Games />;
  return (
    <Empty title="There is no such part of the game launcher.">
      <a href="#/game">All players</a>
    </Empty>
  );
}
