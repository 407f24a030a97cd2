// Small pieces of the page: elements, sizes, shardings in colour.

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

// As tessera's own FormatBytes: two decimals at most.
// Two digits after the point; halves go to the even digit, as in C++.
function twoDigits(value) {
  const hundredths = value * 100;
  const below = Math.floor(hundredths);
  const isHalf = hundredths - below === 0.5;
  return (isHalf ? below + below % 2 : Math.round(hundredths)) / 100;
}

function formatBytes(bytes) {
  let unit = 0;
  let value = Math.abs(bytes);
  while (value >= 1024 && unit + 1 < units.length) { value /= 1024; ++unit; }
  return (bytes < 0 ? '-' : '') + twoDigits(value) + ' ' + units[unit];
}

// As tessera's own FormatSeconds: three digits.
function formatSeconds(seconds) {
  const [name, unit] = [['ns', 1e-9], ['us', 1e-6], ['ms', 1e-3]].find(([, size]) => seconds / size < 999.5) || ['s', 1];
  const count = seconds / unit;
  return (count < 999.5 ? parseFloat(count.toPrecision(3)) : Math.round(count)) + ' ' + name;
}

function formatCount(count) { return count.toLocaleString('en-US'); }

// make('div', {class: 'x', title: 't'}, 'text', otherElement): texts stay texts.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function escapeHtml(text) {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

// A sharding with its axes in their colours. `sharding` is one of data.shardings.
function specElement(sharding) {
  const spec = sharding.sharding;
  if (spec === undefined) return make('span', {class: 'spec none', title: 'propagation never reached it'}, 'P()');
  const element = make('span', {class: 'spec'});
  for (const piece of spec.split(/('[^']*'|"[^"]*")/)) {
    const name = piece.slice(1, -1);
    const isAxis = /^['"]/.test(piece) && axisNames.includes(name);
    element.append(isAxis ? make('span', {class: 'axis', style: `--axis: ${axisColour(name)}`}, name) : piece);
  }
  for (const axis of sharding.unreduced || []) {
    element.append(make('span', {class: 'axis partial', style: `--axis: ${axisColour(axisOf(axis))}`,
                                 title: 'partial sums along this axis'}, 'Σ ' + axis));
  }
  return element;
}

function axisChip(axis) {
  const colour = axisColour(axisOf(axis.name));
  return make('span', {class: 'axis', style: `--axis: ${colour}`}, `${axis.name}=${axis.size}`);
}

// A link that chooses a tensor.
function rowLink(row, text = tensors.name[row]) {
  return make('a', {class: 'row', href: '#' + encodeURIComponent(tensors.name[row]), title: textOf('shape', row) + ' ' + specAt(row),
                    click: (event) => { event.preventDefault(); choose(row); }}, text);
}

// Bars of a ranking: [{label, value, title, row}], the largest first.
function bars(entries, colour, format = formatBytes) {
  const most = Math.max(...entries.map((entry) => entry.value)) || 1;
  const list = make('div', {class: 'bars'});
  for (const entry of entries) {
    const label = entry.row === undefined || entry.row === null ? entry.label : rowLink(entry.row, entry.label);
    list.append(make('div', {class: 'bar', title: entry.title || ''},
                     make('span', {class: 'label'}, label),
                     make('span', {class: 'track'},
                          make('span', {class: 'fill', style: `width: ${100 * entry.value / most}%; background: ${colour(entry)}`})),
                     make('span', {class: 'value'}, format(entry.value))));
  }
  return list;
}
