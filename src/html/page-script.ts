/**
 * The only inline script of the server-rendered pages, for copy buttons, the filter box, and deep links into closed
 * sections. Every page works without it. Its hash is in the content security policy.
 */
export const pageScript = `(() => {
  const status = document.querySelector("[data-status]");
  const say = (text) => { if (status) status.textContent = text; };
  document.documentElement.classList.add("js");

  let last = null;
  const label = (button, text) => { button.firstChild.data = text; };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-copy]");
    if (!button) return;
    const source = document.getElementById(button.dataset.copy);
    if (last && last !== button) label(last, "Copy");
    last = button;
    try {
      await navigator.clipboard.writeText(source.textContent);
      label(button, "Copied");
      say("Copied");
    } catch {
      getSelection().selectAllChildren(source);
      label(button, "Selected");
      say("Selected, ready to copy");
    }
  });

  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();

  const box = document.querySelector("[data-filter]");
  if (!box) return;
  const links = [...document.querySelectorAll("[data-find]")];
  const groups = [...document.querySelectorAll("[data-group]")];
  const filter = () => {
    const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let shown = 0;
    for (const link of links) {
      const hit = words.every((word) => link.dataset.find.includes(word));
      link.parentElement.hidden = !hit;
      const target = document.getElementById(link.hash.slice(1));
      if (target) target.hidden = !hit;
      if (hit) shown += 1;
    }
    for (const group of groups) group.hidden = !group.querySelector("[data-item]:not([hidden])");
    say(words.length ? shown + " of " + links.length + " shown" : "");
  };
  box.addEventListener("input", filter);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { box.value = ""; filter(); }
    const first = links.find((link) => !link.parentElement.hidden);
    if (event.key === "Enter" && first) location.hash = first.hash;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
  filter();
})();`;
