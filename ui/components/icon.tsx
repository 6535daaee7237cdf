const PATHS = {
  log: "M2.5 4h11M2.5 8h7.5M2.5 12h9.5",
  bug: "M5.5 6h5v5.2a2.5 2.5 0 0 1-5 0zM6 6a2 2 0 0 1 4 0M2.5 5.5l3 2M13.5 5.5l-3 2M2 9.2h3.5M10.5 9.2H14M2.8 13.2l2.9-1.6M13.2 13.2l-2.9-1.6",
  play: "M4.5 2.8v10.4l8.6-5.2z",
  pause: "M4.5 3v10M11.5 3v10",
  plus: "M8 3v10M3 8h10",
  check: "M3 8.5 6.3 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  screen: "M1.8 3h12.4v8H1.8zM5.5 13.5h5",
  sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M12.6 3.4l-1.1 1.1M4.5 11.5l-1.1 1.1",
  moon: "M13 9.6A5.6 5.6 0 0 1 6.4 3 5.6 5.6 0 1 0 13 9.6z",
  auto: "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zM8 2.2v11.6",
  keyboard: "M1.5 4.2h13v7.6h-13zM4 6.8h.1M6.6 6.8h.1M9.2 6.8h.1M11.9 6.8h.1M5 9.4h6",
  more: "M2.6 8h1M7.5 8h1M12.4 8h1",
  down: "M3 6l5 5 5-5",
  right: "M6 3l5 5-5 5",
  copy: "M5.5 5.5h8v8h-8zM2.5 10.5v-8h8",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Hourglass() {
  return (
    <svg class="hourglass" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path
        d="M6 2.75h12M6 21.25h12M7.5 3v3.5L11 11v2l-3.5 4.5V21M16.5 3v3.5L13 11v2l3.5 4.5V21"
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
      <path d="M9 7h6l-3 3.75zM12 15l3.2 4.75H8.8z" class="sand" />
    </svg>
  );
}
