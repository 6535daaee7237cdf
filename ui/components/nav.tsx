import { href } from "../models/router.ts";
import { GROUPS, VIEWS, type View } from "../views/registry.ts";
import { useApp } from "./context.ts";
import { Icon } from "./icon.tsx";
import { Button } from "./parts.tsx";
import { useCurrentInSight } from "./tabs.tsx";

const THEME_ICON = { system: "auto", light: "sun", dark: "moon" } as const;

/** Which of the views are shown: always the one that is open. */
function useShown(): { current: string; shown: View[] } {
  const { endpoints, router } = useApp();
  const route = router.route.value.view;
  const current = VIEWS.find(({ name }) => name === route)?.within ?? route;
  const sending = endpoints.list.value?.some(({ sender }) => sender !== "platform");
  const shown = VIEWS.filter(
    ({ name, ofSenders, within }) => !within && (!ofSenders || sending || name === current),
  );
  return { current, shown };
}

/** The views, in three groups. */
export function Views() {
  const { endpoints } = useApp();
  const { current, shown } = useShown();
  const troubled = endpoints.troubled.value;
  const row = useCurrentInSight<HTMLDivElement>(current);
  return (
    <div ref={row} class="nav-groups">
      {GROUPS.map((group) => (
        <ul key={group} aria-label={group}>
          {shown
            .filter((view) => view.group === group)
            .map(({ name, title }) => (
              <li key={name}>
                <a href={href([name])} aria-current={current === name ? "page" : undefined}>
                  <Icon name={name} />
                  <span>{title}</span>
                  {name === "webhooks" && troubled > 0 && (
                    <span class="badge">
                      {troubled}
                      <span class="vh"> disabled</span>
                    </span>
                  )}
                </a>
              </li>
            ))}
        </ul>
      ))}
    </div>
  );
}

export function Nav({ onHelp }: { onHelp: () => void }) {
  const { status, prefs } = useApp();
  const theme = prefs.theme.value;
  return (
    <nav class="nav" aria-label="Views">
      <Views />
      <div class="nav-tools">
        <Button
          look="quiet"
          icon={THEME_ICON[theme]}
          onClick={prefs.nextTheme}
          aria-label={`Theme: ${theme}. Change it`}
          title={`Theme: ${theme}`}
        />
        <Button
          look="quiet"
          icon="screen"
          onClick={prefs.togglePresenting}
          aria-label="Presentation mode"
          title="Presentation mode: readable from two metres (f)"
        />
        <Button
          look="quiet"
          icon="keyboard"
          onClick={onHelp}
          aria-label="Keyboard help"
          title="Keyboard (?)"
        />
        <span class="nav-version">{status.value.version}</span>
      </div>
    </nav>
  );
}
