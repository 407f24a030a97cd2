// The list of tensors: DataTables with Scroller, which keeps only what is visible in the document.

const filters = [
  {label: 'all tensors', keep: () => true},
  {label: 'whole on every device', keep: (row) => { const s = data.shardings[tensors.sharding[row]]; return !/'|"/.test(s.sharding || ''); }},
  {label: 'split', keep: (row) => /'|"/.test(specAt(row))},
  {label: 'partial sums', keep: (row) => (data.shardings[tensors.sharding[row]].unreduced || []).length > 0},
  {label: 'padded', keep: (row) => isPadded(tensorAt(row))},
  {label: 'collectives to make it', keep: (row) => movesInto.has(row) || (sources.get(row) || []).some((from) => moves.has(from + '>' + row))},
  {label: 'arguments', keep: (row) => textOf('opcode', row) === 'parameter' && textOf('computation', row) === textOf('computation', numRows - 1)},
  {label: 'results', keep: (row) => textOf('opcode', row) === 'result'},
  ...axisNames.map((axis) => ({
    label: 'split by ' + axis,
    keep: (row) => (data.shardings[tensors.sharding[row]].dimensions || []).some((d) => (d.axes || []).some((a) => axisOf(a) === axis)),
  })),
];
let filter = filters[0];

let table = null;       // of DataTables
let chosen = -1;        // row of the page

const columns = [
  {title: 'name', width: '19%', data: (row) => tensors.name[row], className: 'name'},
  {title: 'operation', width: '12%', data: (row) => textOf('opcode', row)},
  {title: 'shape', width: '16%', data: (row) => textOf('shape', row), className: 'mono'},
  {title: 'sharding', width: '22%', data: specAt, className: 'sharding'},
  {title: 'bytes', width: '10%', data: (row) => tensors.bytes[row], className: 'number', isNumber: true, format: formatBytes},
  {title: 'line', width: '13%', data: (row) => textOf('location', row), className: 'place', format: placeCell},
  {title: 'op_name', width: '8%', data: (row) => textOf('op_name', row), className: 'op-name'},
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
  table.draw();
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

function makeTensorTable() {
  const select = document.getElementById('filter');
  filters.forEach((f, k) => select.append(make('option', {value: k}, f.label)));
  select.addEventListener('change', () => { filter = filters[select.value]; table.draw(); });
  $.fn.dataTable.ext.search.push((settings, texts, row) => settings.nTable.id !== 'tensors' || isShown(row));
  table = $('#tensors').DataTable({
    data: d3.range(numRows).map((row) => ({row})),
    columns: columns.map((column) => ({
      title: column.title,
      width: column.width,
      className: column.className || '',
      type: column.isNumber ? 'num' : 'string',
      orderSequence: column.isNumber ? ['desc', 'asc'] : ['asc', 'desc'],
      data: null,
      searchable: false,  // search() does it
      render: (value, kind) => {
        const content = column.data(value.row);
        if (kind !== 'display') return content;
        return escapeHtml(column.format ? column.format(content) : content);
      },
    })),
    createdRow: (element, value) => {
      element.cells[3].replaceChildren(specElement(data.shardings[tensors.sharding[value.row]]));
      element.cells[5].title = textOf('location', value.row);
      element.dataset.row = value.row;
      element.classList.toggle('chosen', value.row === chosen);
    },
    order: [],
    dom: 't',
    autoWidth: false,
    deferRender: true,
    scrollY: '60vh',
    scrollCollapse: false,
    paging: true,
    scroller: {rowHeight: rowHeight, loadingIndicator: false},
    language: {zeroRecords: 'no tensor is like that', emptyTable: 'the module has no tensors'},
  });
  table.on('draw', () => {
    const shown = table.rows({search: 'applied'}).count();
    document.getElementById('count').textContent =
        (shown === numRows ? '' : formatCount(shown) + ' of ') + formatCount(numRows);
  });
  $('#tensors tbody').on('click', 'tr[data-row]', (event) => choose(Number(event.currentTarget.dataset.row)));
  document.getElementById('search').addEventListener('input', whenQuiet(searchTyped, 120));
  table.draw();
}

const rowHeight = 28;

// Rows of the page in the order and with the filter of the list.
function shownRows() { return table.rows({search: 'applied', order: 'applied'}).indexes().toArray(); }

// Scrolls the list so that the row is seen.
function reveal(row) {
  const body = document.querySelector('#view-tensors .dataTables_scrollBody');
  const position = shownRows().indexOf(row);
  if (position < 0 || body === null || isSeen(row, body)) return;
  const visible = Math.floor(body.clientHeight / rowHeight);
  table.row(shownRows()[Math.max(0, position - Math.floor(visible / 2))]).scrollTo(false);
}

function isSeen(row, body) {
  const element = document.querySelector(`#tensors tr[data-row="${row}"]`);
  if (element === null) return false;
  const own = element.getBoundingClientRect();
  const box = body.getBoundingClientRect();
  return own.top >= box.top && own.bottom <= box.bottom;
}

// The row `by` places below the chosen one.
function chooseNext(by) {
  searchTyped();
  const rows = shownRows();
  if (rows.length === 0) return;
  const position = rows.indexOf(chosen);
  const next = position < 0 ? 0 : Math.min(Math.max(position + by, 0), rows.length - 1);
  choose(rows[next], walkAddress);
}
