(() => {
  "use strict";
  const related = [...document.querySelectorAll("[data-claims]")];
  const panel = document.querySelector(".sources");
  const claimsOf = (element) => element.dataset.claims.split(" ");
  const isAgainst = (element, number) => (element.dataset.against ?? "").split(" ").includes(number);

  const select = (number) => {
    for (const element of related) {
      element.classList.toggle("selected", claimsOf(element).includes(number));
      element.classList.toggle("against", number !== "" && isAgainst(element, number));
    }
    const source = panel.querySelector(".source.selected");
    // Only where the panel scrolls by itself: elsewhere this would move the page away.
    if (source && panel.scrollHeight > panel.clientHeight) {
      panel.scrollTop += source.getBoundingClientRect().top - panel.getBoundingClientRect().top - 8;
    }
  };

  const follow = (hash) => {
    const found = /^#(?:claim|mark)-(\d+)$/.exec(hash);
    if (found) select(found[1]);
  };

  // In a frame without an origin, which may not change its address.
  const jump = (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    event.preventDefault();
    const target = document.querySelector(link.hash);
    target.setAttribute("tabindex", target.matches("a") ? "0" : "-1");
    target.focus();
    follow(link.hash);
  };

  document.addEventListener("click", (event) => {
    const element = event.target.closest("mark, .claim, .chip");
    if (!element || !element.dataset.claims || !getSelection().isCollapsed) return;
    select(claimsOf(element)[0]);
  });
  if (location.protocol === "blob:") document.addEventListener("click", jump);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") select("");
  });
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  document.getElementById("hint").hidden = false;
  addEventListener("hashchange", () => follow(location.hash));
  follow(location.hash);
})();
