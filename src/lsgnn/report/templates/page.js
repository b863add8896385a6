"use strict";
// The only script of the page: light and dark, tables that sort, the table of nodes and why a node has its class, the
// threshold. No network, no library. Ids and class names are not ours: they are only ever set as text.
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

  // what a phone, which shows a row as a list, writes before each cell
  const headNames = (table) => [...table.tHead.rows[0].cells].map((head) => head.textContent);

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
  function nodeTable(why) {
    const source = document.getElementById("node-data");
    if (!source) return;
    const data = JSON.parse(source.textContent);
    const table = document.getElementById("nodes-table");
    const search = document.getElementById("node-search");
    const status = document.getElementById("node-status");
    const [back, next] = ["node-back", "node-next"].map((id) => document.getElementById(id));
    const names = headNames(table);
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
          if (column === 0 && why.has(row[0])) cell.append(why.button(row[0]));
          else cell.textContent = words(row, column);
          cell.dataset.label = names[column];
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

  // with `space`, the name space of a drawing, a piece of it
  function element(name, attributes = {}, text = null, space = document.documentElement.namespaceURI) {
    const made = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== null) made.textContent = text;
    return made;
  }
  const shorten = (words, most) => (words.length <= most ? words : words.slice(0, most - 1) + "…");
  const decimal = (value, digits) => (value < 0 ? "−" : "") + Math.abs(value).toFixed(digits);
  const signed = (value) => (value < 0 ? "" : "+") + decimal(value, 2);

  // Why a node has its class: the data is in the page, for as many nodes as it can carry.
  function nodeExplainer() {
    const source = document.getElementById("why-data");
    if (!source) return { has: () => false };
    const data = JSON.parse(source.textContent);
    const places = new Map(data.nodes.map((node, number) => [data.ids[node[0]], number]));
    const card = document.getElementById("why");
    const part = (name) => document.getElementById("why-" + name);
    let opener = null;

    const has = (id) => places.has(id);
    function button(id) {
      const made = element("button", { type: "button", class: "node" }, id);
      made.addEventListener("click", () => { opener = made; show(id); });
      return made;
    }

    // colours of the classes that are drawn: those of the map, unless there are more classes than colours
    function palette(numbers) {
      const seen = [...new Set(numbers)].sort((a, b) => a - b);
      return new Map(seen.map((c, place) => [c, (data.classes.length > 8 ? place : c) % 8]));
    }
    const classOf = (node) => (data.known[node] >= 0 ? data.known[node] : data.predicted[node]);

    function draw(centre, near, ties) {
      const svg = part("drawing");
      const piece = (name, attributes = {}, text = null) => element(name, attributes, text, svg.namespaceURI);
      const colours = palette([centre, ...near.map(([node]) => node)].map(classOf));
      const [width, height, radius] = [420, 330, 112];
      // neighbours of one class side by side, from the top on
      const order = near.map((_, k) => k).sort((a, b) => classOf(near[a][0]) - classOf(near[b][0]) || a - b);
      const spots = [];
      order.forEach((k, turn) => {
        const angle = (2 * Math.PI * turn) / near.length - Math.PI / 2;
        spots[k] = [width / 2 + 1.15 * radius * Math.cos(angle), height / 2 + radius * Math.sin(angle), Math.cos(angle)];
      });
      const heaviest = Math.max(...near.map(([, weight]) => weight), 1e-9);
      const drawn = [piece("title", {}, `The neighbours of ${data.ids[centre]}`)];
      for (const [a, b] of ties) {
        drawn.push(piece("line", { x1: spots[a][0], y1: spots[a][1], x2: spots[b][0], y2: spots[b][1], class: "tie" }));
      }
      near.forEach(([, weight], k) => {
        const thick = { "stroke-width": 1 + (5 * Math.max(weight, 0)) / heaviest, class: "edge" };
        drawn.push(piece("line", { x1: width / 2, y1: height / 2, x2: spots[k][0], y2: spots[k][1], ...thick }));
      });
      const circle = (node, x, y, r) => {
        const look = data.known[node] >= 0 ? "s" + colours.get(classOf(node)) : "hollow l" + colours.get(classOf(node));
        const made = piece("circle", { cx: x, cy: y, r, class: look });
        const kind = data.known[node] >= 0 ? "known" : "predicted";
        made.append(piece("title", {}, `${data.ids[node]}: ${data.classes[classOf(node)]} (${kind})`));
        drawn.push(made);
      };
      circle(centre, width / 2, height / 2, 13);
      near.forEach(([node], k) => {
        const [x, y, side] = spots[k];
        circle(node, x, y, 8);
        const anchor = side > 0.3 ? "start" : side < -0.3 ? "end" : "middle";
        const shift = anchor === "middle" ? [0, y < height / 2 ? -13 : 22] : [anchor === "start" ? 13 : -13, 4];
        drawn.push(piece("text", { x: x + shift[0], y: y + shift[1], "text-anchor": anchor, class: "tick halo" }, shorten(data.ids[node], 11)));
      });
      svg.replaceChildren(...drawn);
      const keys = [...colours].map(([c, colour]) => {
        const key = element("span", { class: "key" });
        key.append(element("i", { class: "k" + colour }), data.classes[c]);
        return key;
      });
      part("legend").replaceChildren(...keys);
    }

    function fill(table, rows, wordy) {
      const names = headNames(table);
      table.tBodies[0].replaceChildren(...rows.map((cells) => {
        const line = element("tr");
        cells.forEach((value, column) => {
          const cell = element("td", wordy.includes(column) ? { class: "w" } : {});
          cell.append(value);
          cell.dataset.label = names[column];
          line.append(cell);
        });
        return line;
      }));
    }

    function show(id) {
      const [node, probable, [degree, near, ties], sums] = data.nodes[places.get(id)];
      const said = data.classes[data.predicted[node]];
      const known = data.known[node] < 0 ? "its class is not known here" : `its class is ${data.classes[data.known[node]]}`;
      part("title").textContent = `Node ${id}`;
      part("known").textContent = `Predicted ${said}; ${known}.` + (sums && sums[2] !== null
        ? ` Its neighbours are more like it than those of ${sums[2]} % of the nodes (LocalSim).` : "");
      part("classes").replaceChildren(...probable.map(([c, share]) => {
        const line = element("div", { class: "bar" });
        const bar = element("i");
        bar.style.width = Math.max(0.5, 100 * share) + "%";
        const track = element("span", { class: "track" });
        track.append(bar);
        line.append(element("span", { class: "name" }, data.classes[c]), track, element("b", {}, (100 * share).toFixed(1) + " %"));
        return line;
      }));
      draw(node, near, ties);
      const more = degree > near.length ? ` ${near.length} of them are shown, those with the largest weights.` : "";
      part("count").textContent = degree ? `${degree} neighbour${degree === 1 ? "" : "s"}.${more}` : "It has none.";
      part("near").closest(".scroll").hidden = !degree;
      fill(part("near"), near.map(([other, weight, similarity]) => [
        has(data.ids[other]) ? button(data.ids[other]) : data.ids[other],
        data.known[other] < 0 ? "–" : data.classes[data.known[other]],
        data.classes[data.predicted[other]],
        decimal(weight, 3),
        ...(sums ? [decimal(similarity, 3)] : []),
      ]), [0, 1, 2]);
      if (sums) {
        const [hops, [own, links, bias]] = sums;
        const total = own + links + bias + hops.flat().reduce((sum, [, term]) => sum + term, 0);
        part("of").textContent = said;
        fill(part("sums"), [
          ["itself", signed(own), "", ""],
          ...hops.map((hop, k) => [`hop ${k + 1}`, ...hop.map(([alpha, term]) => `${signed(term)} (${decimal(alpha, 2)})`)]),
          ...(links ? [["links", signed(links), "", ""]] : []),
          ["bias", signed(bias), "", ""],
          ["logit", signed(total), "", ""],
        ], [0]);
      }
      card.hidden = false;
      card.scrollIntoView({ block: "start" });
      part("title").focus({ preventScroll: true });
    }

    part("close").addEventListener("click", () => {
      card.hidden = true;
      if (opener && opener.isConnected) opener.focus();
    });
    document.querySelectorAll("table[data-nodes] tbody td:first-child").forEach((cell) => {
      if (has(cell.textContent)) cell.replaceChildren(button(cell.textContent));
    });
    document.querySelectorAll("[data-node]").forEach((mark) => {
      if (has(mark.dataset.node)) mark.addEventListener("click", () => { opener = null; show(mark.dataset.node); });
    });
    return { has, button };
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

  document.addEventListener("DOMContentLoaded", () => {
    themeButton();
    staticTables();
    nodeTable(nodeExplainer());
    thresholdSlider();
  });
})();
