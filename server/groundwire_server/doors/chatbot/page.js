(() => {
  "use strict";
  const get = (id) => document.getElementById(id);
  const [form, sources, status, error, live, result] =
    ["form", "sources", "status", "error", "live", "result"].map(get);
  const valueOf = (id) => get(id)?.value ?? "";
  let running = null;
  let address = "";
  let report = {};

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
    options: {
      policy: "budget", max_claims: Number(form.dataset.claims), correct: get("correct").checked,
    },
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
    result.hidden = live.hidden = true;
    if (address) URL.revokeObjectURL(address);
    address = "";
    report = {};
  };

  const complain = (messages, input, head = error.dataset.failed) => {
    const list = element("ul", "");
    list.append(...messages.map((text) => {
      const item = element("li", "");
      item.append(element("bdi", text));
      return item;
    }));
    error.append(element("strong", head), list);
    error.hidden = false;
    (input ?? get("check")).focus();
  };

  const words = JSON.parse(error.dataset.words);
  const inWords = (reason, message) => words[reason] ?? words.OTHER ?? message;

  // What an input can be refused for, which the reason of the whole request does not tell.
  const faultOf = (input) => {
    const isSame = (each) => each !== input && each.value.trim() === input.value.trim();
    if (!input.value.trim()) return "BLANK";
    if (input.dataset.field !== "id") return "LONG";
    return entries().some((entry) => isSame(inputOf(entry, "id"))) ? "SAME_ID" : "BAD_ID";
  };

  const refuse = (failure) => {
    const faults = failure.reason === "INVALID_TOKEN"
      ? [{ input: get("token"), message: error.dataset.token }]
      : failure.fields.map(({ field, message }) => {
        const input = inputFor(field);
        return { input, field, message: inWords(input ? faultOf(input) : failure.reason, message) };
      });
    const messages = faults.map(({ input, field, message }) => {
      if (input) mark(input, message);
      const name = input ? nameOf(input) : field;
      return name ? `${name}: ${message}` : message;
    });
    const whole = inWords(failure.reason, failure.message);
    complain(messages.length ? messages : [whole], faults.find((each) => each.input)?.input);
  };

  const badge = (verdict) => {
    const all = [...get("badges").content.children];
    const own = all.find((each) => each.dataset.verdict === verdict);
    return (own ?? all.find((each) => each.dataset.verdict === "UNKNOWN")).cloneNode(true);
  };

  // What is done with each event of a check.
  const told = {
    found: ({ claims }) => {
      live.querySelector("ol").replaceChildren(...claims.map((text) => {
        const item = element("li", "");
        item.append(badge(""), element("bdi", text));
        return item;
      }));
      live.hidden = false;
    },
    known: ({ index, verdict }) => {
      const items = [...live.querySelectorAll("li")];
      items[index].firstChild.replaceWith(badge(verdict));
      const known = items.filter((item) => item.firstChild.dataset.verdict).length;
      status.textContent = known === items.length
        ? status.dataset.explaining
        : status.dataset.progress.replace("{known}", known).replace("{total}", items.length);
    },
    report: (made) => {
      const correction = JSON.parse(made.json).correction;
      report = { ...made, corrected: correction?.edits.length ? correction.corrected_answer : "" };
      result.querySelector('[data-copy="corrected"]').hidden = !report.corrected;
      address = URL.createObjectURL(new Blob([made.html], { type: "text/html" }));
      get("report").src = get("save").href = address;
      get("copied").textContent = "";
      live.hidden = true;
      result.hidden = false;
      result.focus();
    },
    error: ({ error: failure }) => refuse(failure),
  };

  // The events of a stream, each with its name and its data. Raises if it breaks off.
  const eventsOf = async function* (response) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let last = ""; last !== "report" && last !== "error";) {
      const { value, done } = await reader.read();
      if (done) throw new Error("the stream broke off");
      const parts = (text + value).split("\n\n");
      text = parts.pop();
      for (const part of parts) {
        const end = part.indexOf("\n");
        last = part.slice("event: ".length, end);
        yield [last, JSON.parse(part.slice(end + "\ndata: ".length))];
      }
    }
  };

  const check = async (signal) => {
    const headers = { "content-type": "application/json", accept: "text/event-stream, application/json" };
    const token = valueOf("token").trim();
    if (token) headers.authorization = `Bearer ${token}`;
    const response = await fetch(form.dataset.path, {
      method: "POST", headers, body: JSON.stringify(request()), signal,
      credentials: "omit", cache: "no-store",
    });
    if (!response.ok) return refuse((await response.json()).error);
    for await (const [name, data] of eventsOf(response)) told[name](data);
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
      live.hidden = true;
      status.textContent = stopped ? status.dataset.stopped : "";
      if (!stopped) complain([error.dataset.unreachable]);
    } finally {
      running = null;
      busy(false);
    }
  });
  get("stop").addEventListener("click", () => running?.abort());
  get("add").addEventListener("click", () => inputOf(add(), "text").focus());

  // A file's text, or null where it holds none.
  const textOf = async (file) => {
    if (file.size > Number(form.dataset.bytes)) return null;
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      return text.includes("\0") ? null : text;
    } catch {
      return null;
    }
  };

  const isBlank = (entry) => !inputOf(entry, "text").value.trim() && !inputOf(entry, "title").value.trim();

  const addSource = (file, text) => {
    const entry = entries().find(isBlank) ?? add();
    inputOf(entry, "title").value = file.name;
    inputOf(entry, "text").value = text;
  };

  const take = async (files, use) => {
    const wrong = [];
    const fault = form.dataset.notText.replace("{mebibytes}", Math.floor(form.dataset.bytes / 2 ** 20));
    for (const file of [...files].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const text = await textOf(file);
      if (text === null) wrong.push(`${file.name}: ${fault}`);
      else use(file, text);
    }
    clear();
    if (wrong.length) complain(wrong, get("pick"), form.dataset.notTaken);
  };

  get("pick").addEventListener("click", () => get("files").click());
  get("files").addEventListener("change", async ({ target }) => {
    await take(target.files, addSource);
    target.value = "";
  });

  // On the answer a file is the answer, and anywhere else a source. None replaces the page.
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  const isOnAnswer = (event) => event.target === get("answer");
  const dropping = (is, event) => {
    form.classList.toggle("dropping", is);
    const [left, right] = form.querySelectorAll(".columns > *");
    left.classList.toggle("target", is && isOnAnswer(event));
    right.classList.toggle("target", is && !isOnAnswer(event));
  };
  document.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    dropping(true, event);
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) dropping(false, event);
  });
  document.addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    dropping(false, event);
    const { files } = event.dataTransfer;
    if (running) return;
    take(files, isOnAnswer(event) ? (_, text) => { get("answer").value = text; } : addSource);
  });

  const copy = async (text) => {
    try {
      return await navigator.clipboard.writeText(text);
    } catch {
      // Plain HTTP from another machine has none, and who may use it is up to the person.
    }
    const area = element("textarea", text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  };
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      get("copied").textContent = "";
      await copy(report[button.dataset.copy]);
      button.focus();
      get("copied").textContent = get("copied").dataset.copied;
    });
  }
  add();
})();
