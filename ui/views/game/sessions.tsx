import { useEffect } from "preact/hooks";
import { useApp } from "../../components/context.ts";
import { Copy } from "../../components/copy.tsx";
import { type Column, Table } from "../../components/list-page.tsx";
import { Button, Empty, Section } from "../../components/parts.tsx";
import { Away, Time } from "../../components/time.tsx";
import { toMs } from "../../models/format.ts";
import { goesOn, stateOf } from "../../models/game/players.ts";
import type { Session } from "../../models/game/types.ts";
import { useGame, useSeat } from "./context.ts";
import { GameName, gameNamed, SessionPill } from "./parts.tsx";

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
      title: "Do",
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
        <Empty title="No sessions yet.">
          <p>Mint a token above: it opens one.</p>
        </Empty>
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
