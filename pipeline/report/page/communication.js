// What the partitioner sends: sums by axis, by operation and by line, and every collective.

// Columns of items as columns of their numbers.
function ofItems(columns, items) {
  return columns.map((column) => ({
    ...column,
    value: (k) => column.value(items[k]),
    format: column.format && ((value, k) => column.format(value, items[k])),
  }));
}

function axesOf(c) {
  if (c.axes === undefined) return c.devices || '?';
  return c.axes.length === 0 ? 'one device' : c.axes.join(', ');
}

// [[name, bytes], ..], the largest first.
function sumsBy(name) {
  const sums = new Map();
  for (const c of collectives) sums.set(name(c), (sums.get(name(c)) || 0) + c.total);
  return [...sums].sort((a, b) => b[1] - a[1]);
}

function ranking(title, entries, colour, format = formatBytes) {
  const most = 8;
  const shown = entries.slice(0, most).map(([label, value]) => ({label: placeCell(label), value, title: label}));
  const box = make('div', {class: 'ranking'}, make('h2', {}, title), bars(shown, colour, format));
  if (entries.length > most) box.append(make('p', {class: 'more'}, `and ${entries.length - most} more`));
  return box;
}

// A link to the row, where the page has it.
function linkTo(row, name) { return row === undefined ? name : rowLink(row, name); }

const collectiveColumns = [
  {title: 'sends', width: '10fr', value: (c) => c.total, className: 'number', isNumber: true, format: formatBytes},
  {title: 'operation', width: '15fr', value: (c) => c.op + (c.given ? ' (yours)' : '')},
  {title: 'along', width: '12fr', value: axesOf},
  {title: 'runs', width: '7fr', value: (c) => c.runs, className: 'number', isNumber: true, format: (runs, c) => formatCount(runs) + (c.unknown_runs ? '?' : '')},
  {title: 'result', width: '15fr', value: (c) => c.shape, className: 'mono'},
  {title: 'moves', width: '15fr', value: (c) => c.producer || '', className: 'name', format: (name, c) => linkTo(c.from, name)},
  {title: 'for', width: '15fr', value: (c) => c.consumer || '(result)', className: 'name', format: (name, c) => linkTo(c.to, name)},
  {title: 'line', width: '11fr', value: (c) => c.location || '', className: 'place', format: placeCell},
];

const reshardWords = {
  explicit: 'a constraint asks for it', implied: 'the operation needs another sharding of it',
  result: 'the operation produces another sharding than the result needs', border: 'a loop, a branch or the end of the program needs another sharding',
};

// Where XLA logs "Involuntary full rematerialization".
function rematerializedText(reshard) {
  if (!reshard.rematerialized) return '';
  return `; no direct way: each device first holds the array, ${formatBytes(reshard.rematerialized)} (XLA: Involuntary full rematerialization)`;
}

function reshardElement(reshard) {
  const ends = (reshard.ends || [])[0] || {};
  return make('li', {},
      make('b', {}, formatBytes(reshard.total)), ' ', linkTo(ends.from, reshard.value), ' ', make('code', {}, reshard.shape), ' ',
      specElement({sharding: reshard.before || '?'}), ' → ', specElement({sharding: reshard.after || '?'}), ' for ',
      linkTo(ends.to, reshard.consumer || '(result)'), reshard.alike > 1 ? ` (${reshard.alike} alike)` : '', ' ',
      make('span', {class: 'place', title: reshard.location || ''}, shortPlace(reshard.location || '')),
      make('div', {class: 'reason'}, [...new Set(reshard.ops || [])].join(', ') + ': ' + reshardWords[reshard.kind] + rematerializedText(reshard)));
}

// The ranking of reshards.
function reshardRanking() {
  const reshards = data.reshards || [];
  const most = 20;
  if (reshards.length === 0) return [make('p', {class: 'hint'}, 'No tensor is resharded: devices send partial sums and edges of tiles.')];
  const list = make('ol', {class: 'surprises'}, ...reshards.slice(0, most).map(reshardElement));
  const rest = reshards.length > most ? [make('p', {class: 'more'}, `and ${reshards.length - most} more`)] : [];
  return [make('h2', {}, 'Reshards: tensors that change their sharding'), list, ...rest];
}

function makeCommunication() {
  const view = document.getElementById('view-communication');
  if (data.no_collectives !== undefined) {
    view.append(make('p', {class: 'refused'}, 'The partitioner refuses the module: ', make('code', {}, data.no_collectives)));
    return;
  }
  if (collectives.length === 0) {
    view.append(make('p', {}, 'No collectives: nothing is sent.'));
    return;
  }
  if (data.target !== undefined) {
    view.append(make('p', {class: 'hint'}, `The collectives of the partitioner, before the passes of ${data.target}. Time has those that run there.`));
  }
  const grey = () => 'var(--accent)';
  view.append(make('div', {class: 'rankings'},
      ranking('by axis', sumsBy(axesOf), (entry) => axisNames.includes(entry.title) ? axisColour(entry.title) : 'var(--accent)'),
      ranking('by operation', sumsBy((c) => c.op), grey),
      ranking('by line', sumsBy((c) => c.location || c.consumer || '(result)'), grey)));
  view.append(...reshardRanking());
  const box = make('div', {class: 'boxed'});
  view.append(make('h2', {}, 'Every collective'), make('p', {class: 'hint'}, 'Bytes that each device sends in all runs. A click shows the tensor for which it is sent.'), box);
  makeList(box, {label: 'collectives', columns: ofItems(collectiveColumns, collectives), count: collectives.length, height: '50vh', choose: chooseReceiver});
}

function chooseReceiver(k) {
  const {from, to} = collectives[k];
  const row = to !== undefined ? to : from;
  if (row !== undefined) choose(row);
}
