// Puts the page together.

// A view is made when it is first shown: what is out of sight has no sizes yet.
const makers = {communication: makeCommunication, time: makeTime, memory: makeMemory, findings: makeFindings};

const scrolled = {};  // how far each view was

function showView(name) {
  const left = document.getElementById('left');
  const shown = views.find((view) => !document.getElementById('view-' + view).hidden);
  scrolled[shown] = left.scrollTop;
  for (const view of views) {
    const tab = document.getElementById('tab-' + view);
    document.getElementById('view-' + view).hidden = view !== name;
    tab.setAttribute('aria-selected', String(view === name));
    tab.tabIndex = view === name ? 0 : -1;
  }
  if (makers[name] !== undefined) makers[name]();
  delete makers[name];
  left.scrollTop = scrolled[name] || 0;
}

// Left and right walk through the tabs, as in every tab list.
function walkTabs(event) {
  const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
  const at = views.indexOf(event.target.dataset.view);
  if (by === undefined || at < 0) return;
  const next = views[(at + by + views.length) % views.length];
  showView(next);
  document.getElementById('tab-' + next).focus();
}

function card(value, what, view) {
  return make('button', {class: 'card', click: () => showView(view)}, make('b', {}, value), make('span', {}, what));
}

function makeCards() {
  const cards = document.getElementById('cards');
  const whole = d3.range(numRows).filter(filters[1].keep).length;
  cards.append(card(formatCount(numRows), 'tensors', 'tensors'), card(formatCount(whole), 'replicated', 'tensors'));
  if (data.cost !== undefined) {  // what finally runs on the target
    cards.append(card(formatCount(data.cost.collectives.length), 'collectives', 'time'), card(formatBytes(data.cost.sent), 'sent by a device', 'time'));
  } else if (data.no_collectives === undefined) {
    cards.append(card(formatCount(collectives.length), 'collectives', 'communication'),
                 card(formatBytes(d3.sum(collectives, (c) => c.total)), 'sent by a device', 'communication'));
  }
  const m = data.memory;
  if (m !== undefined) {
    cards.append(card(formatBytes(data.target_memory === undefined ? m.arguments + m.results - m.aliased + m.constants + m.temporaries : data.target_memory.peak), 'memory of a device', 'memory'));
  }
  if (data.cost !== undefined) {
    cards.append(card(formatSeconds(data.cost.total_s), 'a step on ' + data.target, 'time'), card(formatSeconds(data.cost.exposed_s), 'of it waits for links', 'time'));
  }
  const findings = data.lint === undefined ? 0 : data.lint.errors + data.lint.warnings;
  if (findings > 0) cards.append(card(formatCount(findings), findings === 1 ? 'finding' : 'findings', 'findings'));
}

function toggleTheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const now = document.documentElement.dataset.theme || (dark ? 'dark' : 'light');
  document.documentElement.dataset.theme = now === 'dark' ? 'light' : 'dark';
}

// On paper: the first rows of the list as it is, and the chosen tensor.
function preparePrint() {
  const most = 200;
  const rows = [...shownRows()];
  const body = make('tbody', {}, ...rows.slice(0, most).map((row) => make('tr', {},
      make('td', {}, tensors.name[row]), make('td', {}, textOf('shape', row)), make('td', {}, specAt(row)),
      make('td', {class: 'number'}, formatBytes(tensors.bytes[row])), make('td', {}, shortPlace(textOf('location', row))))));
  document.getElementById('printed').replaceChildren(
      make('table', {}, make('thead', {}, make('tr', {}, ...['name', 'shape', 'sharding', 'on a device', 'line'].map((t) => make('th', {}, t)))), body),
      rows.length > most ? make('p', {}, `and ${formatCount(rows.length - most)} more`) : '');
}

// Axes of size 1 split nothing: they are folded away.
function meshElement(name, axes) {
  const chips = axes.filter((axis) => axis.size > 1).map(axisChip);
  const ones = axes.filter((axis) => axis.size === 1).map(axisChip);
  if (ones.length > 0) chips.push(make('details', {class: 'ones'}, make('summary', {}, `${ones.length} of size 1`), ...ones));
  return make('span', {class: 'mesh', title: name}, ...chips);
}

function makeHead() {
  document.getElementById('title').textContent = data.module || data.file;
  document.getElementById('title').title = data.file;
  for (const mesh of data.meshes) {
    const axes = mesh.axes || [];
    if (axes.length > 0) document.getElementById('meshes').append(meshElement(mesh.name || 'mesh', axes));
  }
  document.getElementById('made').textContent = `${data.version} · ${data.file}`;
  for (const note of data.notes || []) document.getElementById('notes').append(make('li', {}, note.trim().replace(/^note: /, '')));
}

function start() {
  makeHead();
  makeCards();
  makeHelp();
  document.querySelectorAll('#tabs button').forEach((tab) => tab.addEventListener('click', () => showView(tab.dataset.view)));
  document.getElementById('tabs').addEventListener('keydown', walkTabs);
  document.getElementById('theme').addEventListener('click', toggleTheme);
  document.getElementById('help').addEventListener('click', () => document.getElementById('keys').showModal());
  addEventListener('beforeprint', preparePrint);
  addEventListener('popstate', () => chooseFromAddress() || choose(firstChoice(), keepAddress));
  showView('tensors');
  makeTensorList();
  if (!chooseFromAddress() && numRows > 0) choose(firstChoice(), keepAddress);
  performance.mark('interactive');
}

function chooseFromAddress() {
  const row = addressedRow();
  if (row !== undefined && row !== chosen) choose(row, keepAddress);
  return row !== undefined;
}

// What is worth a look: the costliest surprise, else the largest tensor.
function firstChoice() {
  const surprise = (data.surprises || []).find((s) => s.row !== undefined);
  if (surprise !== undefined) return surprise.row;
  return tensors.bytes.reduce((best, bytes, row) => bytes > tensors.bytes[best] ? row : best, 0);
}

start();
