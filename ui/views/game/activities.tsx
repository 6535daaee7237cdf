import { Choice, Field } from "../../components/field.tsx";
import { type Column, ListPage, useList } from "../../components/list-page.tsx";
import { Empty, Pill, Text, Time } from "../../components/parts.tsx";
import type { Activity } from "../../models/game/types.ts";
import { useGame } from "./context.ts";
import { GameChoice, GameName, PlayerLink } from "./parts.tsx";

const COLUMNS: Column<Activity>[] = [
  { title: "Time", cell: ({ timestamp }) => <Time at={timestamp} /> },
  { title: "What", cell: ({ displayText }) => <Text of={displayText} lines={3} /> },
  { title: "Player", cell: ({ user }) => <PlayerLink {...user} /> },
  { title: "Game", cell: ({ gameName }) => <GameName of={gameName} /> },
  { title: "Type", cell: ({ type }) => <Pill tone={type === "on-chain" ? "good" : "plain"}>{type}</Pill> },
];

/** What players did, newest first. */
export function Activities() {
  const { api } = useGame();
  const page = useList<Activity>({
    path: ["game", "activities"],
    names: ["game", "type", "wallet"],
    read: ({ page, limit, game, type, wallet }) =>
      api.activities({ pageSize: limit, pageNumber: page, gameId: game, type, walletAddress: wallet }),
    matters: ({ type }) => type === "activity.added" || type === "player.removed",
  });
  const { game = "", type = "", wallet = "" } = page.filters.values.value;
  return (
    <div class="stack">
      <div class="filters">
        <Field
          label="Wallet"
          type="search"
          of={page.filters.field("wallet", (text) => text.trim())}
          placeholder="0x…"
        />
        <Choice
          label="Type"
          of={page.filters.field("type")}
          options={[
            ["", "All"],
            ["on-chain", "On-chain"],
            ["off-chain", "Off-chain"],
          ]}
        />
        <GameChoice all of={page.filters.field("game")} />
      </div>
      <ListPage
        label="Activities"
        of={page}
        columns={COLUMNS}
        keyOf={({ eventId, timestamp, user }) => `${timestamp} ${eventId} ${user.id}`}
        empty={
          <Empty title={game || type || wallet ? "No activity matches." : "No activity yet."}>
            <code>send-custom-activity</code> adds one, and so do <a href="#/game/rules">rules</a>.
          </Empty>
        }
      />
    </div>
  );
}
