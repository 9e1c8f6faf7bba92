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
