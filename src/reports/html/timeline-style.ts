/** How a timeline is drawn. Its colours and shapes are those of the page. */
export const timelineStyle = `
svg.timeline { display: block; flex: none; font: 12px/1 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; }
svg.timeline text { fill: var(--soft); unicode-bidi: isolate; }
svg.timeline .name { font-size: 12px; }
svg.timeline .tick { stroke: var(--line); stroke-opacity: .7; }
svg.timeline .base { stroke: var(--line); }
svg.timeline .time.day { fill: var(--ink); font-weight: 600; }
svg.timeline .gap { fill: var(--sand); font-size: 11px; font-weight: 600; }
svg.timeline .break { fill: none; stroke: var(--edge); stroke-opacity: .6; }
svg.timeline rect.ahead { fill: var(--sand-tint); }
svg.timeline .band.enabled { fill: var(--good-fill); }
svg.timeline .band.disabled { fill: var(--bad-tint); stroke: var(--bad-fill); stroke-dasharray: 2 3; }
svg.timeline .flag rect { fill: var(--paper); stroke: var(--edge); }
svg.timeline .flag text { font-size: 11px; }
svg.timeline .flag.disabled rect { fill: var(--bad-fill); stroke: var(--bad-fill); }
svg.timeline .flag.disabled text { fill: var(--on-bad); }
svg.timeline .flag.enabled rect { stroke: var(--good-fill); }
svg.timeline .flag.enabled text { fill: var(--good); }
svg.timeline .threshold { stroke: var(--bad-fill); stroke-dasharray: 2 4; }
svg.timeline .fill { fill: var(--bad-tint); }
svg.timeline .curve { fill: none; stroke: var(--bad-fill); stroke-width: 1.75; }
svg.timeline .curve.ahead { stroke-dasharray: 3 4; }
svg.timeline .counter { fill: var(--ink); font-size: 13px; font-weight: 650; paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
svg.timeline .caption { font-size: 11px; paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
svg.timeline .thread { stroke: var(--edge); stroke-opacity: .55; stroke-width: 2; }
svg.timeline .thread.ahead { stroke-dasharray: 5 5; }
svg.timeline .span { fill: var(--good-tint); stroke: var(--good-fill); }
svg.timeline .span.bad { fill: var(--bad-tint); stroke: var(--bad-fill); }
svg.timeline .span.pending { fill: var(--paper); stroke: var(--ink); }
svg.timeline .mark text { font-weight: 650; fill: var(--ink); }
svg.timeline .mark .shape { fill: var(--paper); stroke-width: 1.5; }
svg.timeline .mark.good .shape, svg.timeline .mark .shape.good { fill: var(--good-fill); }
svg.timeline .mark.bad .shape, svg.timeline .mark .shape.bad { fill: var(--bad-fill); }
svg.timeline .mark.good text { fill: var(--on-good); }
svg.timeline .mark.bad text, svg.timeline .mark.many text { fill: var(--on-bad); }
svg.timeline .mark.pending .shape { stroke: var(--ink); }
svg.timeline .mark .ring { fill: none; stroke: var(--ink); stroke-width: 1.5; }
svg.timeline .mark.good .ring { stroke: var(--good-fill); }
svg.timeline .mark.bad .ring { stroke: var(--bad-fill); }
svg.timeline .mark .copy { fill: var(--paper); stroke: var(--ink); stroke-width: 1.5; }
svg.timeline .mark.good .copy { stroke: var(--good-fill); }
svg.timeline .mark.bad .copy { stroke: var(--bad-fill); }
svg.timeline .mark.test .shape { fill: var(--paper); }
svg.timeline .mark.test.good .shape { stroke: var(--good-fill); }
svg.timeline .mark.test.good text { fill: var(--good); }
svg.timeline .mark.test.bad .shape { stroke: var(--bad-fill); }
svg.timeline .mark.test.bad text { fill: var(--bad); }
svg.timeline .mark.planned .shape { stroke: var(--ink); stroke-dasharray: 3 2.5; }
svg.timeline .mark.forecast .shape { stroke: var(--edge); stroke-dasharray: 1.5 2; }
svg.timeline .mark.forecast text, svg.timeline .mark.skipped text { fill: var(--soft); }
svg.timeline .mark.skipped text { font-size: 16px; }
svg.timeline .now line { stroke: var(--sand-fill); stroke-width: 2; }
svg.timeline .now text { fill: var(--sand); font-size: 11px; font-weight: 600; }
svg.timeline .disabled-at line { stroke: var(--bad-fill); stroke-width: 2; stroke-dasharray: 5 4; }
svg.timeline .disabled-at text { fill: var(--bad); font-size: 11px; font-weight: 600; }
@media (forced-colors: active) { svg.timeline { forced-color-adjust: none; } }
@media print { svg.timeline { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
`;
