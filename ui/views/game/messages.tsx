import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Field, Select } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { ListPage, useList } from "../../components/list-page.tsx";
import { Button, Empty, Problem, Text } from "../../components/parts.tsx";
import { useSubmit } from "../../components/sending.ts";
import { Time } from "../../components/time.tsx";
import { clip } from "../../models/format.ts";
import { findPlayer, senderName } from "../../models/game/players.ts";
import type { Channel, ChannelMessage } from "../../models/game/types.ts";
import { useGame, useSeat } from "./context.ts";
import { PlayerLink } from "./parts.tsx";

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
  const { list, filters } = useList<ChannelMessage>({
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
        <h2>
          <Text of={channel.value?.name ?? "Channel"} lines={2} />
        </h2>
      </div>
      <Post channel={id} participants={channel.value?.participants.map(({ wallet }) => wallet) ?? []} />
      <ListPage
        list={list}
        filters={filters}
        empty={
          <Empty title="No messages yet.">
            <p>Write above, as this player, as another, or as the game.</p>
          </Empty>
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
        <Button look="main" type="submit" disabled={content.value === ""}>
          Post
        </Button>
      </div>
      {error.value && <Problem error={error.value} />}
    </Form>
  );
}
