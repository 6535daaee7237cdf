import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useApp } from "../../components/context.ts";
import { Field } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Empty, Pill, Problem, Section, Submit, Text } from "../../components/parts.tsx";
import { useSubmit } from "../../components/sending.ts";
import { VirtualList } from "../../components/virtual-list.tsx";
import { createFilters } from "../../models/filters.ts";
import { clip, count } from "../../models/format.ts";
import { itemsText, openCounts, searchPlayers } from "../../models/game/players.ts";
import type { Player } from "../../models/game/types.ts";
import { href } from "../../models/router.ts";
import { useGame } from "./context.ts";

const ROW = 2.5;

/** Everybody who plays, found by name or wallet. */
export function Players() {
  const { router, clock } = useApp();
  const { model } = useGame();
  const filters = useMemo(() => createFilters(router, ["game", "players"], ["search"]), []);
  const { search = "" } = filters.values.value;
  const all = model.players.value;
  const found = searchPlayers(all, search);
  const open = openCounts(model.sessions.value, clock.second.value);
  return (
    <div class="stack game-parts">
      <div class="filters">
        <Field
          label="Search name or wallet"
          type="search"
          of={filters.field("search")}
          placeholder="press / to search"
        />
        <p class="note game-found" role="status">
          {search ? `${count(found.length, "player")} of ${all.length}` : count(all.length, "player")}
        </p>
      </div>
      {found.length > 0 ? (
        <VirtualList
          label="Players"
          items={found}
          keyOf={({ id }) => id}
          row={ROW}
          rows={14}
          render={(player) => <Row player={player} open={open.get(player.id) ?? 0} />}
        />
      ) : (
        <Empty title={search ? "No player matches." : "No players yet."}>
          A wallet without a player creates one: add it below.
        </Empty>
      )}
      <JoinPlayer />
    </div>
  );
}

function Row({ player, open }: { player: Player; open: number }) {
  return (
    <a class="pick player-row" href={href(["game", "players", player.id])}>
      <Text as="span" class="ellipsis" of={player.username} />
      <code class="player-wallet">{clip(player.address, 20)}</code>
      <Text as="span" class="note ellipsis player-items" of={itemsText(player)} />
      {open > 0 ? <Pill tone="good">{count(open, "open session")}</Pill> : <span />}
    </a>
  );
}

/** The player with a wallet, or a new one. */
function JoinPlayer() {
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
        <Submit disabled={address.value.trim() === ""}>Play</Submit>
      </Form>
      {error.value && <Problem error={error.value} />}
    </Section>
  );
}
