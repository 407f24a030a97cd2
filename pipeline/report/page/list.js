// A list of rows with its order and its filter. The document holds only the rows that are seen.
//
//   const list = makeList(box, {label: 'tensors', columns, count: 100000, height: '50vh', none: 'nothing is like that',
//                               keep: (row) => row % 2 === 0, choose: (row) => .., decorate: (line, row) => ..});
//   list.refresh();            // after a change of what `keep` says
//   list.sortBy(4, -1);        // by the fifth column, the largest first
//   list.rows                  // those that are kept, in their order
//   list.reveal(7);            // scrolls to row 7
//
// Without `height` it fills its box.
//
// A column: {title, width, value: (row) => text or number, isNumber, className, format: (value, row) => text}.
// Scrolling moves by whole rows: place p of the bar shows the rows from p * (rows - seen) on. So a list may have more rows than
// a browser can have pixels. It is a grid for screen readers, with the number of each row.

const rowHeight = 28;

function makeList(box, options) {
  const {columns, count} = options;
  const widths = `grid-template-columns: ${columns.map((column) => column.width).join(' ')}`;
  const heads = columns.map((column, k) => make('div', {role: 'columnheader', class: column.className || ''},
      make('button', {click: () => list.sortBy(k, nextDirection(k))}, column.title)));
  const lines = make('div', {class: 'list-lines', role: 'presentation'});
  const room = make('div', {class: 'list-room', role: 'presentation'});
  const body = make('div', {class: 'list-body', role: 'rowgroup', tabindex: 0, style: options.height === undefined ? '' : `flex: none; height: ${options.height}`,
                            'aria-label': options.label, scroll: () => draw()}, lines, room);
  const grid = make('div', {class: 'list', role: 'grid', 'aria-label': options.label},
      make('div', {role: 'rowgroup'}, make('div', {class: 'list-line list-head', role: 'row', style: widths, 'aria-rowindex': 1}, ...heads)), body);
  box.append(grid);

  const list = {rows: [], body, refresh, sortBy, reveal, draw, elementOf};
  let order = {column: -1, direction: 1};
  let sorted = Uint32Array.from({length: count}, (_, row) => row);

  // A click turns the order of a column around; numbers begin with the largest.
  function nextDirection(column) {
    if (order.column === column) return -order.direction;
    return columns[column].isNumber ? -1 : 1;
  }

  function sortBy(column, direction) {
    order = {column, direction};
    const values = Array.from({length: count}, (_, row) => columns[column].value(row));
    const compare = (a, b) => (values[a] < values[b] ? -direction : values[a] > values[b] ? direction : a - b);
    sorted = Uint32Array.from({length: count}, (_, row) => row).sort(compare);
    heads.forEach((head, k) => {
      if (k === column) head.setAttribute('aria-sort', direction > 0 ? 'ascending' : 'descending');
      else head.removeAttribute('aria-sort');
    });
    refresh();
  }

  function refresh() {
    list.rows = options.keep === undefined ? sorted : sorted.filter(options.keep);
    grid.setAttribute('aria-rowcount', list.rows.length + 1);
    room.style.height = `${Math.min(list.rows.length * rowHeight, 1e7)}px`;
    body.scrollTop = 0;
    draw();
  }

  function seen() { return Math.max(1, Math.floor(body.clientHeight / rowHeight)); }
  function farthest() { return Math.max(0, list.rows.length - seen()); }

  function firstSeen() {
    const way = body.scrollHeight - body.clientHeight;
    return way <= 0 ? 0 : Math.min(Math.round(body.scrollTop / way * farthest()), farthest());
  }

  function cellOf(column, row) {
    const value = column.value(row);
    return make('div', {role: 'gridcell', class: column.className || ''}, column.format ? column.format(value, row) : String(value));
  }

  function lineOf(row, place) {
    const line = make('div', {class: 'list-line', role: 'row', style: widths, 'data-row': row, 'aria-rowindex': place + 2,
                              click: () => options.choose(row)}, ...columns.map((column) => cellOf(column, row)));
    if (options.decorate) options.decorate(line, row);
    return line;
  }

  function draw() {
    const first = firstSeen();
    const shown = Array.from(list.rows.slice(first, first + seen() + 1), (row, k) => lineOf(row, first + k));
    lines.replaceChildren(...shown, ...(list.rows.length === 0 ? [noRows()] : []));
  }

  function noRows() {
    return make('div', {class: 'list-line', role: 'row'}, make('div', {role: 'gridcell'}, count === 0 ? options.empty : options.none));
  }

  function reveal(row) {
    const place = list.rows.indexOf(row);
    const first = firstSeen();
    if (place < 0 || farthest() === 0 || (place >= first && place < first + seen())) return;
    const target = Math.min(Math.max(place - Math.floor(seen() / 2), 0), farthest());
    body.scrollTop = target / farthest() * (body.scrollHeight - body.clientHeight);
    draw();
  }

  function elementOf(row) { return lines.querySelector(`[data-row="${row}"]`); }

  refresh();
  new ResizeObserver(draw).observe(body);  // also when it comes into sight
  return list;
}
