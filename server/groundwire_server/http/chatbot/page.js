(() => {
  "use strict";
  const get = (id) => document.getElementById(id);
  const [form, sources, status, error, result] =
    ["form", "sources", "status", "error", "result"].map(get);
  const valueOf = (id) => get(id)?.value ?? "";
  let running = null;
  let address = "";

  const entries = () => [...sources.querySelectorAll(".entry")];
  const inputOf = (entry, field) => entry.querySelector(`[data-field="${field}"]`);

  const number = () => {
    entries().forEach((entry, at, all) => {
      entry.querySelector("[data-number]").textContent = at + 1;
      entry.querySelector("[data-remove]").hidden = all.length === 1;
    });
  };

  const add = () => {
    const ids = entries().map((entry) => inputOf(entry, "id").value);
    let at = 0;
    while (ids.includes(`S${at}`)) at += 1;
    const entry = get("source").content.firstElementChild.cloneNode(true);
    inputOf(entry, "id").value = `S${at}`;
    entry.querySelector("[data-remove]").addEventListener("click", () => {
      entry.remove();
      number();
      get("add").focus();
    });
    sources.append(entry);
    number();
    return entry;
  };

  const request = () => ({
    answer: valueOf("answer"),
    question: valueOf("question"),
    sources: entries().map((entry) => ({
      id: inputOf(entry, "id").value.trim(),
      title: inputOf(entry, "title").value.trim(),
      text: inputOf(entry, "text").value,
    })),
  });

  // The input of a field of the request, such as sources[1].text.
  const inputFor = (field) => {
    const found = /^sources\[(\d+)\]\.(id|title|text)$/.exec(field);
    if (found) return inputOf(entries()[Number(found[1])], found[2]);
    if (field === "sources") return inputOf(entries()[0], "text");
    return ["answer", "question"].includes(field) ? get(field) : null;
  };

  const element = (name, text) => {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  };

  const nameOf = (input) => {
    const entry = input.closest(".entry")?.querySelector("legend").textContent;
    const label = input.labels[0].firstChild.textContent.trim();
    return entry ? `${entry}, ${label}` : label;
  };

  const describe = (input, fault) => {
    const ids = (input.getAttribute("aria-describedby") ?? "").split(" ");
    const others = ids.filter((id) => id && !id.startsWith("fault-"));
    input.setAttribute("aria-describedby", [...others, ...(fault ? [fault.id] : [])].join(" "));
  };

  // What is wrong with an input stands below it, where the focus will be.
  const mark = (input, text) => {
    const fault = element("span", text);
    fault.id = `fault-${form.querySelectorAll(".fault").length}`;
    fault.className = "fault";
    (input.closest("label") ?? input).after(fault);
    input.setAttribute("aria-invalid", "true");
    describe(input, fault);
  };

  const clear = () => {
    error.hidden = true;
    error.replaceChildren();
    for (const fault of form.querySelectorAll(".fault")) fault.remove();
    for (const input of form.querySelectorAll("[aria-invalid]")) {
      input.removeAttribute("aria-invalid");
      describe(input);
    }
    result.hidden = true;
    if (address) URL.revokeObjectURL(address);
    address = "";
  };

  const complain = (messages, input) => {
    const list = element("ul", "");
    list.append(...messages.map((text) => {
      const item = element("li", "");
      item.append(element("bdi", text));
      return item;
    }));
    error.append(element("strong", error.dataset.failed), list);
    error.hidden = false;
    (input ?? get("check")).focus();
  };

  const refuse = (failure) => {
    const faults = failure.reason === "INVALID_TOKEN"
      ? [{ input: get("token"), message: error.dataset.token }]
      : failure.fields.map(({ field, message }) => ({ input: inputFor(field), field, message }));
    const messages = faults.map(({ input, field, message }) => {
      if (input) mark(input, message);
      const name = input ? nameOf(input) : field;
      return name ? `${name}: ${message}` : message;
    });
    complain(messages.length ? messages : [failure.message], faults.find((each) => each.input)?.input);
  };

  const show = (page) => {
    address = URL.createObjectURL(new Blob([page], { type: "text/html" }));
    get("report").src = get("save").href = address;
    result.hidden = false;
    result.focus();
  };

  const check = async (signal) => {
    const headers = { "content-type": "application/json", accept: "text/html, application/json" };
    const token = valueOf("token").trim();
    if (token) headers.authorization = `Bearer ${token}`;
    const response = await fetch(form.dataset.path, {
      method: "POST", headers, body: JSON.stringify(request()), signal,
      credentials: "omit", cache: "no-store",
    });
    const text = await response.text();
    if (response.ok) return show(text);
    return refuse(JSON.parse(text).error);
  };

  const busy = (is) => {
    // Not "disabled", which would take the focus away from it.
    get("check").setAttribute("aria-disabled", String(is));
    get("stop").hidden = !is;
    form.setAttribute("aria-busy", String(is));
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (running) return;
    clear();
    running = new AbortController();
    busy(true);
    status.textContent = status.dataset.checking;
    try {
      await check(running.signal);
      status.textContent = result.hidden ? "" : status.dataset.done;
    } catch {
      const stopped = running.signal.aborted;
      status.textContent = stopped ? status.dataset.stopped : "";
      if (!stopped) complain([error.dataset.unreachable]);
    } finally {
      running = null;
      busy(false);
    }
  });
  get("stop").addEventListener("click", () => running?.abort());
  get("add").addEventListener("click", () => inputOf(add(), "text").focus());
  add();
})();
