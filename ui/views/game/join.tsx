import { useSignal } from "@preact/signals";
import { useApp } from "../../components/context.ts";
import { Field } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Button, Problem, Section } from "../../components/parts.tsx";
import { useSubmit } from "../../components/sending.ts";
import { href } from "../../models/router.ts";
import { useGame } from "./context.ts";

/** The player with a wallet, or a new one. */
export function JoinPlayer() {
  const { router } = useApp();
  const { api, games } = useGame();
  const address = useSignal("");
  const { error, send } = useSubmit(async () => {
    const { player } = await api.mint({ address: address.value.trim(), gameId: games[0]!.id });
    router.go(href(["game", "players", player.id]));
  });

  return (
    <Section
      title="Play with a wallet"
      note="Mints a token that is valid for 24 hours. A wallet without a player creates one."
    >
      <Form class="flow game-form" onSend={send}>
        <Field label="Wallet" of={address} placeholder="0x and 40 hexadecimal characters" />
        <Button look="main" type="submit" disabled={address.value.trim() === ""}>
          Play
        </Button>
      </Form>
      {error.value && <Problem error={error.value} />}
    </Section>
  );
}
