import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Field, Select } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { type Column, ListPage, useList } from "../../components/list-page.tsx";
import { Empty, Problem, Submit, Text, Time } from "../../components/parts.tsx";
import { useSubmit } from "../../components/sending.ts";
import { clip, count } from "../../models/format.ts";
import { findPlayer, senderName } from "../../models/game/players.ts";
import type { Channel, ChannelMessage } from "../../models/game/types.ts";
import { ofTypes } from "../../models/refresh.ts";
import { useGame, useSeat } from "./context.ts";
import { PlayerLink } from "./parts.tsx";

const MATTERS = ofTypes("channel.*", "message.*");

/** The channels of a player with the game, those with news first. */
export function Channels() {
  const { api } = useGame();
  const { player, access, address } = useSeat();
  const page = useList<Channel>({
    path: ["game", "players", player.id, "channels"],
    names: ["game"],
    read: (_query, slice) => api.channels(access(), slice),
    matters: MATTERS,
  });
  const columns: Column<Channel>[] = [
    {
      title: "Channel",
      cell: ({ _id, name }) => <Text as="a" href={address("channels", _id)} of={name} lines={2} />,
    },
    { title: "With", cell: ({ participants }) => count(participants.length, "participant") },
    { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: "News", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
  return (
    <ListPage
      label="Channels"
      of={page}
      columns={columns}
      keyOf={({ _id }) => _id}
      empty={
        <Empty title="This player is in no channel of the game.">
          <code>create-message-channel</code> makes one with other players.
        </Empty>
      }
    />
  );
}

/** As many channels are looked through for the name of this one. */
const MOST_CHANNELS = 100;

/** A channel as one of its players sees it: its messages, newest first, and a line to write in it. */
export function Messages({ channel: id }: { channel: string }) {
  const { api } = useGame();
  const { player, access, address } = useSeat();
  const channel = useSignal<Channel | undefined>(undefined);
  useEffect(() => {
    api.channels(access(), { limit: MOST_CHANNELS, skip: 0 }).then(
      ({ data }) => (channel.value = data.find(({ _id }) => _id === id)),
      () => undefined,
    );
  }, [id]);
  const page = useList<ChannelMessage>({
    path: ["game", "players", player.id, "channels", id],
    names: ["game"],
    read: (_query, slice) => api.messages(access(), id, slice),
    matters: ({ type, data }) => type.startsWith("message.") && data.channel === id,
  });
  return (
    <div class="stack">
      <div>
        <p class="note">
          <a href={address("channels")}>Channels</a>
        </p>
        <Text as="h2" of={channel.value?.name ?? "Channel"} lines={2} />
      </div>
      <Post channel={id} participants={channel.value?.participants.map(({ wallet }) => wallet) ?? []} />
      <ListPage
        of={page}
        empty={
          <Empty title="No messages yet.">Write above, as this player, as another, or as the game.</Empty>
        }
      >
        {(messages) => (
          <ol class="rows" aria-label="Messages, newest first">
            {messages.map((message) => (
              <Message key={message._id} message={message} />
            ))}
          </ol>
        )}
      </ListPage>
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
          <Text as="b" of={senderName(senderId, model.players.value, games)} lines={1} />
        )}
        {!sender && <span class="note">the game</span>}
        <span class="note">
          <Time at={createdAt} />
          {updatedAt !== createdAt && ", edited"}
        </span>
      </p>
      <Text as="p" class="chat-text" of={content} />
    </li>
  );
}

/** Stands for the game itself among those who may write. */
const THE_GAME = "";

/** A message in a channel, as any of its players or as the game. */
export function Post({ channel, participants }: { channel: string; participants: string[] }) {
  const { api, model, games } = useGame();
  const { player, game } = useSeat();
  const from = useSignal(player.address);
  const content = useSignal("");
  const others = participants.filter((wallet) => wallet !== player.address);

  const { error, send } = useSubmit(async () => {
    await api.postMessage({
      channel,
      content: content.value,
      ...(from.value === THE_GAME ? {} : { from: from.value }),
    });
    content.value = "";
  });
  return (
    <Form class="card section" aria-label="Write a message" onSend={send}>
      <div class="flow game-form">
        <Select
          label="Write as"
          of={from}
          options={[
            [player.address, clip(player.username, 40)],
            [THE_GAME, `the game, ${clip(game.name, 40)}`],
            ...others.map(
              (wallet) =>
                [wallet, clip(senderName(wallet, model.players.value, games), 40)] as [string, string],
            ),
          ]}
        />
        <Field label="Message" of={content} />
        <Submit disabled={content.value === ""}>Post</Submit>
      </div>
      {error.value && <Problem error={error.value} />}
    </Form>
  );
}
