import { href } from "../models/router.ts";
import { VIEWS } from "../views/registry.ts";
import { useApp } from "./context.ts";
import { Icon } from "./icon.tsx";
import { Button } from "./parts.tsx";
import { useCurrentInSight } from "./tabs.tsx";

const THEME_ICON = { system: "auto", light: "sun", dark: "moon" } as const;

export function Nav({ onHelp }: { onHelp: () => void }) {
  const { router, status, endpoints, prefs } = useApp();
  const { view } = router.route.value;
  const troubled = endpoints.troubled.value;
  const theme = prefs.theme.value;
  const list = useCurrentInSight<HTMLUListElement>(view);
  return (
    <nav class="nav" aria-label="Views">
      <ul ref={list}>
        {VIEWS.filter(({ offered }) => offered?.(status.value) ?? true).map(({ name, title }) => (
          <li key={name}>
            <a href={href([name])} aria-current={view === name ? "page" : undefined}>
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
          aria-pressed={prefs.presenting.value}
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
