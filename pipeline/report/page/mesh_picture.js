// A tensor over its mesh: a square for each share, with the devices that hold it. Dimensions beyond
// two that are split become rows of small pictures. Hatched: padding, which no element fills.

const mostSquares = 8;     // in a direction; more are left out in the middle
const mostDevices = 6;     // named in a square

function axisSize(mesh, part) {
  const split = /:\((\d+)\)(\d+)$/.exec(part);
  return split !== null ? Number(split[2]) : mesh.axes.find((axis) => axis.name === part).size;
}

// How the position along a part of an axis follows from the position in the mesh.
function coordinateOf(mesh, part) {
  const name = axisOf(part);
  const index = mesh.axes.findIndex((axis) => axis.name === name);
  const minor = mesh.axes.slice(index + 1).reduce((product, axis) => product * axis.size, 1);
  const size = mesh.axes[index].size;
  const split = /:\((\d+)\)(\d+)$/.exec(part);
  const [pre, own] = split === null ? [1, size] : [Number(split[1]), Number(split[2])];
  return (position) => Math.floor((Math.floor(position / minor) % size) / (size / pre / own)) % own;
}

// For each dimension: how many parts, and which part a position of the mesh holds.
function partsOf(mesh, dimensions) {
  return dimensions.map((dimension) => {
    const axes = dimension.axes || [];
    const at = axes.map((part) => ({size: axisSize(mesh, part), of: coordinateOf(mesh, part)}));
    return {
      axes,
      count: at.reduce((product, a) => product * a.size, 1),
      of: (position) => at.reduce((number, a) => number * a.size + a.of(position), 0),
    };
  });
}

function isPadded(tensor) {
  const sizes = sizesOf(tensor.shape);
  return (tensor.sharding.dimensions || []).some((dimension, d) => {
    if ((dimension.axes || []).length === 0 || data.meshes[tensor.sharding.mesh] === undefined) return false;
    const count = dimension.axes.reduce((n, part) => n * axisSize(data.meshes[tensor.sharding.mesh], part), 1);
    return sizes[d] % count !== 0;
  });
}

// Devices by the key of the parts that they hold.
function devicesByShare(mesh, parts) {
  const count = mesh.axes.reduce((product, axis) => product * axis.size, 1);
  const shares = new Map();
  for (let position = 0; position < count; ++position) {
    const device = mesh.devices === undefined ? position : mesh.devices[position];
    addTo(shares, parts.map((part) => part.of(position)).join(','), device);
  }
  return shares;
}

function meshPicture(tensor) {
  const mesh = data.meshes[tensor.sharding.mesh];
  const box = make('div', {class: 'mesh-picture'});
  if (tensor.sharding.sharding === undefined || mesh === undefined || (mesh.axes || []).length === 0) {
    box.append('Every device has all of it.');
    return box;
  }
  const sizes = sizesOf(tensor.shape);
  const parts = partsOf(mesh, tensor.sharding.dimensions || []);
  const shares = devicesByShare(mesh, parts);
  box.append(make('p', {}, ...pictureWords(tensor, parts, shares)));
  if (parts.length > 0) box.append(...pictureGrids(tensor, sizes, parts, shares));
  return box;
}

function pictureWords(tensor, parts, shares) {
  const copies = Math.max(...[...shares.values()].map((devices) => devices.length));
  const partial = tensor.sharding.unreduced || [];
  const words = [`${formatCount(shares.size)} ${shares.size === 1 ? 'share' : 'shares'}`];
  if (partial.length > 0) words.push(`, each a partial sum along ${partial.join(', ')}`);
  else if (copies > 1) words.push(`, each on ${formatCount(copies)} devices`);
  else words.push(', one on each device');
  if (isPadded(tensor)) words.push('; hatched: padding');
  return words;
}

// The two dimensions that rows and columns show: those that are split, the last ones first.
function shownDimensions(parts) {
  const split = parts.map((part, d) => d).filter((d) => parts[d].count > 1);
  const order = [...split.reverse(), ...parts.map((part, d) => d).reverse().filter((d) => parts[d].count === 1)];
  const two = order.slice(0, 2).sort((a, b) => a - b);
  return two.length === 2 ? {rows: two[0], columns: two[1]} : {rows: null, columns: two[0]};
}

// 0, 1, .., n - 1; a long list loses its middle to a null.
function numbers(count, most = mostSquares) {
  return count <= most ? d3.range(count) : [...d3.range(most - 2), null, count - 1];
}

function pictureGrids(tensor, sizes, parts, shares) {
  const shown = shownDimensions(parts);
  const others = parts.map((part, d) => d).filter((d) => parts[d].count > 1 && d !== shown.rows && d !== shown.columns);
  const total = others.reduce((n, d) => n * parts[d].count, 1);
  return numbers(total, 5).map((number) => {
    if (number === null) return make('p', {}, `… ${total - 4} more …`);
    const fixed = new Map();
    let rest = number;
    for (const d of [...others].reverse()) { fixed.set(d, rest % parts[d].count); rest = Math.floor(rest / parts[d].count); }
    const title = others.map((d) => `dim ${d}: part ${fixed.get(d) + 1} of ${parts[d].count}`).join(', ');
    return make('figure', {}, make('figcaption', {}, title), gridSvg(tensor, sizes, parts, shares, shown, fixed));
  });
}

// How much of part `k` of a dimension holds elements: 1 for all, 0 for nothing.
function filled(size, count, k) {
  const share = Math.ceil(size / count);
  return share === 0 ? 1 : Math.max(0, Math.min(share, size - k * share)) / share;
}

function rangeText(size, count, k) {
  const share = Math.ceil(size / count);
  return `${Math.min(size, k * share)}:${Math.min(size, (k + 1) * share)}`;
}

function gridSvg(tensor, sizes, parts, shares, shown, fixed) {
  const columns = numbers(parts[shown.columns].count);
  const rows = shown.rows === null ? [0] : numbers(parts[shown.rows].count);
  const square = {width: Math.max(56, Math.min(150, 420 / columns.length)), height: 40};
  const left = shown.rows === null ? 8 : 84;
  const top = 34;
  const width = Math.max(left + columns.length * square.width + 8, 380);
  const height = top + rows.length * square.height + 8;
  const svg = d3.create('svg').attr('viewBox', `0 0 ${width} ${height}`).attr('width', width).attr('height', height)
      .attr('role', 'img').attr('aria-label', 'shares of ' + tensor.name);
  const hatch = svg.append('defs').append('pattern').attr('id', 'hatch').attr('width', 6).attr('height', 6)
      .attr('patternUnits', 'userSpaceOnUse').attr('patternTransform', 'rotate(45)');
  hatch.append('rect').attr('width', 6).attr('height', 6).attr('class', 'hatch-ground');
  hatch.append('line').attr('y2', 6).attr('class', 'hatch-line');
  const beside = shown.rows === null ? left : 6 + 6.8 * heading(svg, shown.rows, sizes, parts, 6) + 16;
  heading(svg, shown.columns, sizes, parts, Math.max(left, beside));
  columns.forEach((c, x) => edgeText(svg, left + (x + 0.5) * square.width, 28, 'middle', c, sizes[shown.columns], parts[shown.columns].count));
  rows.forEach((r, y) => {
    if (shown.rows !== null) edgeText(svg, left - 6, top + (y + 0.6) * square.height, 'end', r, sizes[shown.rows], parts[shown.rows].count);
    columns.forEach((c, x) => {
      const at = {x: left + x * square.width, y: top + y * square.height};
      if (r === null || c === null) {
        svg.append('text').attr('x', at.x + square.width / 2).attr('y', at.y + 24).attr('text-anchor', 'middle').text('…');
        return;
      }
      const key = parts.map((part, d) => d === shown.columns ? c : d === shown.rows ? r : fixed.get(d) || 0).join(',');
      const full = {x: filled(sizes[shown.columns], parts[shown.columns].count, c),
                    y: shown.rows === null ? 1 : filled(sizes[shown.rows], parts[shown.rows].count, r)};
      shareSquare(svg, at, square, full, shares.get(key) || [], tensor);
    });
  });
  return svg.node();
}

// How many characters it has.
function heading(svg, d, sizes, parts, x) {
  const what = `dim ${d} (${sizes[d]})`;
  const text = svg.append('text').attr('x', x).attr('y', 12).attr('class', 'heading').text(what + (parts[d].axes.length > 0 ? ' by ' : ''));
  for (const axis of parts[d].axes) text.append('tspan').attr('fill', axisColour(axisOf(axis))).attr('font-weight', 600).text(axis + ' ');
  return text.text().length;
}

function edgeText(svg, x, y, anchor, k, size, count) {
  if (count > 1 && k !== null) svg.append('text').attr('x', x).attr('y', y).attr('text-anchor', anchor).attr('class', 'range').text(rangeText(size, count, k));
}

// Elements are filled squares, padding is hatched; partial sums are stacked squares.
function shareSquare(svg, at, square, full, devices, tensor) {
  const group = svg.append('g').attr('transform', `translate(${at.x + 2},${at.y + 2})`).attr('class', 'share');
  const w = square.width - 6;
  const h = square.height - 6;
  const isPartial = (tensor.sharding.unreduced || []).length > 0;
  if (isPartial) group.append('rect').attr('x', 3).attr('y', 3).attr('width', w).attr('height', h).attr('rx', 3).attr('class', 'pile');
  group.append('rect').attr('width', w).attr('height', h).attr('rx', 3).attr('fill', 'url(#hatch)');
  if (full.x * full.y > 0) group.append('rect').attr('width', w * full.x).attr('height', h * full.y).attr('rx', 3).attr('class', 'elements');
  group.append('rect').attr('width', w).attr('height', h).attr('rx', 3).attr('class', 'frame');
  const listed = devices.slice(0, mostDevices).join(' ') + (devices.length > mostDevices ? ` +${devices.length - mostDevices}` : '');
  group.append('text').attr('x', w / 2).attr('y', h / 2 + 4).attr('text-anchor', 'middle')
      .text(cut((isPartial ? 'Σ ' : '') + listed, Math.floor(w / 6)));
  group.append('title').text(`devices ${devices.join(', ')}`);
}
