// The neighbours of a tensor as a graph: dagre places the boxes, d3 draws them. On an edge stands
// what the partitioner sends there.

const mostNodes = 40;
let distance = 1;

// Rows within `distance` edges, the nearest first, at most mostNodes.
function nearby(row) {
  const seen = new Set([row]);
  let border = [row];
  let isCut = false;
  for (let d = 0; d < distance; ++d) {
    const next = [];
    for (const at of border) {
      for (const other of [...sources.get(at), ...readers.get(at)]) {
        if (seen.has(other)) continue;
        if (seen.size >= mostNodes) { isCut = true; continue; }
        seen.add(other);
        next.push(other);
      }
    }
    border = next;
  }
  return {rows: [...seen], isCut};
}

function neighboursElement(row) {
  const box = make('div', {class: 'graph'});
  const draw = () => {
    const near = nearby(row);
    box.replaceChildren(graphSvg(row, near.rows));
    box.append(graphTools(draw, near.isCut));
    requestAnimationFrame(() => bringToMiddle(box));
  };
  draw();
  return box;
}

// By key: the focus stays in the graph.
function chooseNode(row) {
  choose(row);
  document.querySelector('.graph .node.chosen').focus();
}

function bringToMiddle(box) {
  const own = box.querySelector('.node.chosen').getBoundingClientRect();
  const outer = box.getBoundingClientRect();
  box.scrollLeft += own.left + own.width / 2 - outer.left - outer.width / 2;
  box.scrollTop += own.top + own.height / 2 - outer.top - outer.height / 2;
}

function graphTools(draw, isCut) {
  const tools = make('div', {class: 'graph-tools'}, 'within ');
  for (const d of [1, 2, 3]) {
    tools.append(make('button', {class: d === distance ? 'on' : '', 'aria-pressed': String(d === distance),
                                 click: () => { distance = d; draw(); }}, String(d)));
  }
  tools.append(isCut ? ` · the nearest ${mostNodes} are shown` : '');
  return tools;
}

function edgeLabel(list) {
  const byOp = new Map();
  for (const c of list) byOp.set(c.op, (byOp.get(c.op) || 0) + c.total);
  return [...byOp].map(([op, bytes]) => `${op} ${formatBytes(bytes)}`);
}

function layOut(rows) {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({rankdir: 'TB', nodesep: 18, ranksep: 46, marginx: 8, marginy: 8});
  const shown = new Set(rows);
  for (const row of rows) {
    const lines = [tensors.name[row], textOf('shape', row), specAt(row)];
    if (textOf('opcode', row) !== tensors.name[row].split('.')[0]) lines[0] += ' · ' + textOf('opcode', row);
    const into = movesInto.get(row);
    if (into !== undefined) lines.push(...edgeLabel(into));
    const width = Math.max(...lines.map((line) => Math.min(line.length, 44))) * 6.7 + 18;
    graph.setNode(row, {row, lines, width, height: 10 + 15 * lines.length, moved: into !== undefined});
  }
  for (const row of rows) {
    for (const to of readers.get(row)) {
      if (!shown.has(to)) continue;
      const list = moves.get(row + '>' + to);
      const change = changes.get(row + '>' + to);
      const label = list === undefined ? [] : edgeLabel(list);
      if (change !== undefined && change.after !== undefined) label.push('→ ' + change.after);
      graph.setEdge(row, to, {label, width: Math.max(0, ...label.map((l) => l.length)) * 6.4, height: 14 * label.length});
    }
  }
  dagre.layout(graph);
  return graph;
}

function cut(text, most = 44) { return text.length <= most ? text : text.slice(0, most - 1) + '…'; }

function graphSvg(chosenRow, rows) {
  const graph = layOut(rows);
  const {width, height} = graph.graph();
  const svg = d3.create('svg').attr('viewBox', `0 0 ${Math.max(width, 10)} ${Math.max(height, 10)}`)
      .attr('width', Math.max(width, 10)).attr('height', Math.max(height, 10)).attr('role', 'group')
      .attr('aria-label', 'neighbours of ' + tensors.name[chosenRow]);
  svg.append('defs').append('marker').attr('id', 'arrow').attr('viewBox', '0 0 8 8').attr('refX', 7).attr('refY', 4)
      .attr('markerWidth', 7).attr('markerHeight', 7).attr('orient', 'auto').append('path').attr('d', 'M0,0 L8,4 L0,8 z').attr('class', 'arrow');
  const line = d3.line().x((p) => p.x).y((p) => p.y).curve(d3.curveBasis);
  const edges = svg.append('g').selectAll('g').data(graph.edges().map((e) => graph.edge(e))).enter().append('g')
      .attr('class', (e) => e.label.length > 0 ? 'edge moved' : 'edge');
  edges.append('path').attr('d', (e) => line(e.points)).attr('marker-end', 'url(#arrow)');
  const nodes = svg.append('g').selectAll('g').data(graph.nodes().map((n) => graph.node(n))).enter().append('g')
      .attr('class', (n) => 'node' + (n.row === chosenRow ? ' chosen' : '') + (n.moved ? ' moved' : ''))
      .attr('transform', (n) => `translate(${n.x - n.width / 2},${n.y - n.height / 2})`)
      .attr('tabindex', 0).attr('role', 'link')
      .each(function (n) {
        this.addEventListener('click', () => choose(n.row));
        this.addEventListener('keydown', (event) => { if (event.key === 'Enter') chooseNode(n.row); });
      });
  nodes.append('rect').attr('width', (n) => n.width).attr('height', (n) => n.height).attr('rx', 6);
  nodes.append('title').text((n) => n.lines.join('\n') + '\n' + textOf('location', n.row));
  nodes.each(function (n) {
    n.lines.forEach((text, k) => d3.select(this).append('text').attr('x', 9).attr('y', 18 + 15 * k)
        .attr('class', ['title', 'shape', 'spec'][k] || 'move').text(cut(text)));
  });
  const labels = svg.append('g').selectAll('g').data(graph.edges().map((e) => graph.edge(e)).filter((e) => e.label.length > 0)).enter()
      .append('g').attr('class', 'edge-label').attr('transform', (e) => `translate(${e.x - e.width / 2 - 4},${e.y - e.height / 2 - 2})`);
  labels.append('rect').attr('width', (e) => e.width + 8).attr('height', (e) => e.height + 4).attr('rx', 4);
  labels.each(function (e) {
    e.label.forEach((text, k) => d3.select(this).append('text').attr('x', 4).attr('y', 12 + 14 * k).text(text));
  });
  return svg.node();
}
