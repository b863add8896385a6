"use strict";
// The only script of the page: light and dark, tables that sort, the table of nodes, the threshold. No network, no library.
(() => {
  const root = document.documentElement;
  const key = "lsgnn-theme";
  const remember = (value) => { try { localStorage.setItem(key, value); } catch { /* private windows may refuse */ } };
  const remembered = () => { try { return localStorage.getItem(key); } catch { return null; } };
  if (remembered() === "light" || remembered() === "dark") root.dataset.theme = remembered();

  const isDark = () =>
    root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;

  function themeButton() {
    const button = document.getElementById("theme");
    const label = () => { button.textContent = isDark() ? "☀ Light" : "☾ Dark"; };
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      remember(root.dataset.theme);
      label();
    });
    label();
  }

  // numbers by value, text by the rules of the reader's language, missing values always last
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  function compare(a, b, sign) {
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b));
  }

  function sortableHeads(table, onSort) {
    table.querySelectorAll("thead th").forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const first = head.classList.contains("w") ? "ascending" : "descending";
        const other = first === "ascending" ? "descending" : "ascending";
        const order = head.getAttribute("aria-sort") === first ? other : first;
        table.querySelectorAll("thead th").forEach((one) => one.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", order);
        onSort(column, order === "ascending" ? 1 : -1);
      });
    });
  }

  function cellValue(row, column) {
    const cell = row.cells[column];
    const shown = cell.dataset.value ?? cell.textContent.trim();
    const value = parseFloat(shown.replace(/,/g, "").replace("−", "-"));
    if (shown === "–" || shown === "") return null;
    return cell.classList.contains("w") || Number.isNaN(value) ? shown : value;
  }

  function staticTables() {
    document.querySelectorAll("table.sortable").forEach((table) => {
      const body = table.tBodies[0];
      sortableHeads(table, (column, sign) => {
        const rows = [...body.rows];
        rows.sort((a, b) => compare(cellValue(a, column), cellValue(b, column), sign));
        body.append(...rows);
      });
    });
  }

  // A table of many nodes, page by page: `kinds` says what a column holds, `known` which column is the true class.
  function nodeTable() {
    const source = document.getElementById("node-data");
    if (!source) return;
    const data = JSON.parse(source.textContent);
    const table = document.getElementById("nodes-table");
    const search = document.getElementById("node-search");
    const status = document.getElementById("node-status");
    const [back, next] = ["node-back", "node-next"].map((id) => document.getElementById(id));
    const size = 25;
    const percent = (share) => (100 * share).toFixed(1) + " %";
    const className = (number) => (number < 0 ? null : data.classes[number]);
    // what a value is sorted by, and what is shown of it
    const kinds = {
      text: { key: (value) => value, words: (value) => value },
      part: { key: (value) => data.parts[value], words: (value) => data.parts[value] },
      class: { key: className, words: className },
      said: { key: ([c, share]) => className(c) + share, words: ([c, share]) => `${className(c)} · ${percent(share)}` },
      share: { key: (value) => value, words: percent },
      count: { key: (value) => value, words: (value) => value.toLocaleString("en") },
      number: { key: (value) => value, words: (value) => value.toFixed(2) },
    };
    const wordy = new Set(["text", "part", "class", "said"]);
    const key = (row, column) => (row[column] === null ? null : kinds[data.kinds[column]].key(row[column]));
    const words = (row, column) => (row[column] === null ? null : kinds[data.kinds[column]].words(row[column])) ?? "–";
    const isWrong = (row, column) => {
      const said = { class: row[column], said: row[column]?.[0] }[data.kinds[column]];
      return column !== data.known && said !== undefined && row[data.known] >= 0 && said !== row[data.known];
    };
    const searched = data.kinds.flatMap((kind, column) => (wordy.has(kind) ? [column] : []));
    const haystack = new Map(data.rows.map((row) => [row, searched.map((column) => words(row, column)).join("\n").toLowerCase()]));
    let shown = data.rows;
    let page = 0;

    function draw() {
      const pages = Math.max(1, Math.ceil(shown.length / size));
      page = Math.min(Math.max(page, 0), pages - 1);
      const rows = shown.slice(page * size, (page + 1) * size).map((row) => {
        const line = document.createElement("tr");
        data.kinds.forEach((kind, column) => {
          const cell = document.createElement("td");
          cell.textContent = words(row, column);  // never as HTML: ids and class names are not ours
          cell.classList.toggle("w", wordy.has(kind));
          cell.classList.toggle("wrong", isWrong(row, column));
          line.append(cell);
        });
        return line;
      });
      table.tBodies[0].replaceChildren(...rows);
      status.textContent = `${shown.length.toLocaleString("en")} nodes · page ${page + 1} of ${pages}`;
      back.disabled = page === 0;
      next.disabled = page === pages - 1;
    }

    let order = null;
    function select() {
      const wanted = search.value.trim().toLowerCase();
      shown = data.rows.filter((row) => haystack.get(row).includes(wanted));
      if (order) shown.sort((a, b) => compare(key(a, order.column), key(b, order.column), order.sign));
      page = 0;
      draw();
    }

    sortableHeads(table, (column, sign) => { order = { column, sign }; select(); });
    search.addEventListener("input", select);
    back.addEventListener("click", () => { page -= 1; draw(); });
    next.addEventListener("click", () => { page += 1; draw(); });
    draw();
  }

  function thresholdSlider() {
    const source = document.getElementById("cut-data");
    if (!source) return;
    const data = JSON.parse(source.textContent);
    const place = (name) => document.getElementById("cut-" + name);
    const slider = place("slider");
    const count = (value) => value.toLocaleString("en");
    const share = (part, whole) => (whole ? ((100 * part) / whole).toFixed(1) + " %" : "–");

    function draw() {
      const [threshold, hits, wrong] = data.rows[Number(slider.value)];
      const shown = {
        threshold: threshold.toFixed(4),
        flagged: count(hits + wrong),
        precision: share(hits, hits + wrong),
        recall: share(hits, data.positives),
        f1: share(2 * hits, hits + wrong + data.positives),
        tp: count(hits),
        fp: count(wrong),
        fn: count(data.positives - hits),
        tn: count(data.negatives - wrong),
      };
      for (const [name, text] of Object.entries(shown)) place(name).textContent = text;
      place("own").hidden = Number(slider.value) !== data.start;
      slider.setAttribute("aria-valuetext", `${shown.threshold}: precision ${shown.precision}, recall ${shown.recall}`);
    }

    slider.value = data.start;  // a browser may have kept where it was
    slider.addEventListener("input", draw);
    place("slider").closest(".cut").hidden = false;
    draw();
  }

  document.addEventListener("DOMContentLoaded", () => { themeButton(); staticTables(); nodeTable(); thresholdSlider(); });
})();
