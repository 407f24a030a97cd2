// The list of tensors: its columns, filters and search.

// A filter that each sharding answers once, for all its rows.
function bySharding(keeps) {
  const kept = data.shardings.map(keeps);
  return (row) => kept[tensors.sharding[row]];
}

const filters = [
  {label: 'all tensors', keep: () => true},
  {label: 'replicated', keep: bySharding((s) => !/'|"/.test(s.sharding || ''))},
  {label: 'sharded', keep: bySharding((s) => /'|"/.test(s.sharding || ''))},
  {label: 'partial sums', keep: bySharding((s) => (s.unreduced || []).length > 0)},
  {label: 'padded', keep: (row) => isPadded(tensorAt(row))},
  {label: 'collectives to make it', keep: (row) => movesInto.has(row) || sources.get(row).some((from) => moves.has(from + '>' + row))},
  {label: 'arguments', keep: (row) => textOf('opcode', row) === 'parameter' && textOf('computation', row) === textOf('computation', numRows - 1)},
  {label: 'results', keep: (row) => textOf('opcode', row) === 'result'},
  ...axisNames.map((axis) => ({
    label: 'sharded over ' + axis,
    keep: bySharding((s) => (s.dimensions || []).some((d) => (d.axes || []).some((a) => axisOf(a) === axis))),
  })),
];
let filter = filters[0];

let list = null;        // of tensors
let chosen = -1;        // row of the page

const columns = [
  {title: 'name', width: '17fr', value: (row) => tensors.name[row], className: 'name'},
  {title: 'operation', width: '11fr', value: (row) => textOf('opcode', row)},
  {title: 'shape', width: '15fr', value: (row) => textOf('shape', row), className: 'mono'},
  {title: 'sharding', width: '27fr', value: specAt, className: 'sharding', format: (_, row) => specElement(shardingOf(row))},
  {title: 'bytes', width: 'minmax(92px, 9fr)', value: (row) => tensors.bytes[row], className: 'number', isNumber: true, format: formatBytes},
  {title: 'line', width: '13fr', value: (row) => textOf('location', row), className: 'place', format: placeCell},
  {title: 'op_name', width: '8fr', value: (row) => textOf('op_name', row), className: 'op-name'},
];

// What a search looks through, in small letters, made once for each row.
const haystacks = [];
function haystackOf(row) {
  if (haystacks[row] === undefined) {
    const texts = ['opcode', 'shape', 'location', 'op_name'].map((column) => textOf(column, row));
    haystacks[row] = [tensors.name[row], specAt(row), ...texts].join('\n').toLowerCase();
  }
  return haystacks[row];
}

// Words and "phrases" that a row must have, all of them.
let searched = '';
let searchWords = [];

function search(text) {
  if (text === searched) return;
  searched = text;
  searchWords = (text.toLowerCase().match(/"[^"]*"|\S+/g) || []).map((word) => word.replace(/"/g, ''));
  refreshList();
}

// What is typed, at once: before keys walk through the list.
function searchTyped() { search(document.getElementById('search').value); }

// Runs when no call has come for so many milliseconds.
function whenQuiet(run, wait) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, wait);
  };
}

function isShown(row) { return filter.keep(row) && searchWords.every((word) => haystackOf(row).includes(word)); }

function makeTensorList() {
  const select = document.getElementById('filter');
  filters.forEach((f, k) => select.append(make('option', {value: k}, f.label)));
  list = makeList(document.getElementById('tensors'), {
    label: 'tensors', columns, count: numRows, keep: isShown, choose: (row) => choose(row),
    none: 'no tensor is like that', empty: 'the module has no tensors',
    decorate: (line, row) => {
      line.children[5].title = textOf('location', row);
      markChosen(line, row === chosen);
    },
  });
  select.addEventListener('change', () => { filter = filters[select.value]; refreshList(); });
  document.getElementById('search').addEventListener('input', whenQuiet(searchTyped, 120));
  refreshList();
}

function refreshList() {
  list.refresh();
  const shown = list.rows.length;
  document.getElementById('count').textContent = (shown === numRows ? '' : formatCount(shown) + ' of ') + formatCount(numRows);
}

function markChosen(line, isChosen) {
  line.classList.toggle('chosen', isChosen);
  line.setAttribute('aria-selected', String(isChosen));
}

// Rows of the page in the order and with the filter of the list.
function shownRows() { return list.rows; }

// The row `by` places below the chosen one.
function chooseNext(by) {
  searchTyped();
  const rows = shownRows();
  if (rows.length === 0) return;
  const position = rows.indexOf(chosen);
  const next = position < 0 ? 0 : Math.min(Math.max(position + by, 0), rows.length - 1);
  choose(rows[next], walkAddress);
}
