import { type Column, ListPage, useList } from "../../components/list-page.tsx";
import { Empty, Text } from "../../components/parts.tsx";
import { Time } from "../../components/time.tsx";
import { count } from "../../models/format.ts";
import type { Channel } from "../../models/game/types.ts";
import { ofTypes } from "../../models/refresh.ts";
import { useGame, useSeat } from "./context.ts";

const MATTERS = ofTypes("channel.*", "message.*");

/** The channels of a player with the game, those with news first. */
export function Channels() {
  const { api } = useGame();
  const { player, access, address } = useSeat();
  const { list, filters } = useList<Channel>({
    path: ["game", "players", player.id, "channels"],
    names: ["game"],
    read: (_query, slice) => api.channels(access(), slice),
    matters: MATTERS,
  });
  const columns: Column<Channel>[] = [
    {
      title: "Channel",
      cell: ({ _id, name }) => (
        <a href={address("channels", _id)}>
          <Text of={name} lines={2} />
        </a>
      ),
    },
    { title: "With", cell: ({ participants }) => count(participants.length, "participant") },
    { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: "News", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
  return (
    <ListPage
      label="Channels"
      list={list}
      filters={filters}
      columns={columns}
      keyOf={({ _id }) => _id}
      empty={
        <Empty title="This player is in no channel of the game.">
          <p>
            <code>create-message-channel</code> makes one with other players.
          </p>
        </Empty>
      }
    />
  );
}
