import { useComputed, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { counterText, counterWords } from "../../src/timeline/counter.ts";
import type { Webhook } from "../api-types.ts";
import { count, hasWords } from "../models/format.ts";
import { href } from "../models/router.ts";
import { VIEWS } from "../views/registry.ts";
import { useApp } from "./context.ts";
import { Field } from "./field.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { Address, Button } from "./parts.tsx";

const THEME_ICON = { system: "auto", light: "sun", dark: "moon" } as const;

/** The maximum number of the user's own endpoints in the list. The others can be found by searching. */
const LISTED = 30;
/** If there are more endpoints than this, a search field is shown. */
const SEARCHED = 12;

/** Scrolls a row of links that overflows, so the current link is centred. */
function useCurrentInSight<Row extends HTMLElement>(current: string) {
  const row = useRef<Row>(null);
  useEffect(() => {
    const list = row.current;
    const link = list?.querySelector<HTMLElement>("[aria-current]");
    if (list && link) list.scrollLeft = link.offsetLeft - (list.clientWidth - link.offsetWidth) / 2;
  }, [current]);
  return row;
}

/** The navigation: the user's own endpoints, newest first; those of the demo shop, collapsed; and the other views. */
export function Places() {
  const { endpoints, router } = useApp();
  const { view, parts } = router.route.value;
  const current = view === "webhooks" ? (parts[0] ?? "") : view;
  const row = useCurrentInSight<HTMLDivElement>(current);
  const search = useSignal("");
  const found = useComputed(() =>
    endpoints.own.value.filter(({ id, url, description, status }) =>
      hasWords(`${id} ${url} ${description ?? ""} ${status}`, search.value),
    ),
  );
  const demo = endpoints.seeded.value;
  const isOfDemo = demo.some(({ id }) => id === current);
  const unfolded = useSignal(false);
  const shown = found.value.slice(0, LISTED);
  return (
    <div class="places">
      <a
        class="place-new"
        href={href(["webhooks", "new"])}
        aria-current={current === "new" ? "page" : undefined}
      >
        <Icon name="plus" />
        Endpoint
      </a>
      <div ref={row} class="place-lists">
        {endpoints.own.value.length > SEARCHED && (
          <Field
            label="Find an endpoint"
            type="search"
            of={search}
            hint={found.value.length > LISTED && `${LISTED} of ${count(found.value.length, "endpoint")}`}
          />
        )}
        <EndpointLinks label="Your endpoints" of={shown} current={current} />
        {demo.length > 0 && (
          <>
            <button
              type="button"
              class="place-fold"
              aria-expanded={unfolded.value || isOfDemo}
              onClick={() => (unfolded.value = !unfolded.value)}
            >
              <Icon name={unfolded.value || isOfDemo ? "down" : "right"} />
              Demo shop
            </button>
            {(unfolded.value || isOfDemo) && (
              <EndpointLinks label="The demo shop’s endpoints" of={demo} current={current} />
            )}
          </>
        )}
      </div>
      <ul class="place-views" aria-label="Other views">
        {VIEWS.map(
          ({ name, title, place }) =>
            place && (
              <li key={name}>
                <a href={href([name])} aria-current={current === name ? "page" : undefined}>
                  <Icon name={place.icon} />
                  {title}
                </a>
              </li>
            ),
        )}
      </ul>
    </div>
  );
}

interface EndpointLinksProps {
  label: string;
  of: readonly Webhook[];
  current: string;
}

function EndpointLinks({ label, of: list, current }: EndpointLinksProps) {
  // Reuse an endpoint's node until the endpoint changes: while an advance is animated, few endpoints do.
  const drawn = useMemo(() => new WeakMap<Webhook, VNode>(), [current]);
  if (list.length === 0) return null;
  return (
    <ul class="place-endpoints" aria-label={label}>
      {list.map((webhook) => {
        const item = drawn.get(webhook) ?? (
          <EndpointLink key={webhook.id} of={webhook} isCurrent={webhook.id === current} />
        );
        drawn.set(webhook, item);
        return item;
      })}
    </ul>
  );
}

/** A link to an endpoint. It shows whether the endpoint works, its URL, and how close it is to being disabled. */
function EndpointLink({ of: webhook, isCurrent }: { of: Webhook; isCurrent: boolean }) {
  const { id, url, status, consecutive_failures: failures, threshold } = webhook;
  const { status: sandbox } = useApp();
  const fails = status !== "enabled" || failures > 0;
  // An inbox has the same host as the page, so its name is enough.
  const where = url.replace(`${sandbox.value.url}/_sandbox/`, "").replace(/^https?:\/\//, "");
  return (
    <li>
      <a href={href(["webhooks", id])} aria-current={isCurrent ? "page" : undefined}>
        <i class={`dot ${fails ? "bad" : "good"}`} aria-hidden="true" />
        <Address of={where} />
        {fails && (
          <span class={status !== "enabled" ? "badge" : "place-count"}>
            <span aria-hidden="true">{counterText(failures, threshold)}</span>
            <span class="vh">
              {status !== "enabled" && `${status}, `}
              {counterWords(failures, threshold)}
            </span>
          </span>
        )}
      </a>
    </li>
  );
}

export function Nav({ onHelp }: { onHelp: () => void }) {
  const { status, prefs } = useApp();
  const theme = prefs.theme.value;
  const tool = (icon: IconName, name: string, title: string, onClick: () => void) => (
    <Button look="quiet" icon={icon} onClick={onClick} aria-label={name} title={title} />
  );
  return (
    <nav class="nav" aria-label="Places">
      <Places />
      <div class="nav-tools">
        {tool(THEME_ICON[theme], `Theme: ${theme}. Change it`, `Theme: ${theme}`, prefs.nextTheme)}
        {tool(
          "screen",
          "Presentation mode",
          "Presentation mode: readable from two metres (f)",
          prefs.togglePresenting,
        )}
        {tool("keyboard", "Keyboard help", "Keyboard (?)", onHelp)}
        <span class="nav-version">{status.value.version}</span>
      </div>
    </nav>
  );
}
