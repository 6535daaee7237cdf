import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError } from "../../api.ts";
import type { Duration } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { CodeBlock, Copy } from "../../components/copy.tsx";
import { Field } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { type Column, Table } from "../../components/list-page.tsx";
import { Away, Button, Empty, Problem, Section, Submit, Text, Time } from "../../components/parts.tsx";
import { useSubmit } from "../../components/sending.ts";
import { toMs } from "../../models/format.ts";
import { goesOn, stateOf } from "../../models/game/players.ts";
import type { Session, Token } from "../../models/game/types.ts";
import { useGame, useSeat } from "./context.ts";
import { GameName, gameNamed, SessionPill } from "./parts.tsx";

/** The lifetime that is proposed. */
const LIFETIME = "24h";

/** Mints a launcher JWT, to be copied. */
export function Mint() {
  const { model } = useGame();
  const { player, game } = useSeat();
  const lifetime = useSignal(LIFETIME);
  const minted = useSignal<Token | undefined>(undefined);
  const { error, send } = useSubmit(async () => {
    minted.value = await model.mint(player, game, lifetime.value.trim() as Duration);
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
        <Submit>Mint</Submit>
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
    <Empty
      title="This player has no valid token."
      actions={
        <Button look="main" onSend={() => toasts.attempt(() => model.mint(player, game, LIFETIME))}>
          Mint one for 24 hours
        </Button>
      }
    >
      This is read as the player would read it, with a token for <Text of={game.name} />.
    </Empty>
  );
}

const SHOWN = 50;
const POLL_MS = 2_000;

/** The sessions of a player with every game, newest first. */
export function Sessions() {
  const { clock, machine, toasts } = useApp();
  const { api, model, games } = useGame();
  const { player } = useSeat();
  const now = clock.second.value;
  useEffect(
    () =>
      machine.every(POLL_MS, () => {
        if (document.visibilityState === "visible") void model.readSessions();
      }),
    [model],
  );
  const sessions = model.sessions.value.filter(({ player_id }) => player_id === player.id);

  const end = async ({ id }: Session) => {
    const ended = await toasts.attempt(() => api.endSession(id));
    if (!ended) return;
    await model.read();
    toasts.done("The session is ended: its token is refused from now on.");
  };
  const columns: Column<Session>[] = [
    { title: "State", cell: (session) => <SessionPill session={session} now={now} /> },
    { title: "Game", cell: ({ game_id }) => <GameName of={gameNamed(games, game_id).name} /> },
    { title: "Opened", cell: ({ opened_at }) => <Time at={opened_at} /> },
    {
      title: "Ends",
      cell: (session) =>
        stateOf(session, now) === "ended" ? (
          <Time at={session.ended_at!} />
        ) : (
          <span title={session.expires_at}>
            <Away at={toMs(session.expires_at)} />
          </span>
        ),
    },
    {
      title: "Last heartbeat",
      cell: ({ last_heartbeat_at: at }) => (at ? <Away at={toMs(at)} /> : <span class="note">none</span>),
    },
    {
      title: "Actions",
      actions: true,
      cell: (session) => (
        <span class="cell-actions">
          {goesOn(stateOf(session, now)) && (
            <>
              {session.token && <Copy text={session.token} what={`the token of ${session.id}`} />}
              <Button onSend={() => end(session)}>
                End<span class="vh"> session {session.id}</span>
              </Button>
            </>
          )}
        </span>
      ),
    },
  ];
  return (
    <Section
      title="Sessions"
      note="Each token opens one. A heartbeat makes its player present for two minutes of virtual time."
    >
      {sessions.length === 0 ? (
        <Empty title="No sessions yet.">Mint a token above: it opens one.</Empty>
      ) : (
        <Table label="Sessions" columns={columns} items={sessions.slice(0, SHOWN)} keyOf={({ id }) => id} />
      )}
      {sessions.length > SHOWN && (
        <p class="note">
          The newest {SHOWN} of {sessions.length}.
        </p>
      )}
    </Section>
  );
}
