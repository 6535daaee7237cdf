import { useSignal } from "@preact/signals";
import { useApp } from "../../components/context.ts";
import { CodeBlock, Copy, CopyLine } from "../../components/copy.tsx";
import { Button, Facts, Pill, Section, Text } from "../../components/parts.tsx";
import type { Game } from "../../models/game/types.ts";
import { href } from "../../models/router.ts";
import { useGame } from "./context.ts";

const SIGNATURES: Record<Game["signatures"], string> = {
  off: "ignored",
  optional: "checked if present",
  required: "required",
};

/** The games that the launcher knows, with what signs their tokens and requests. */
export function Games() {
  const { games } = useGame();
  const { status } = useApp();
  return (
    <div class="stack">
      <p class="card flow">
        <span class="note">Base URL</span>
        <code>{status.value.bases.game}</code>
        <Copy text={status.value.bases.game!} what="the base URL" />
      </p>
      <div class="fit columns">
        {games.map((game) => (
          <GameCard key={game.id} game={game} />
        ))}
      </div>
      <CodeBlock
        text={`game: {\n  games: [{ slug: "my-game", name: "My Game", id: "the-id-my-game-sends" }],\n},`}
        what="the lines for a game of your own"
        label="A game of your own, in sandbox.config.ts"
      />
    </div>
  );
}

function GameCard({ game }: { game: Game }) {
  const shown = useSignal(false);
  const { id, slug, name, secret, signatures } = game;
  return (
    <Section
      title={name}
      class="card"
      actions={
        <span class="flow links">
          <a href={href(["game", "leaderboard"], { game: slug })}>
            Leaderboard<span class="vh"> of {name}</span>
          </a>
          <a href={href(["game", "activities"], { game: slug })}>
            Activities<span class="vh"> in {name}</span>
          </a>
        </span>
      }
    >
      <Facts
        of={[
          ["Slug", <Text key="slug" of={slug} />],
          ["Id", <CopyLine key="id" text={id} what={`the id of ${name}`} />],
          [
            "Secret",
            shown.value ? (
              <CopyLine key="secret" text={secret} what={`the secret of ${name}`} />
            ) : (
              <Button key="show" onClick={() => (shown.value = true)}>
                Show<span class="vh"> the secret of {name}</span>
              </Button>
            ),
          ],
          [
            "Signatures",
            <span key="signatures" class="flow">
              <Pill tone={signatures === "required" ? "good" : "plain"}>{signatures}</Pill>
              <span class="note">{SIGNATURES[signatures]}</span>
            </span>,
          ],
        ]}
      />
    </Section>
  );
}
