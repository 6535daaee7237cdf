import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { PAGE_SIZE } from "../../components/list-page.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Pager } from "../../components/pager.tsx";
import { Empty, Text } from "../../components/parts.tsx";
import { Time } from "../../components/time.tsx";
import { useList } from "../../components/use-list.ts";
import { findPlayer, senderName } from "../../models/game/players.ts";
import type { Channel, ChannelMessage } from "../../models/game/types.ts";
import { useGame } from "./context.ts";
import { PlayerLink } from "./parts.tsx";
import { Post } from "./post.tsx";
import { useSeat } from "./seat.ts";

/** As many channels are looked through for the name of this one. */
const MOST_CHANNELS = 100;

/** A channel as one of its players sees it: its messages, newest first, and a line to write in it. */
export function Messages({ channel: id }: { channel: string }) {
  const { api } = useGame();
  const { player, access, address } = useSeat();
  const channel = useSignal<Channel | undefined>(undefined);
  useEffect(() => {
    api.channels(access(), { limit: MOST_CHANNELS, skip: 0 }).then(
      ({ data }) => {
        channel.value = data.find(({ _id }) => _id === id);
      },
      () => undefined,
    );
  }, [id]);
  const { list, filters } = useList<ChannelMessage>({
    path: ["game", "players", player.id, "channels", id],
    names: ["game"],
    read: ({ page, limit }) =>
      api.messages(access(), id, { limit: Number(limit), skip: (Number(page) - 1) * Number(limit) }),
    matters: ({ type, data }) => type.startsWith("message.") && data.channel === id,
  });
  return (
    <div class="stack">
      <div>
        <p class="note">
          <a href={address("channels")}>Channels</a>
        </p>
        <h2>
          <Text of={channel.value?.name ?? "Channel"} lines={2} />
        </h2>
      </div>
      <Loaded of={list}>
        {(state) => (
          <>
            <Post channel={id} participants={channel.value?.participants.map(({ wallet }) => wallet) ?? []} />
            {state.data.length === 0 ? (
              <Empty title="No messages yet.">
                <p>Write above, as this player, as another, or as the game.</p>
              </Empty>
            ) : (
              <div class="stack" data-current={state.current}>
                <ol class="rows" aria-label="Messages, newest first">
                  {state.data.map((message) => (
                    <Message key={message._id} message={message} />
                  ))}
                </ol>
                <Pager
                  page={filters.page.value}
                  size={PAGE_SIZE}
                  total={state.total}
                  onPage={(page) => filters.set({ page: String(page) })}
                />
              </div>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

function Message({ message }: { message: ChannelMessage }) {
  const { games, model } = useGame();
  const { player } = useSeat();
  const { senderId, content, createdAt, updatedAt } = message;
  const sender = findPlayer(model.players.value, senderId);
  const own = senderId === player.address;
  return (
    <li class="chat" data-own={own || undefined}>
      <p class="flow">
        {sender && !own ? (
          <PlayerLink {...sender} />
        ) : (
          <b>
            <Text of={senderName(senderId, model.players.value, games)} lines={1} />
          </b>
        )}
        {!sender && <span class="note">the game</span>}
        <span class="note">
          <Time at={createdAt} />
          {updatedAt !== createdAt && ", edited"}
        </span>
      </p>
      <p class="chat-text">
        <Text of={content} />
      </p>
    </li>
  );
}
