// What the partitioner sends: sums by axis, by operation and by line, and every collective.

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

function ranking(title, entries, colour) {
  const most = 8;
  const shown = entries.slice(0, most).map(([label, value]) => ({label: placeCell(label), value, title: label}));
  const box = make('div', {class: 'ranking'}, make('h3', {}, title), bars(shown, colour));
  if (entries.length > most) box.append(make('p', {class: 'more'}, `and ${entries.length - most} more`));
  return box;
}

const collectiveColumns = [
  {title: 'sends', width: '10%', data: (c) => c.total, className: 'number', format: formatBytes},
  {title: 'operation', width: '15%', data: (c) => c.op + (c.given ? ' (yours)' : '')},
  {title: 'along', width: '12%', data: axesOf},
  {title: 'runs', width: '7%', data: (c) => c.runs, className: 'number', format: (runs, c) => formatCount(runs) + (c.unknown_runs ? '?' : '')},
  {title: 'result', width: '15%', data: (c) => c.shape, className: 'mono'},
  {title: 'moves', width: '15%', data: (c) => c.producer || '', className: 'name'},
  {title: 'for', width: '15%', data: (c) => c.consumer || '(result)', className: 'name'},
  {title: 'line', width: '11%', data: (c) => c.location || '', className: 'place', format: placeCell},
];

const reshardWords = {
  explicit: 'you ask for it: a constraint', implied: 'the operation cannot work on it as it lies',
  result: 'the operation makes it otherwise', border: 'a loop, a branch or the end wants it otherwise',
};

function reshardElement(reshard) {
  const ends = (reshard.ends || [])[0] || {};
  const name = (row, text) => row === undefined ? text : rowLink(row, text);
  return make('li', {},
      make('b', {}, formatBytes(reshard.total)), ' ', name(ends.from, reshard.value), ' ', make('code', {}, reshard.shape), ' ',
      specElement({sharding: reshard.before || '?'}), ' → ', specElement({sharding: reshard.after || '?'}), ' for ',
      name(ends.to, reshard.consumer || '(result)'), reshard.alike > 1 ? ` (${reshard.alike} alike)` : '', ' ',
      make('span', {class: 'place', title: reshard.location || ''}, shortPlace(reshard.location || '')),
      make('div', {class: 'reason'}, [...new Set(reshard.ops || [])].join(', ') + ': ' + reshardWords[reshard.kind]));
}

// The ranking of reshards: what changes its sharding on the way.
function reshardRanking() {
  const reshards = data.reshards || [];
  const most = 20;
  if (reshards.length === 0) return [make('p', {class: 'hint'}, 'No tensor is resharded: what is sent are partial sums and edges of tiles.')];
  const list = make('ol', {class: 'surprises'}, ...reshards.slice(0, most).map(reshardElement));
  const rest = reshards.length > most ? [make('p', {class: 'more'}, `and ${reshards.length - most} more`)] : [];
  return [make('h3', {}, 'Reshards: what changes its sharding on the way'), list, ...rest];
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
  const grey = () => 'var(--accent)';
  view.append(make('div', {class: 'rankings'},
      ranking('by axis', sumsBy(axesOf), (entry) => axisNames.includes(entry.title) ? axisColour(entry.title) : 'var(--accent)'),
      ranking('by operation', sumsBy((c) => c.op), grey),
      ranking('by line', sumsBy((c) => c.location || c.consumer || '(result)'), grey)));
  view.append(...reshardRanking());
  view.append(make('h3', {}, 'Every collective'), make('p', {class: 'hint'}, 'Bytes that each device sends in all runs. A click shows the tensor for which it is sent.'),
              make('table', {id: 'collectives', class: 'rows', 'aria-label': 'collectives'}));
  const list = $('#collectives').DataTable({
    data: collectives,
    columns: collectiveColumns.map((column) => ({
      title: column.title,
      width: column.width,
      className: column.className || '',
      data: null,
      orderSequence: column.className === 'number' ? ['desc', 'asc'] : ['asc', 'desc'],
      render: (value, kind) => {
        const content = column.data(value);
        if (kind !== 'display') return content;
        return escapeHtml(String(column.format ? column.format(content, value) : content));
      },
    })),
    order: [],
    dom: 't',
    autoWidth: false,
    deferRender: true,
    scrollY: '50vh',
    paging: true,
    scroller: {rowHeight: rowHeight, loadingIndicator: false},
  });
  $('#collectives tbody').on('click', 'tr', (event) => {
    const c = list.row(event.currentTarget).data();
    const row = c === undefined ? undefined : c.to !== undefined ? c.to : c.from;
    if (row !== undefined) choose(row);
  });
}
