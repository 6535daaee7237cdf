import { useSignal } from "@preact/signals";
import { Field, Select } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Button, Problem } from "../../components/parts.tsx";
import { useSubmit } from "../../components/sending.ts";
import { clip } from "../../models/format.ts";
import { senderName } from "../../models/game/players.ts";
import { useGame } from "./context.ts";
import { useSeat } from "./seat.ts";

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
