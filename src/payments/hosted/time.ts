import { DAY, HOUR, MINUTE, SECOND } from "../../world/duration.ts";

/** The ranges of the countdown gauge. The smallest range that fits the remaining time is used. */
const ranges = [
  { span: 5 * MINUTE, label: "5 min" },
  { span: 30 * MINUTE, label: "30 min" },
  { span: HOUR, label: "1 h" },
  { span: 6 * HOUR, label: "6 h" },
  { span: DAY, label: "24 h" },
] as const;

/** The remaining time, ready to render. `share` is a percentage of the gauge's range. */
export interface TimeLeft {
  text: string;
  spoken: string;
  share: number;
  range: string;
}

/** The time from `now` to `until` on the virtual clock; zero once it has passed. */
export function timeLeft(now: string, until: string): TimeLeft {
  const left = Math.max(0, Date.parse(until) - Date.parse(now)) || 0;
  const days = Math.floor(left / DAY);
  const hours = Math.floor((left % DAY) / HOUR);
  const minutes = Math.floor((left % HOUR) / MINUTE);
  const seconds = Math.floor((left % MINUTE) / SECOND);
  const range = ranges.find(({ span }) => left <= span);
  const two = (part: number) => String(part).padStart(2, "0");
  const clock = days + hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
  const spoken = [
    [days, "d"],
    [hours, "h"],
    [minutes, "min"],
    [seconds, "s"],
  ] as const;
  return {
    text: days > 0 ? `${days} d ${clock}` : clock,
    spoken: spoken.flatMap(([part, unit]) => (part > 0 ? [`${part} ${unit}`] : [])).join(" ") || "0 s",
    share: range ? Math.round((left / range.span) * 1000) / 10 : 100,
    range: range?.label ?? "over 24 h",
  };
}

/** Formats an ISO time as `2026-01-01 00:00:00 UTC`; returns any other text unchanged. */
export function formatTime(iso: string): string {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? iso : `${new Date(time).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
