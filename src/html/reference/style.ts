/** The styles of the API reference: an index on the left, and the operations in one column. */
export const referenceStyle = `
.book { display: grid; grid-template-columns: minmax(0, 1fr); }
.index { background: var(--paper); border-bottom: 1px solid var(--line); padding: 1rem 1.25rem; }
.index h1 { font-size: 1.0625rem; display: flex; gap: .5rem; align-items: center; }
.index h2 { font-size: .9375rem; padding: 1.125rem 0 .25rem; }
.index li a { display: flex; gap: .5rem; padding: .1875rem 0; color: var(--ink); text-decoration: none; font-size: .875rem; line-height: 1.35; }
.index li a:hover span { text-decoration: underline; text-underline-offset: .18em; }
.find { position: relative; margin-top: .875rem; }
.find input { padding-right: 2.5rem; }
.find kbd { position: absolute; right: .75rem; top: .6875rem; padding: 0 .4375rem; border: 1px solid var(--line); border-radius: 4px; color: var(--soft); }
.m { flex: none; width: 4.1em; font: 600 .75rem/1.55 var(--mono); color: var(--soft); }
.m.POST { color: var(--act); } .m.PATCH, .m.PUT { color: var(--ink); } .m.DELETE { color: var(--bad); }
.pages { padding: 1.5rem 1.25rem 4rem; max-width: 62rem; min-width: 0; display: grid; gap: 2.5rem; grid-template-columns: minmax(0, 1fr); align-content: start; }
.part { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); }
.op { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 1.25rem; display: grid; gap: .875rem; grid-template-columns: minmax(0, 1fr); }
.op:target { border-color: var(--act); box-shadow: 0 0 0 1px var(--act); }
.op h3 { font-size: 1.125rem; }
.op h3 a { color: inherit; text-decoration: none; }
.op h3 a:hover { text-decoration: underline; }
.op h4 { margin: 0; font-size: .9375rem; }
.route { display: flex; gap: .5rem; align-items: baseline; flex-wrap: wrap; }
.op .m, .route .m { width: auto; font-size: .875rem; }
.curl { position: relative; }
.curl .copy { position: absolute; right: .5rem; top: .5rem; }
.js .curl pre { padding-right: 5.75rem; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
tr { border-top: 1px solid var(--line); }
th, td { text-align: left; vertical-align: top; padding: .4375rem 0; font-weight: 400; }
th { width: 38%; padding-right: 1rem; }
th b { font-size: .8125rem; font-weight: 550; color: var(--soft); }
td p { color: var(--soft); }
.limit { color: var(--soft); }
.limit::before { content: "· "; }
.old { color: var(--bad); font-style: normal; }
details > summary { padding: .25rem 0; }
details > :not(summary) { margin: .25rem 0 .5rem 1rem; width: auto; }
details > table { width: calc(100% - 1rem) !important; }
.status { font: 600 .875rem var(--mono); }
.status.s2 { color: var(--good); } .status.s4, .status.s5 { color: var(--bad); }
@media (max-width: 35.99rem) {
  .curl .copy { position: static; margin-top: .5rem; }
  .js .curl pre { padding-right: .875rem; }
  table, tbody, tr, th, td { display: block; width: 100%; }
  th { padding-bottom: 0; } td { padding-top: 0; }
}
@media (max-width: 55.99rem) { .index nav { max-height: 13rem; overflow-y: auto; margin-top: .5rem; } }
@media (min-width: 56rem) {
  .book { grid-template-columns: 19rem minmax(0, 1fr); }
  .index { position: sticky; top: 0; height: 100vh; overflow-y: auto; border: 0; border-right: 1px solid var(--line); }
  .pages { padding: 2.5rem 2.5rem 6rem; }
}
`;
