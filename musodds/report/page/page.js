"use strict";
const DATA = JSON.parse(document.getElementById("data").textContent);
const LANCES = ["grande", "chica", "pares", "juego", "punto"];
const $ = (id) => document.getElementById(id);

const TEXT = {
  en: {
    title: "Mus, hand by hand", skip: "To the table", language: "Language", search: "Search a hand",
    hint: "RR4A, kk41, 12 12 4 1", seat: "Seat", deck: "Deck", seat1: "Mano", seat2: "2nd", seat3: "3rd",
    seat4: "Postre", kings8: "8 kings", kings4: "4 kings", hand: "Hand", rank: "#", stones: "Stones", advice: "Mus",
    grande: "Grande", chica: "Chica", pares: "Pares", juego: "Juego", punto: "Punto", close: "Close",
    printOne: "Print this seat on one A4 sheet", printAll: "Print the four seats", meaning: "What the figures mean",
    win: "win", lose: "lose", played: "played", contested: "contested", win_if_contested: "win if contested",
    mine: "mine", better: "better than", us: "our stones", them: "their stones", difference: "difference",
    figures: "Every figure in this seat (%)", place_: "rank", bySeat: "How often we win, by seat (%)", counts: "Exact counts of deals won",
    of: "of", mus: "mus", cut: "cut", keep: "keep", nothing: "none",
    real_ten: "real: 777 with any ten-point card", real_jack: "real: 777 with any jack", real_coins: "real: 777 with the jack of coins",
    theme_auto: "Colours: as the device", theme_light: "Colours: light", theme_dark: "Colours: dark",
    about: "How often our pair wins each lance, in % of all {deals} deals, counted exactly",
    hands: "{n} hands", one: "1 hand: tap it or press Enter for all its figures", tap: "tap a hand for all its figures", none: "No such hand in this deck",
    bad: "“{c}” is not a card: use A 2 3 4 5 6 7 S C R", ten: "Put spaces between: 12 12 4 1 (10 S, 11 C, 12 R)", many: "A hand has four cards",
    ways: "dealt {p} % of the time", points: "{n} points", place: "No. {r} of {n} in stones",
    paper: "% of all deals in which our pair wins Grande, Chica, Pares, Juego, pUnto, as dealt and exact; ± the stones we gain on them if every lance is passed. 0 and 100 are certain; <1 and >99 are not.",
    heads: ["G", "C", "P", "J", "U", "±"],
    meanings: [
      ["win, lose", "Our pair, or theirs, takes the lance, over all deals. Together they make “played”."],
      ["played", "Grande and chica always; pares if somebody has pares, juego if somebody has juego, punto if nobody has."],
      ["contested", "Both pairs hold it, so there is betting. “Win if contested” is how often we win then."],
      ["mine", "Your own hand is the one that wins the lance."],
      ["stones", "What the hand pays if every lance is passed: ours less theirs."],
      ["rank, better than", "The place among all hands by the rules of the lance, and the share of dealt hands that are worse (at punto among hands without juego). At stones, by the expected difference in this seat."],
      ["0 and 100", "Exact: never and always. “<” and “>” mark what only rounds to them."],
      ["mus", "What the players’ policy does in the first round: cut, or mus and the cards to keep. It cuts by a rule of thumb (31, duples, medias, two kings, or pares with juego) and keeps what pays best against it."],
      ["as dealt", "Before any mus, with nothing known of the other three hands."],
    ],
  },
  es: {
    title: "Mus, mano a mano", skip: "A la tabla", language: "Idioma", search: "Buscar una jugada",
    hint: "RR4A, kk41, 12 12 4 1", seat: "Puesto", deck: "Baraja", seat1: "Mano", seat2: "2.º", seat3: "3.º",
    seat4: "Postre", kings8: "8 reyes", kings4: "4 reyes", hand: "Jugada", rank: "N.º", stones: "Piedras", advice: "Mus",
    grande: "Grande", chica: "Chica", pares: "Pares", juego: "Juego", punto: "Punto", close: "Cerrar",
    printOne: "Imprimir este puesto en una hoja A4", printAll: "Imprimir los cuatro puestos", meaning: "Qué dicen las cifras",
    win: "gana", lose: "pierde", played: "se juega", contested: "se disputa", win_if_contested: "gana si se disputa",
    mine: "la gano yo", better: "mejor que", us: "piedras nuestras", them: "piedras suyas", difference: "diferencia",
    figures: "Todas las cifras en este puesto (%)", place_: "puesto", bySeat: "Cuánto ganamos según el puesto (%)", counts: "Repartos ganados, contados uno a uno",
    of: "de", mus: "mus", cut: "corta", keep: "guarda", nothing: "nada",
    real_ten: "la real: 777 con cualquier carta de diez", real_jack: "la real: 777 con cualquier sota", real_coins: "la real: 777 con la sota de oros",
    theme_auto: "Colores: los del aparato", theme_light: "Colores: claros", theme_dark: "Colores: oscuros",
    about: "Cuánto gana nuestra pareja cada lance, en % de los {deals} repartos, contados todos",
    hands: "{n} jugadas", one: "1 jugada: tócala o pulsa Intro para ver todas sus cifras", tap: "toca una jugada para ver todas sus cifras", none: "No hay tal jugada en esta baraja",
    bad: "«{c}» no es una carta: usa A 2 3 4 5 6 7 S C R", ten: "Con espacios: 12 12 4 1 (10 S, 11 C, 12 R)", many: "Una jugada son cuatro cartas",
    ways: "sale el {p} % de las veces", points: "{n} puntos", place: "n.º {r} de {n} en piedras",
    paper: "% de todos los repartos en que nuestra pareja gana Grande, Chica, Pares, Juego, pUnto, exacto y sin mus; ± las piedras que les sacamos si todo queda en paso. 0 y 100 son seguros; <1 y >99 no.",
    heads: ["G", "C", "P", "J", "U", "±"],
    meanings: [
      ["gana, pierde", "Nuestra pareja, o la suya, se lleva el lance, sobre todos los repartos. Juntas suman «se juega»."],
      ["se juega", "Grande y chica siempre; pares si alguien tiene pares, juego si alguien tiene juego, punto si nadie lo tiene."],
      ["se disputa", "Las dos parejas lo llevan, así que se puede envidar. «Gana si se disputa» es cuánto ganamos entonces."],
      ["la gano yo", "Tu propia jugada es la que gana el lance."],
      ["piedras", "Lo que vale la mano si todo queda en paso: las nuestras menos las suyas."],
      ["puesto, mejor que", "El lugar entre todas las jugadas según el lance, y la parte de las jugadas repartidas que son peores (al punto, entre las que no tienen juego). En piedras, por la diferencia esperada en este puesto."],
      ["0 y 100", "Exactos: nunca y siempre. «<» y «>» marcan lo que solo redondea a ellos."],
      ["mus", "Lo que hace la política de los jugadores en la primera vuelta: corta, o mus y las cartas que guarda. Corta por costumbre (31, duples, medias, dos reyes, o pares con juego) y guarda lo que más rinde contra ella."],
      ["sin mus", "Tal como se reparte, sin saber nada de las otras tres manos."],
    ],
  },
};

/* ---- the figures: whole numbers of deals, in base 36 ---- */
const numbers = (text) => text.split(" ").map((part) => (part === "-" ? null : parseInt(part, 36)));
const DECKS = {};
for (const raw of DATA.decks) {
  const deck = { kings: raw.kings, real: raw.real, cards: raw.cards, hands: raw.hands.split(" "), advice: raw.advice };
  deck.tokens = deck.hands.map((hand) => hand.match(/S\*|./g));
  for (const name of ["ways", "points"]) deck[name] = numbers(raw[name]);
  for (const name of ["played", "contested", "alone", "rank", "better"]) deck[name] = raw[name].map(numbers);
  deck.seats = raw.seats.map((seat) => ({
    win: seat.win.map(numbers), mine: seat.mine.map(numbers), us: numbers(seat.us), them: numbers(seat.them),
    rank: numbers(seat.rank), better: numbers(seat.better),
  }));
  DECKS[raw.kings] = deck;
}
const DEALS = DATA.deals;

function figures(deck, seat, hand) {
  const from = deck.seats[seat - 1];
  const lances = LANCES.map((name, i) => {
    const win = from.win[i][hand], played = deck.played[i][hand], contested = deck.contested[i][hand];
    return {
      win: win / DEALS, lose: (played - win) / DEALS, played: played / DEALS, contested: contested / DEALS,
      win_if_contested: contested ? (win - deck.alone[i][hand]) / contested : null, mine: from.mine[i][hand] / DEALS,
      rank: deck.rank[i][hand], better: deck.better[i][hand] === null ? null : deck.better[i][hand] / 1e6, count: win,
    };
  });
  const us = from.us[hand] / DEALS, them = from.them[hand] / DEALS;
  const difference = (from.us[hand] - from.them[hand]) / DEALS;
  return { lances, us, them, difference, rank: from.rank[hand], better: from.better[hand] / 1e6 };
}

/* ---- what is shown ---- */
const stored = (name, fallback) => { try { return localStorage.getItem("musodds-" + name) || fallback; } catch { return fallback; } };
const store = (name, value) => { try { localStorage.setItem("musodds-" + name, value); } catch { /* a private window */ } };
const state = { kings: DATA.kings, seat: DATA.seat, sort: "stones", up: false, query: "" };
state.lang = stored("lang", document.documentElement.lang) === "es" ? "es" : "en";
state.theme = ["light", "dark"].includes(stored("theme", "")) ? stored("theme", "") : "auto";
for (const [key, value] of new URLSearchParams(location.hash.slice(1))) {
  if (key === "kings" && DECKS[value]) state.kings = Number(value);
  if (key === "seat" && /^[1-4]$/.test(value)) state.seat = Number(value);
  if (key === "hand") state.query = value;
}
const wide = matchMedia("(min-width: 48rem)");

const t = (key, blanks = {}) => TEXT[state.lang][key].replace(/\{(\w+)\}/g, (_, name) => blanks[name]);
const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const point = (text) => (state.lang === "es" ? text.replace(".", ",") : text);
const whole = (number) => number.toLocaleString(state.lang === "es" ? "es-ES" : "en-US", { useGrouping: true });

function percent(share, digits) {
  if (share === null) return "–";
  if (share === 0) return "0";
  if (share === 1) return "100";
  const text = (100 * share).toFixed(digits);
  const step = digits ? Math.pow(10, -digits) : 1;
  if (Number(text) === 0) return "<" + point(step.toFixed(digits));
  if (Number(text) === 100) return ">" + point((100 - step).toFixed(digits));
  return point(text);
}
function signed(number, digits) {
  const text = Math.abs(number).toFixed(digits);
  return (Number(text) === 0 ? "" : number < 0 ? "−" : "+") + point(text);
}

/* ---- search: any notation, any order, from the first card on ---- */
function typedCards(text, deck) {
  const typed = text.trim().toUpperCase();
  if (!typed) return { cards: [] };
  const separated = /[\s,;/-]/.test(text.trimStart());
  const alone = /^(1[0-2]|[A-Z1-7])[OEB]$/.test(typed) || typed === "10";
  const tokens = separated ? typed.split(/[\s,;/-]+/).filter(Boolean) : alone ? [typed] : typed.match(/[SJ]\*|./g);
  const cards = [];
  for (const token of tokens) {
    const found = /^(1[0-2]|[A-Z1-9])([OCEB*]?)$/.exec(token);
    if (!found) return { wrong: /[0]/.test(token) || (separated && token.length > 2) ? t("ten") : t("bad", { c: token }) };
    let card = { 10: "S", 11: "C", 12: "R", 1: "A", J: "S", Q: "C", K: "R" }[found[1]] || found[1];
    if (!"A234567SCR".includes(card)) return { wrong: t("bad", { c: token }) };
    if (deck.kings === 8) card = { 2: "A", 3: "R" }[card] || card;
    if (card === "S" && (found[2] === "*" || found[2] === "O") && deck.cards.includes("S*")) card = "S*";
    cards.push(card);
  }
  return cards.length > 4 ? { wrong: t("many") } : { cards };
}
function holds(tokens, cards) {
  const left = [...tokens];
  return cards.every((card) => {
    const at = left.indexOf(card);
    if (at < 0) return false;
    left.splice(at, 1);
    return true;
  });
}

/* ---- the table ---- */
const COLUMNS = () => ["rank", "hand", ...LANCES, "stones", ...(DECKS[state.kings].advice ? ["advice"] : [])];
function value(deck, seat, column, hand) {
  const from = deck.seats[seat - 1];
  if (column === "hand") return -hand;
  if (column === "stones" || column === "rank") return from.us[hand] - from.them[hand];
  return from.win[LANCES.indexOf(column)][hand];
}
let shown = [];
function chosen() {
  const deck = DECKS[state.kings];
  const { cards, wrong } = typedCards(state.query, deck);
  const hands = wrong ? [] : deck.hands.map((_, i) => i).filter((i) => holds(deck.tokens[i], cards));
  const sign = state.up ? 1 : -1;
  const key = hands.map((i) => value(deck, state.seat, state.sort, i));
  const order = hands.map((_, n) => n).sort((a, b) => sign * (key[a] - key[b]) || hands[a] - hands[b]);
  return { hands: order.map((n) => hands[n]), wrong };
}
function scales(deck, seat) {
  const from = deck.seats[seat - 1];
  const most = (list) => list.reduce((a, b) => Math.max(a, b), 1);
  const least = (list) => list.reduce((a, b) => Math.min(a, b), DEALS);
  return { lances: from.win.map((list) => [least(list), most(list)]), stones: most(from.us.map((us, i) => Math.abs(us - from.them[i]))) };
}
const warmth = (win, [least, most]) => (most > least ? (win - least) / (most - least) : 0);
function drawHeads() {
  $("heads").innerHTML = COLUMNS().map((column) => {
    const sorted = state.sort === column;
    const aria = column === "rank" || column === "advice" ? "" : ` aria-sort="${sorted ? (state.up ? "ascending" : "descending") : "none"}"`;
    const arrow = `<i aria-hidden="true">${sorted ? (state.up ? "▲" : "▼") : ""}</i>`;
    const inside = aria ? `<button type="button" data-sort="${column}">${t(column)}${arrow}</button>` : `<button type="button" disabled>${t(column)}${arrow}</button>`;
    return `<th scope="col" class="${column}-column"${aria}>${inside}</th>`;
  }).join("");
}
function drawRows() {
  const deck = DECKS[state.kings], { hands, wrong } = chosen();
  const scale = scales(deck, state.seat), digits = wide.matches ? 4 : 1;
  const from = deck.seats[state.seat - 1];
  const mark = (column) => (state.sort === column ? " sorted" : "");
  const rows = hands.map((hand) => {
    const at = LANCES.indexOf(state.sort);
    const rank = at < 0 ? from.rank[hand] : deck.rank[at][hand];
    const cells = LANCES.map((name, i) => {
      const win = from.win[i][hand];
      return `<td class="${name}${mark(name)}" style="--h:${warmth(win, scale.lances[i]).toFixed(3)}"><data value="${win / DEALS}">${percent(win / DEALS, digits)}</data></td>`;
    });
    const stones = from.us[hand] - from.them[hand];
    cells.push(`<td class="stones-cell${mark("stones")}${stones < 0 ? " less" : ""}" style="--h:${(Math.abs(stones) / scale.stones).toFixed(3)}"><data value="${stones / DEALS}">${signed(stones / DEALS, wide.matches ? 4 : 2)}</data></td>`);
    if (deck.advice) cells.push(adviceCell(deck, hand));
    return `<tr data-hand="${hand}"><td class="rank rank-column">${rank === null ? "–" : rank}</td>` +
      `<th scope="row"><button type="button">${deck.hands[hand]}</button></th>${cells.join("")}</tr>`;
  });
  $("rows").innerHTML = rows.join("");
  $("hands").classList.toggle("advised", Boolean(deck.advice));
  shown = hands;
  $("found").className = wrong || !hands.length ? "wrong" : "";
  $("found").textContent = wrong || (!hands.length ? t("none") : hands.length === 1 ? t("one") : `${t("hands", { n: hands.length })} · ${t("seat" + state.seat)} · ${t("tap")}`);
}
function adviceCell(deck, hand) {
  const advice = deck.advice[state.seat - 1][hand];
  if (!advice) return `<td class="advice">–</td>`;
  const [verdict, keep] = advice;
  return `<td class="advice">${t(verdict)}${verdict === "mus" ? `<b><span class="unseen">${t("keep")} </span>${escaped(keep || t("nothing"))}</b>` : ""}</td>`;
}
function drawWords() {
  document.documentElement.lang = state.lang;
  document.title = t("title");
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  $("search").placeholder = t("hint");
  const real = DECKS[state.kings].real;
  $("about").textContent = t("about", { deals: whole(DEALS) }) + (real === "off" ? "" : " · " + t("real_" + real));
  $("caption").textContent = `${t("about", { deals: whole(DEALS) })} · ${t("seat" + state.seat)} · ${t("kings" + state.kings)}`;
  $("words").innerHTML = t_list("meanings").filter(([word]) => word !== "mus" || DECKS[state.kings].advice).map(([word, meaning]) => `<dt>${word}</dt><dd>${meaning}</dd>`).join("");
  $("colophon").textContent = `musodds ${DATA.version}`;
  drawTheme();
}
const t_list = (key) => TEXT[state.lang][key];
const ICONS = {
  auto: '<circle cx="12" cy="12" r="8" fill="none" stroke="currentColor" stroke-width="2"/><path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor"/>',
  light: '<circle cx="12" cy="12" r="4.5" fill="currentColor"/><path d="M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2" stroke="currentColor" stroke-width="2" stroke-linecap="round"/>',
  dark: '<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z" fill="currentColor"/>',
};
function drawTheme() {
  if (state.theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = state.theme;
  $("theme").innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true">${ICONS[state.theme]}</svg>`;
  $("theme").setAttribute("aria-label", t("theme_" + state.theme));
  $("theme").title = t("theme_" + state.theme);
}
function draw() {
  drawWords();
  drawHeads();
  drawRows();
  for (const [name, chosenValue] of [["lang", state.lang], ["seat", state.seat], ["kings", state.kings]]) {
    document.querySelector(`input[name="${name}"][value="${chosenValue}"]`).checked = true;
  }
  $("hands").style.setProperty("--bar", $("controls").offsetHeight + "px");
  const place = new URLSearchParams({ kings: state.kings, seat: state.seat });
  if (state.query) place.set("hand", state.query);
  try { history.replaceState(null, "", "#" + place); } catch { /* some viewers have no address */ }
}

/* ---- one hand in full ---- */
function open(hand) {
  const deck = DECKS[state.kings], found = figures(deck, state.seat, hand);
  $("hand-name").innerHTML = `<span class="unseen">${deck.hands[hand]}</span><span class="cards" aria-hidden="true">${deck.tokens[hand].map((card) => `<span>${card}</span>`).join("")}</span>`;
  const names = ["win", "lose", "played", "contested", "win_if_contested", "mine"];
  const heads = (list) => `<thead><tr><th scope="col"><span class="unseen">%</span></th>${list.map((name) => `<th scope="col">${t(name)}</th>`).join("")}</tr></thead>`;
  const line = (name, label, cells, kind = "") => `<tr data-figure="${name}"${kind}><th scope="row">${label}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  const data = (share) => (share === null ? "–" : `<data value="${share}">${percent(share, 4)}</data>`);
  const body = names.map((name) => line(name, t(name), found.lances.map((lance) => data(lance[name])), name === "win" ? ' class="main"' : ""));
  body.push(line("rank", t("place_"), found.lances.map((lance) => lance.rank ?? "–")));
  body.push(line("better", t("better"), found.lances.map((lance) => data(lance.better))));
  const seats = [1, 2, 3, 4].map((seat) => {
    const other = figures(deck, seat, hand);
    const cells = other.lances.map((lance) => data(lance.win));
    cells.push(`<data value="${other.difference}">${signed(other.difference, 3)}</data>`);
    return line("seat" + seat, t("seat" + seat), cells, seat === state.seat ? ' class="here"' : "");
  });
  const advice = deck.advice && deck.advice[state.seat - 1][hand];
  const facts = [t("seat" + state.seat), t("kings" + state.kings), t("points", { n: deck.points[hand] }),
    t("ways", { p: percent(deck.ways[hand] / DATA.ways, 2) }), t("place", { r: found.rank, n: deck.hands.length }),
    ...(advice ? [t(advice[0]) + (advice[0] === "mus" ? `, ${t("keep")} ${advice[1] || t("nothing")}` : "")] : [])];
  const stone = (name, number, extra = "") => `<div${extra} data-stones="${name}"><b><data value="${number}">${name === "difference" ? signed(number, 4) : point(number.toFixed(4))}</data></b><span class="quiet">${t(name)}</span></div>`;
  $("hand-body").innerHTML = `<p class="facts quiet">${facts.map(escaped).join(" · ")}</p>
    <div class="stones">${stone("us", found.us)}${stone("them", found.them)}${stone("difference", found.difference, ` class="all${found.difference < 0 ? " less" : ""}"`)}</div>
    <h3>${t("figures")}</h3>
    <table class="figures" id="hand-figures" aria-label="${t("figures")}">${heads(LANCES)}<tbody>${body.join("")}</tbody></table>
    <h3>${t("bySeat")}</h3>
    <table class="figures" id="hand-seats" aria-label="${t("bySeat")}">${heads([...LANCES, "stones"])}<tbody>${seats.join("")}</tbody></table>
    <details><summary>${t("counts")}</summary><div class="counts">${LANCES.map((name, i) => `<p data-count="${name}">${t(name)}: ${whole(found.lances[i].count)} ${t("of")} ${whole(DEALS)}</p>`).join("")}</div></details>`;
  $("hand").showModal();
  $("hand").scrollTop = 0;
  $("hand-name").focus();
}

/* ---- paper: one A4 sheet a seat, hands in the order of their cards ---- */
let papers = null;
function drawPaper() {
  const deck = DECKS[state.kings];
  const blocks = deck.hands.length > 400 ? 6 : 5;
  const lines = Math.ceil(deck.hands.length / blocks);
  const row = Math.min(3.9, 258 / (lines + 1)); // mm, below the heading on a sheet of 283 mm
  const width = (196 - 2 * (blocks - 1)) / blocks;
  const type = Math.min(row * 2.25, width / 6.1); // pt: as large as the row and the column allow
  $("paper").innerHTML = (papers || [state.seat]).map((seat) => {
    const from = deck.seats[seat - 1], scale = scales(deck, seat);
    const one = (hand) => {
      const cells = LANCES.map((_, i) => `<td style="--h:${warmth(from.win[i][hand], scale.lances[i]).toFixed(2)}">${percent(from.win[i][hand] / DEALS, 0)}</td>`);
      const stones = from.us[hand] - from.them[hand];
      const step = hand && deck.tokens[hand][0] !== deck.tokens[hand - 1][0] ? ' class="step"' : "";
      return `<tr${step}><th>${deck.hands[hand]}</th>${cells.join("")}<td${stones < 0 ? ' class="less"' : ""} style="--h:${(Math.abs(stones) / scale.stones).toFixed(2)}">${signed(stones / DEALS, 1)}</td></tr>`;
    };
    const parts = Array.from({ length: blocks }, (_, b) => {
      const hands = deck.hands.map((_, i) => i).slice(b * lines, (b + 1) * lines);
      return `<table><thead><tr><th></th>${t_list("heads").map((head) => `<th>${head}</th>`).join("")}</tr></thead><tbody>${hands.map(one).join("")}</tbody></table>`;
    });
    return `<section class="paper" style="--row:${row.toFixed(3)}mm;--width:${width.toFixed(2)}mm;--type:${type.toFixed(2)}pt"><h2>${t("title")} · ${t("seat" + seat)} · ${t("kings" + state.kings)}${deck.real === "off" ? "" : " · " + t("real_" + deck.real)}</h2><p>${escaped(t("paper"))}</p><div class="blocks">${parts.join("")}</div></section>`;
  }).join("");
}
function printSeats(seats) {
  papers = seats;
  drawPaper();
  print();
  papers = null;
}
addEventListener("beforeprint", drawPaper);
addEventListener("afterprint", () => { $("paper").innerHTML = ""; });

/* ---- what the reader does ---- */
$("controls").addEventListener("submit", (event) => {
  event.preventDefault();
  if (shown.length && state.query.trim()) open(shown[0]);
});
$("search").addEventListener("input", (event) => { state.query = event.target.value; draw(); });
document.addEventListener("change", (event) => {
  const { name, value: picked } = event.target;
  if (name === "seat") state.seat = Number(picked);
  else if (name === "kings") state.kings = Number(picked);
  else if (name === "lang") { state.lang = picked; store("lang", picked); }
  else return;
  draw();
});
$("heads").addEventListener("click", (event) => {
  const button = event.target.closest("[data-sort]");
  if (!button) return;
  const column = button.dataset.sort;
  state.up = state.sort === column ? !state.up : false;
  state.sort = column;
  draw();
  document.querySelector(`[data-sort="${column}"]`).focus();
});
$("rows").addEventListener("click", (event) => {
  const row = event.target.closest("tr");
  if (row) open(Number(row.dataset.hand));
});
$("rows").addEventListener("keydown", (event) => {
  const row = event.target.closest("tr");
  const next = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[event.key];
  if (next) { event.preventDefault(); next.querySelector("button").focus(); }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !$("hand").open && event.target.id !== "search") { event.preventDefault(); $("search").focus(); $("search").select(); }
});
$("close").addEventListener("click", () => $("hand").close());
$("hand").addEventListener("click", (event) => { if (event.target === $("hand")) $("hand").close(); });
$("theme").addEventListener("click", () => {
  state.theme = { auto: "dark", dark: "light", light: "auto" }[state.theme];
  store("theme", state.theme);
  drawTheme();
});
$("print-one").addEventListener("click", () => printSeats([state.seat]));
$("print-all").addEventListener("click", () => printSeats([1, 2, 3, 4]));
wide.addEventListener("change", draw);
addEventListener("resize", () => $("hands").style.setProperty("--bar", $("controls").offsetHeight + "px"));
$("search").value = state.query;
draw();
