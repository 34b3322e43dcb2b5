/// The script of forms that change a resource. Without it a form is checked when it is sent.
enum CheckScript {
    static let text = """
        // While somebody types, the form goes to its check route, which stores nothing, and the issues are shown beside their fields.
        for (const form of document.querySelectorAll("form[data-check]")) {
          const summary = form.querySelector("[data-summary]");
          const rest = form.querySelector("[data-rest]");
          let timer, running;

          const clear = () => {
            for (const place of form.querySelectorAll("p.issue")) { place.textContent = ""; place.hidden = true; }
            for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
            rest.replaceChildren();
            rest.hidden = true;
          };

          const show = (answer) => {
            clear();
            for (const issue of answer.issues) {
              const place = issue.field && document.getElementById(`${issue.field}-issue`);
              if (place) {
                place.textContent += (place.textContent ? "; " : "") + issue.text;
                place.hidden = false;
                document.getElementById(issue.field).setAttribute("aria-invalid", "true");
              } else {
                const item = document.createElement("li");
                item.textContent = `${issue.path} ${issue.text}`.trim();
                rest.append(item);
                rest.hidden = false;
              }
            }
            summary.textContent = answer.summary;
          };

          const check = async () => {
            running?.abort();
            running = new AbortController();
            try {
              const body = new URLSearchParams(new FormData(form));
              const answer = await fetch(form.dataset.check, { method: "POST", body, signal: running.signal });
              if (!answer.ok) throw new Error(String(answer.status));
              show(await answer.json());
            } catch (error) {
              if (error.name !== "AbortError") { clear(); summary.textContent = "Not checked: it is checked when you save."; }
            }
          };

          form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(check, 300); });
        }

        """
}
