"use strict";
// Keys and other comforts. The pages work without them.
(() => {
  const isTyping = (node) => node.matches("input, textarea, select") || node.isContentEditable;
  const follow = (selector) => document.querySelector(selector)?.click();
  const rows = () => [...document.querySelectorAll("table.documents tbody tr")];
  let selected = -1;
  const select = (step) => {
    const all = rows();
    if (all.length === 0) return;
    all[selected]?.classList.remove("selected");
    selected = Math.min(Math.max(selected + step, 0), all.length - 1);
    all[selected].classList.add("selected");
    all[selected].querySelector("a")?.focus();
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    switch (event.key) {
      case "/": document.querySelector("form.find input[type=text], form.find input[type=search]")?.focus(); break;
      case "j": select(1); break;
      case "k": select(-1); break;
      case "n": follow("a[rel=next]"); break;
      case "p": history.back(); break;
      default: return;
    }
    event.preventDefault();
  });
})();
