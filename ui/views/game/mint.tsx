import { useSignal } from "@preact/signals";
import { ApiError } from "../../api.ts";
import { useApp } from "../../components/context.ts";
import { CodeBlock } from "../../components/copy.tsx";
import { Field } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Button, Empty, Problem, Section, Text } from "../../components/parts.tsx";
import { useSubmit } from "../../components/sending.ts";
import { Away, Time } from "../../components/time.tsx";
import { toMs } from "../../models/format.ts";
import type { Token } from "../../models/game/types.ts";
import { useGame, useSeat } from "./context.ts";

/** The lifetime that is proposed. */
const LIFETIME = "24h";

/** Mints a launcher JWT, to be copied. */
export function Mint() {
  const { model } = useGame();
  const { player, game } = useSeat();
  const lifetime = useSignal(LIFETIME);
  const minted = useSignal<Token | undefined>(undefined);
  const { error, send } = useSubmit(async () => {
    minted.value = await model.mint(player, game, lifetime.value.trim());
  });
  const ofLifetime = error.value instanceof ApiError && error.value.code === "invalid_duration";
  return (
    <Section
      title="Mint a token"
      note={
        <>
          A launcher JWT for <Text of={game.name} />; each opens a session.
        </>
      }
    >
      <Form class="flow game-form" onSend={send}>
        <Field
          label="Lifetime, virtual"
          of={lifetime}
          error={ofLifetime ? error.value?.message : undefined}
          hint="Like 90s, 24h or 7d."
          width="12rem"
        />
        <Button look="main" type="submit">
          Mint
        </Button>
      </Form>
      {error.value && !ofLifetime && <Problem error={error.value} />}
      {minted.value && <Minted token={minted.value} />}
    </Section>
  );
}

function Minted({ token: { token, expires_at } }: { token: Token }) {
  const { status } = useApp();
  const { game } = useSeat();
  const body = JSON.stringify({ launcherJwt: token });
  return (
    <div class="section">
      <CodeBlock text={token} what="the token" label="launcherJwt" />
      {game.signatures !== "required" && (
        <CodeBlock
          text={`curl -s ${status.value.bases.game}/launcher/channel-heartbeat -H 'content-type: application/json' -d '${body}'`}
          what="the curl line"
          label="Its first call makes the player present for two minutes"
        />
      )}
      <p class="note" role="status">
        Valid until <Time at={expires_at} />, <Away at={toMs(expires_at)} />.
      </p>
    </div>
  );
}

/** What stands where a token of the player is needed, and none holds. */
export function MintFirst() {
  const { toasts } = useApp();
  const { model } = useGame();
  const { player, game } = useSeat();
  return (
    <Empty title="This player has no valid token.">
      <p>
        This is read as the player would read it, with a token for <Text of={game.name} />.
      </p>
      <Button look="main" onSend={() => toasts.attempt(() => model.mint(player, game, LIFETIME))}>
        Mint one for 24 hours
      </Button>
    </Empty>
  );
}
