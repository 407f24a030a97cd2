'use strict';
// The module as the page knows it: rows of tensors, edges between them, what moves on the edges.
// Reads the JSON of the script element `data` (pipeline/schema/report_answer.proto).

const data = JSON.parse(document.getElementById('data').textContent);

const tensors = data.tensors;
const numRows = tensors.name.length;

function textOf(column, row) { return data.texts[tensors[column][row]]; }

// What the page shows of a row.
function tensorAt(row) {
  return {
    row,
    name: tensors.name[row],
    computation: textOf('computation', row),
    opcode: textOf('opcode', row),
    shape: textOf('shape', row),
    opName: textOf('op_name', row),
    location: textOf('location', row),
    localShape: JSON.parse(textOf('local_shape', row)),
    sharding: shardingOf(row),
    bytes: tensors.bytes[row],
  };
}

function shardingOf(row) { return data.shardings[tensors.sharding[row]]; }

function specAt(row) { return shardingOf(row).sharding || 'P()'; }

// 'f32[16,32]' -> [16, 32]
function sizesOf(shape) {
  const inside = /\[([^\]]*)\]/.exec(shape);
  return inside === null || inside[1] === '' ? [] : inside[1].split(',').map((n) => parseInt(n.replace('<=', ''), 10));
}

// The last part of a path: 'a/b/model.py:41' -> 'model.py:41'.
function shortPlace(location) { return location.slice(location.lastIndexOf('/') + 1); }

// The same for a cell that is cut on the left, so that the line stays: marks keep it left to right.
function placeCell(location) { return location === '' ? '' : '\u200e' + shortPlace(location) + '\u200e'; }

// Rows by the names that texts of the page may use: instructions, and argument paths of parameters.
const rowByName = new Map();
for (let row = numRows - 1; row >= 0; --row) {
  if (textOf('opcode', row) === 'parameter' && textOf('op_name', row)) rowByName.set(textOf('op_name', row), row);
}
for (let row = numRows - 1; row >= 0; --row) rowByName.set(tensors.name[row], row);

// The values of each key, of two columns of equal length: get(key) is a list, in order.
function groupedBy(keys, values) {
  const ends = new Uint32Array(numRows + 1);
  for (const key of keys) ++ends[key + 1];
  for (let key = 0; key < numRows; ++key) ends[key + 1] += ends[key];
  const grouped = new Int32Array(keys.length);
  const next = ends.slice();
  keys.forEach((key, k) => { grouped[next[key]++] = values[k]; });
  return {get: (key) => grouped.subarray(ends[key], ends[key + 1])};
}

// Edges by row, both ways.
const readers = groupedBy(data.edges.from, data.edges.to);
const sources = groupedBy(data.edges.to, data.edges.from);

function addTo(map, key, value) {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

// Collectives by edge 'from>to', and those that no edge has, by the row that asks.
const collectives = data.collectives || [];
const moves = new Map();
const movesInto = new Map();
for (const c of collectives) {
  c.total = c.sent * c.runs;
  const hasEdge = c.from !== undefined && c.to !== undefined && sources.get(c.to).includes(c.from);
  if (hasEdge) addTo(moves, c.from + '>' + c.to, c);
  else if (c.to !== undefined) addTo(movesInto, c.to, c);
}

// What changes on an edge: reshards by 'from>to'.
const changes = new Map();
for (const reshard of data.reshards || []) {
  for (const ends of reshard.ends || []) {
    if (ends.from !== undefined && ends.to !== undefined) changes.set(ends.from + '>' + ends.to, reshard);
  }
}

// The axes of all meshes, each with its own colour.
const axisNames = [...new Set(data.meshes.flatMap((mesh) => (mesh.axes || []).map((axis) => axis.name)))];
const axisColour = d3.scaleOrdinal(axisNames, d3.schemeTableau10);
function axisOf(part) { return part.split(':')[0]; }

// --- explanations: unpacked block by block, when somebody asks

const unpacked = new Map();

async function inflate(base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).text();
}

// Its lines; none for a row that was left out.
async function explanationOf(row) {
  const block = Math.floor(row / data.explanations.block);
  if (!unpacked.has(block)) unpacked.set(block, inflate(data.explanations.packed[block]).then(JSON.parse));
  return (await unpacked.get(block)).rows[row % data.explanations.block].lines;
}
