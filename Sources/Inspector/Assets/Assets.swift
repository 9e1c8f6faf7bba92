// Written by script/assets from the files beside it. Do not edit.

/// The styles and the script of the pages. Their names contain a digest, so that browsers may keep them.
struct Asset: Sendable {
    let name: String
    let type: String
    let text: StaticString

    static let style = Asset(
        name: "inspector-7fdee55094a6.css", type: "text/css; charset=utf-8",
        text: #"""
            :root {
              color-scheme: light dark;
              --text: light-dark(#1d2329, #dfe4e8);
              --quiet: light-dark(#59636d, #9ba6b0);
              --paper: light-dark(#fff, #14181c);
              --panel: light-dark(#f5f6f8, #1b2026);
              --line: light-dark(#dde1e6, #2f363e);
              --link: light-dark(#0b57a4, #7fb6f0);
              --bar: light-dark(#a9c8ea, #2f5680);
              --mark: light-dark(#ffe89a, #6b5713);
              --bad: light-dark(#a01c1c, #ff9d93);
              font: 15px/1.45 system-ui, sans-serif;
            }
            * { box-sizing: border-box; }
            body { margin: 0; color: var(--text); background: var(--paper); }
            a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
            :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
            .skip { position: absolute; left: -100vw; padding: .5rem 1rem; background: var(--paper); }
            .skip:focus { left: 0; z-index: 9; }
            header { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: baseline; padding: .55rem 1.25rem;
              background: var(--panel); border-bottom: 1px solid var(--line); }
            header .store { font-weight: 600; overflow-wrap: anywhere; }
            nav ul { display: flex; flex-wrap: wrap; gap: .1rem 1rem; margin: 0; padding: 0; list-style: none; }
            nav a { text-decoration: none; }
            nav a:hover { text-decoration: underline; }
            nav a[aria-current] { color: var(--text); font-weight: 600; border-bottom: 2px solid var(--link); }
            nav[aria-label=Levels] { margin-bottom: .8rem; }
            nav.views { margin: 0 0 .9rem; border-bottom: 1px solid var(--line); }
            nav.views a { display: inline-block; padding: .2rem 0 .35rem; }
            main { padding: 1rem 1.25rem 3rem; max-width: 110rem; }
            h1 { margin: 0 0 .6rem; font-size: 1.35rem; overflow-wrap: anywhere; }
            h2 { margin: 1.6rem 0 .5rem; font-size: 1.05rem; }
            h3 { margin: 0 0 .25rem; font-size: .9rem; overflow-wrap: anywhere; }
            p { margin: .4rem 0; max-width: 48rem; }
            .quiet { color: var(--quiet); }
            h1 .quiet { font-size: 1rem; font-weight: 400; }
            .note { padding: .5rem .8rem; background: var(--panel); border-left: 3px solid var(--line); }
            .bad { border-left-color: var(--bad); }
            .bad strong, .failure { color: var(--bad); }
            code, pre, kbd, textarea, .code { font: 13px/1.5 ui-monospace, monospace; }
            pre { margin: .5rem 0; padding: .6rem .8rem; overflow-x: auto; background: var(--panel); border: 1px solid var(--line);
              border-radius: 4px; }
            .sides { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 1.75rem; align-items: start; }
            .sides > .content { grid-column: 2; grid-row: 1; }
            .sides > aside { grid-column: 1; grid-row: 1; }
            .scroll { overflow-x: auto; }
            table { border-collapse: collapse; }
            .sides .scroll table { min-width: 100%; }
            caption { text-align: left; color: var(--quiet); padding-bottom: .3rem; }
            th, td { padding: .28rem 1.25rem .28rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
            thead th { font-weight: 600; white-space: nowrap; color: var(--quiet); border-bottom-color: var(--quiet); }
            thead a { color: inherit; text-decoration: none; }
            thead a:hover { text-decoration: underline; }
            th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; }
            td { max-width: 26rem; overflow-wrap: break-word; unicode-bidi: isolate; }
            td.number, td.short { white-space: nowrap; }
            td.long { min-width: 16rem; }
            tbody th { font-weight: 500; white-space: nowrap; max-width: 20rem; overflow: hidden; text-overflow: ellipsis; }
            tbody tr:hover { background: var(--panel); }
            tr.selected { background: var(--panel); box-shadow: inset 3px 0 var(--link); }
            .facets section + section { margin-top: 1.1rem; }
            .facets h2 { margin: 0 0 .25rem; font-size: .9rem; overflow-wrap: anywhere; }
            .facets ul { margin: 0; padding: 0; list-style: none; font-size: .87rem; }
            .facets a { position: relative; display: grid; grid-template-columns: minmax(0, 1fr) auto; column-gap: .5rem;
              padding: .12rem .3rem .3rem; color: inherit; text-decoration: none; }
            .facets a:hover { background: var(--panel); }
            .facets a span:first-child { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; unicode-bidi: isolate; }
            .facets .bar { grid-column: 1 / 3; }
            .bar { display: block; width: 100%; height: 3px; fill: var(--bar); }
            .count { color: var(--quiet); font-variant-numeric: tabular-nums; }
            form.find { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 .6rem; align-items: end; }
            form.find label { display: flex; flex-direction: column; font-size: .82rem; color: var(--quiet); }
            form.find .wide { flex: 1 1 18rem; }
            input, select, button, textarea { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--quiet);
              border-radius: 4px; padding: .3rem .5rem; }
            .wide input { width: 100%; }
            button { background: var(--panel); cursor: pointer; padding: .3rem .9rem; }
            form.edit { display: flex; flex-direction: column; gap: .5rem; align-items: start; margin: .5rem 0; max-width: 60rem; }
            form.edit label { display: flex; flex-direction: column; width: 100%; font-size: .82rem; color: var(--quiet); }
            form.edit textarea { width: 100%; color: var(--text); resize: vertical; }
            button.danger { color: var(--bad); border-color: var(--bad); }
            kbd { padding: .05rem .35rem; background: var(--panel); border: 1px solid var(--line); border-radius: 4px; }
            dialog { color: var(--text); background: var(--paper); border: 1px solid var(--line); border-radius: 6px;
              padding: 1.1rem 1.4rem; }
            dialog::backdrop { background: #0006; }
            dialog h2 { margin-top: 0; }
            .pages { display: flex; gap: 1.25rem; margin: .8rem 0; }
            dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1.1rem; margin: .5rem 0; }
            dt { color: var(--quiet); }
            dd { margin: 0; overflow-wrap: anywhere; unicode-bidi: isolate; }
            details > summary { cursor: pointer; color: var(--quiet); }
            .tree { font: 13px/1.55 ui-monospace, monospace; }
            .tree ul { margin: 0; padding-left: 1.2rem; list-style: none; }
            .tree > ul { padding: 0; }
            .tree li { overflow-wrap: anywhere; white-space: pre-wrap; unicode-bidi: isolate; }
            .tree .name { color: var(--link); }
            ol.hits { padding: 0; list-style: none; }
            ol.hits li { margin: 0 0 1rem; unicode-bidi: isolate; }
            ol.hits h2 { margin: 0; font-weight: 500; }
            ol.hits p { margin: .1rem 0; }
            .chart svg { display: block; width: 100%; min-width: 40rem; max-height: 22rem; }
            .histogram rect { fill: var(--bar); }
            .histogram a:hover rect, .histogram a:focus rect { fill: var(--link); }
            .histogram line { stroke: var(--quiet); }
            .histogram text { fill: var(--quiet); font-size: 12px; }
            ul.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .6rem; margin: 0; padding: 0;
              list-style: none; }
            ul.grid a { display: block; aspect-ratio: 1; background: var(--panel); border-radius: 4px; overflow: hidden; }
            ul.grid img { display: block; width: 100%; height: 100%; object-fit: cover; }
            .lightbox { display: none; position: fixed; inset: 0; z-index: 8; padding: 1rem; background: light-dark(#fffffff2, #0b0d0ff2); }
            .lightbox:target { display: grid; grid-template-rows: minmax(0, 1fr) auto; gap: .6rem; justify-items: center; }
            .lightbox img { max-width: 100%; max-height: 100%; object-fit: contain; }
            .lightbox p { display: flex; flex-wrap: wrap; gap: 1.25rem; margin: 0; }
            .pictures img { max-width: 100%; max-height: 24rem; border-radius: 4px; }
            .chart svg.map { max-height: none; }
            .map { background: var(--panel); border: 1px solid var(--line); border-radius: 4px; cursor: crosshair; }
            .map line { stroke: var(--line); }
            .map text { fill: var(--quiet); font-size: 12px; }
            .map circle { fill: var(--link); fill-opacity: .55; stroke: var(--paper); }
            .map a:hover circle, .map a:focus circle { fill-opacity: .9; }
            mark { color: inherit; background: var(--mark); border-radius: 2px; }
            @media (max-width: 48rem) {
              main { padding: .8rem .8rem 2rem; }
              .sides { grid-template-columns: minmax(0, 1fr); }
              .sides > .content, .sides > aside { grid-column: 1; grid-row: auto; }
              td { max-width: 14rem; }
            }
            @media print { header, nav, form, .pages { display: none; } }

            """#)
    static let script = Asset(
        name: "inspector-a61492ef51f3.js", type: "text/javascript; charset=utf-8",
        text: #"""
            "use strict";
            // Keys, search as one types, pictures and boxes on the map. The pages work without them.
            (() => {
              const isTyping = (node) => node.matches("input, textarea, select") || node.isContentEditable;
              const follow = (selector) => {
                const link = document.querySelector(selector);
                if (link) location.assign(link.href?.baseVal ?? link.href);
              };
              const views = { t: "table", s: "search", g: "grid", h: "time", m: "map" };
              let selected = -1;
              let hasPrefix = false;

              const select = (step) => {
                const rows = [...document.querySelectorAll("table.documents tbody tr")];
                if (rows.length === 0) return;
                rows[selected]?.classList.remove("selected");
                selected = Math.min(Math.max(selected + step, 0), rows.length - 1);
                rows[selected].classList.add("selected");
                rows[selected].querySelector("a")?.focus();
              };

              // The list of keys, from the page that has it.
              const showKeys = async () => {
                const response = await fetch("/help");
                const page = new DOMParser().parseFromString(await response.text(), "text/html");
                const [title, keys] = [document.createElement("h2"), page.getElementById("keys")];
                if (!keys || document.querySelector("dialog[open]")) return;
                const dialog = document.createElement("dialog");
                const close = document.createElement("button");
                [title.textContent, close.textContent] = ["Keys", "Close"];
                title.id = "keys-title";
                dialog.setAttribute("aria-labelledby", title.id);
                close.addEventListener("click", () => dialog.close());
                dialog.addEventListener("close", () => dialog.remove());
                dialog.append(title, keys, close);
                document.body.append(dialog);
                dialog.showModal();
              };

              document.addEventListener("keydown", (event) => {
                if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
                if (document.querySelector("dialog[open]")) return;
                const box = document.querySelector(".lightbox:target");
                const view = hasPrefix ? views[event.key] : undefined;
                hasPrefix = event.key === "g" && !hasPrefix && !view;
                if (view) {
                  follow(`nav.views a[data-view=${view}]`);
                } else if (box) {
                  const name = { ArrowLeft: "previous", ArrowRight: "next", " ": "next", Escape: "close" }[event.key];
                  if (!name) return;
                  box.querySelector(`a.${name}`)?.click();
                } else {
                  switch (event.key) {
                    case "/": document.querySelector("form.find input:not([type=hidden])")?.focus(); break;
                    case "j": select(1); break;
                    case "k": select(-1); break;
                    case "n": follow("a[rel=next]"); break;
                    case "e": follow("a[data-export=csv]"); break;
                    case "?": showKeys(); break;
                    case "p": history.back(); break;
                    default: return;
                  }
                }
                event.preventDefault();
              });

              // Search as one types. An older answer is dropped when a newer question is asked.
              const words = document.querySelector("form.find input[type=search]");
              let asking;
              // The completions of the last word, each with the words before it.
              const complete = async (signal) => {
                const list = document.getElementById("completions");
                if (!list || !words.value.trim()) return;
                const path = location.pathname.replace(/^\/c\/([^/]*)\/search$/, "/api/v1/collections/$1/completions");
                const response = await fetch(`${path}?${new URLSearchParams({ q: words.value, limit: 8 })}`, { signal });
                if (!response.ok) return;
                const head = words.value.replace(/\S*$/, "");
                list.replaceChildren(...(await response.json()).completions.map(({ word }) => {
                  const option = document.createElement("option");
                  option.value = head + word;
                  return option;
                }));
              };
              words?.addEventListener("input", async () => {
                asking?.abort();
                asking = new AbortController();
                const address = `${location.pathname}?${new URLSearchParams(new FormData(words.form))}`;
                try {
                  const response = await fetch(address, { signal: asking.signal });
                  const page = new DOMParser().parseFromString(await response.text(), "text/html");
                  const results = page.getElementById("results");
                  if (!results) return;
                  document.getElementById("results").replaceWith(results);
                  history.replaceState(null, "", address);
                  await complete(asking.signal);
                } catch (error) {
                  if (error.name !== "AbortError") throw error;
                }
              });

              // Changes of the store. A page listens only while it is visible, because browsers open few connections.
              if (document.getElementById("live")) {
                let feed;
                let last = "now";
                let isLoading = false;
                let isOld = false;
                const reload = async () => {
                  isOld = true;
                  if (isLoading) return;
                  isLoading = true;
                  while (isOld) {
                    isOld = false;
                    const response = await fetch(location.href).catch(() => undefined);
                    if (!response?.ok) break;
                    const page = new DOMParser().parseFromString(await response.text(), "text/html");
                    const [old, fresh] = [document.getElementById("live"), page.getElementById("live")];
                    if (!old || !fresh) break;
                    const focused = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : undefined;
                    old.replaceWith(fresh);
                    if (focused) fresh.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
                  }
                  isLoading = false;
                };
                const listen = () => {
                  if (document.hidden) {
                    feed?.close();
                    feed = undefined;
                  } else if (!feed) {
                    feed = new EventSource(`/api/v1/changes?since=${encodeURIComponent(last)}`);
                    for (const kind of ["hello", "change", "reset"]) {
                      feed.addEventListener(kind, (event) => {
                        last = event.lastEventId;
                        if (kind !== "hello") reload();
                      });
                    }
                  }
                };
                document.addEventListener("visibilitychange", listen);
                addEventListener("pagehide", () => feed?.close());
                listen();
              }

              // On the map, dragging makes a box, and a click on free ground a circle.
              const map = document.querySelector("svg.map");
              if (!map) return;
              const [south, west, north, east] = map.dataset.frame.split(",").map(Number);
              const field = map.dataset.field;
              const degrees = (event) => {
                const edge = map.getBoundingClientRect();
                const x = (event.clientX - edge.left) / edge.width;
                const y = (event.clientY - edge.top) / edge.height;
                return { latitude: north - y * (north - south), longitude: west + x * (east - west), x: event.clientX, y: event.clientY };
              };
              const show = (condition) => {
                const target = new URL(location.href);
                const old = map.dataset.where;
                target.searchParams.set("where", old ? `(${old}) and ${condition}` : condition);
                location.assign(target);
              };
              let start;
              map.addEventListener("pointerdown", (event) => { start = event.target.closest("a") ? undefined : degrees(event); });
              map.addEventListener("pointerup", (event) => {
                if (!start) return;
                const end = degrees(event);
                const round = (number) => number.toFixed(5);
                if (Math.hypot(end.x - start.x, end.y - start.y) < 5) {
                  show(`${field} near ${round(end.latitude)},${round(end.longitude)},5`);
                } else {
                  const [low, high] = [start.latitude, end.latitude].sort((a, b) => a - b);
                  const [left, right] = [start.longitude, end.longitude].sort((a, b) => a - b);
                  show(`${field} within ${[low, left, high, right].map(round).join(",")}`);
                }
                start = undefined;
              });
            })();

            """#)

    static let all = [style, script]
}
