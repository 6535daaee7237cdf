import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError } from "../api.ts";
import { createKeys } from "../keys.ts";
import { NEXT, STEPS } from "../models/advances.ts";
import { href } from "../models/router.ts";
import { rootOf } from "../models/worlds.ts";
import { VIEWS, type ViewProps } from "../views/registry.ts";
import { ClockBar } from "./clock/bar.tsx";
import { Summary, SummaryEntries } from "./clock/summary.tsx";
import { useApp } from "./context.ts";
import { Help } from "./help.tsx";
import { Nav } from "./nav.tsx";
import { Button, Empty, Loading, Problem } from "./parts.tsx";
import { useArrival } from "./use-arrival.ts";

export function Shell() {
  const app = useApp();
  const hasEnded = app.live.connection.value.state === "ended";
  const presenting = app.prefs.presenting.value;
  const isHelping = useSignal(false);
  const help = () => (isHelping.value = true);
  useEffect(() => {
    const press = createKeys(hasEnded ? {} : keyMap(app, help), {
      now: app.machine.now,
      letters: () => app.prefs.letters.peek(),
    });
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [app, hasEnded]);
  useArrival();

  return (
    <div class={presenting ? "presentation" : "page"}>
      <button type="button" class="skip" onClick={toContent}>
        Skip to content
      </button>
      <ClockBar />
      {!hasEnded && !presenting && <Summary />}
      <div class="body">
        {!presenting && <Nav onHelp={help} />}
        {!hasEnded && <SummaryEntries />}
        <CurrentView />
      </div>
      <div class="dock">
        <ToastList />
      </div>
      {isHelping.value && <Help onClose={() => (isHelping.value = false)} />}
    </div>
  );
}

function toContent(): void {
  document.querySelector<HTMLElement>("main")?.focus();
}

const UNLOADED = new ApiError(0, {
  message: "This part of the page could not be loaded.",
  hint: "Try again to reload the page.",
});

type Loaded = { Component: ComponentType<ViewProps> } | { error: Error };

function CurrentView() {
  const { api, live, router, status } = useApp();
  const hasEnded = live.connection.value.state === "ended";
  const { view: name, parts, query } = router.route.value;
  const view = VIEWS.find((candidate) => candidate.name === name);
  // The views by name, so a view that loads late does not replace one that the user has chosen since.
  const loaded = useSignal<Readonly<Record<string, Loaded>>>({});
  useEffect(() => {
    if (!view) return;
    const before = loaded.peek()[name];
    // Retrying requires reloading the page: styles are loaded only once per page, and some browsers cache a failed
    // script.
    if (before && "error" in before && live.connection.peek().state === "open") return location.reload();
    const keep = (one: Loaded) => {
      loaded.value = { ...loaded.peek(), [name]: one };
    };
    view.load().then(
      ({ default: Component }) => keep({ Component }),
      async () => {
        const fail = (error: Error) => keep({ error });
        await api.status().then(() => fail(UNLOADED), fail);
      },
    );
  }, [name]);

  const shown = loaded.value[name];
  return (
    <main id="main" class="content" tabIndex={-1}>
      {hasEnded ? (
        <Empty
          title={`The world ${status.value.world} has ended.`}
          actions={<a href={rootOf(api.base)}>The default world</a>}
        >
          Everything in it was deleted. Snapshots that you saved of it are still there.
        </Empty>
      ) : !view ? (
        <Empty title="This view does not exist.">
          <a href="#/">Go to your endpoints</a>
        </Empty>
      ) : !shown ? (
        <Loading />
      ) : "error" in shown ? (
        <Problem error={shown.error} retry={() => location.reload()} />
      ) : (
        <shown.Component parts={parts} query={query} />
      )}
    </main>
  );
}

function keyMap(app: ReturnType<typeof useApp>, help: () => void) {
  const { clock, ledger, prefs, router, toasts } = app;
  const step = (index: number) => () => void ledger.advance(STEPS[index]!.request);
  return {
    Space: () => void toasts.attempt(() => (clock.running.value ? clock.pause() : clock.resume())),
    ArrowRight: step(0),
    "Shift+ArrowRight": step(1),
    h: step(2),
    d: step(3),
    n: () => void ledger.advance(NEXT),
    "/": () => document.querySelector<HTMLInputElement>("main input[type=search]")?.focus(),
    "?": help,
    f: prefs.togglePresenting,
    t: prefs.nextTheme,
    Escape: app.stage.skip,
    l: () => (ledger.open.value = !ledger.open.value),
    "g e": () => router.go("#/"),
    ...Object.fromEntries(
      VIEWS.flatMap(({ name, place }) => (place ? [[`g ${place.key}`, () => router.go(href([name]))]] : [])),
    ),
  };
}

export function ToastList() {
  const { toasts } = useApp();
  return (
    <section class="toasts" aria-label="Messages">
      {toasts.list.value.map((toast) => (
        <div key={toast.id} class={`toast ${toast.tone}`} role={toast.tone === "bad" ? "alert" : "status"}>
          <div>
            <p>{toast.text}</p>
            {toast.hint && <p class="note">{toast.hint}</p>}
          </div>
          {toast.undo && (
            <Button data-testid="undo" onSend={() => toasts.undo(toast)}>
              Undo
            </Button>
          )}
          <Button look="quiet" icon="cross" aria-label="Dismiss" onClick={() => toasts.dismiss(toast.id)} />
        </div>
      ))}
    </section>
  );
}
