/// The one script: what moves. Every page can be read without it.
enum Script {
    static let text = """
        // Pointing at an element of a resource marks its text and its rows, and the other way round.
        const panes = document.querySelector("[data-panes]");
        if (panes) {
          let lit = [];
          const mark = (key, from) => {
            for (const one of lit) one.classList.remove("lit");
            lit = key ? [...panes.querySelectorAll(`[data-e="${CSS.escape(key)}"]`)] : [];
            for (const one of lit) {
              one.classList.add("lit");
              const pane = one.closest(".pane");
              if (from && pane && pane !== from.closest(".pane") && pane.scrollHeight > pane.clientHeight) {
                pane.scrollTop = one.offsetTop - pane.offsetTop - pane.clientHeight / 3;
              }
            }
          };
          const key = (event) => event.target.closest("[data-e]")?.dataset.e;
          panes.addEventListener("pointerover", (event) => mark(key(event)));
          panes.addEventListener("focusin", (event) => mark(key(event), event.target));
          panes.addEventListener("click", (event) => {
            const link = event.target.closest("a.n");
            if (!link) return;
            event.preventDefault();
            mark(key(event), link);
          });
        }

        // A page that follows the file asks whether it has changed, and loads itself again if so.
        const live = document.querySelector("[data-state]");
        if (live) {
          const ask = async () => {
            if (document.visibilityState !== "visible") return;
            try {
              const answer = await fetch("/browse/state", { headers: { Accept: "text/plain" } });
              if (!answer.ok) return;
              const state = await answer.text();
              if (state !== live.dataset.state && !document.querySelector("input:focus, textarea:focus")) location.reload();
            } catch { /* The server has gone: the page stays as it is. */ }
          };
          setInterval(ask, 2000);
        }

        // A link to a part that is folded opens it.
        const unfold = () => {
          const part = document.querySelector("details:target");
          if (part instanceof HTMLDetailsElement) part.open = true;
        };
        addEventListener("hashchange", unfold);
        unfold();

        // The keys of the page.
        document.addEventListener("keydown", (event) => {
          const isWriting = event.target.matches("input, textarea, select");
          if (event.key === "/" && !isWriting && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            document.querySelector("#find")?.focus();
          }
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("textarea")) event.target.form?.requestSubmit();
        });

        // Copies a statement.
        for (const button of document.querySelectorAll("button[data-copy]")) {
          button.hidden = false;
          button.addEventListener("click", async () => {
            const text = document.getElementById(button.dataset.copy)?.textContent ?? "";
            try { await navigator.clipboard.writeText(text); button.textContent = "Copied"; } catch { button.textContent = "Select and copy"; }
          });
        }

        // A list of choices sends its form at once.
        for (const select of document.querySelectorAll("select[data-send]")) select.addEventListener("change", () => select.form.requestSubmit());

        """
}

/// The sign of the browser: a flame over a table.
enum Icon {
    static let text = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#c2571a" d="M12 2c1 4 6 6 6 11a6 6 0 0 1-12 0c0-2 1-4 2-5 0 2 1 3 \
        2 3 1-3 0-6 2-9z"/><path fill="#0a5794" d="M5 20h14v2H5z"/></svg>
        """

    static let markup: HTML = """
        <svg viewBox="0 0 24 24" aria-hidden="true"><path fill="#c2571a" d="M12 2c1 4 6 6 6 11a6 6 0 0 1-12 0c0-2 1-4 2-5 0 2 1 3 2 3 1-3 0-6 2-9z"/>\
        <path class="c1" d="M5 20h14v2H5z"/></svg>
        """
}
