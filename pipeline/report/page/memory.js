// Memory of a device: what is there all the time, and temporaries over the steps of the program.

let pinnedStep = -1;

function peakStep() {
  return data.memory.steps.reduce((best, bytes, step) => bytes > data.memory.steps[best] ? step : best, 0);
}

// What is alive at a step, the largest first.
function aliveAt(step) {
  return data.memory.lifetimes.filter((l) => l.first <= step && step <= l.last).sort((a, b) => b.bytes - a.bytes);
}

// The name of what begins at the step.
function stepName(step) {
  const begins = data.memory.lifetimes.find((l) => l.first === step);
  return begins === undefined ? '' : begins.name;
}

function makeMemory() {
  const view = document.getElementById('view-memory');
  if (data.memory === undefined) {
    view.append(make('p', {class: 'refused'}, 'Memory is not known: ', make('code', {}, data.no_memory || '')));
    return;
  }
  const m = data.memory;
  const parts = [
    {label: 'arguments', value: m.arguments, title: 'exact'},
    {label: 'results', value: m.results, title: 'exact'},
    {label: 'of these, in the memory of arguments', value: m.aliased, title: 'aliased or donated'},
    {label: 'constants', value: m.constants, title: 'exact'},
    {label: 'temporaries at their peak', value: m.temporaries, title: 'an estimate by liveness'},
  ];
  view.append(make('h3', {}, 'On a device'), bars(parts, () => 'var(--accent)'));
  if (m.steps === undefined || m.steps.length === 0) return;
  pinnedStep = peakStep();
  const alive = make('div', {id: 'alive'});
  view.append(make('h3', {}, 'Temporaries over the steps of the entry'),
              make('p', {class: 'hint'}, 'An estimate by liveness, in the order of the module; a loop is one step. Click a step to see what is alive there; ← and → move.'),
              memoryChart(alive), alive);
  showAlive(alive);
}

function showAlive(box) {
  const all = aliveAt(pinnedStep);
  const most = 15;
  const listed = d3.sum(all, (l) => l.bytes);
  const entries = all.slice(0, most).map((l) => ({label: l.name, value: l.bytes, row: l.row,
                                                  title: `steps ${l.first} to ${l.last}`}));
  box.replaceChildren(
      make('h3', {}, `Alive at step ${pinnedStep} `, make('code', {}, `${stepName(pinnedStep)} ${formatBytes(data.memory.steps[pinnedStep])}`)),
      bars(entries, () => 'var(--accent)'));
  if (all.length > most) box.append(make('p', {class: 'more'}, `and ${all.length - most} more`));
  const rest = data.memory.steps[pinnedStep] - listed;
  if (rest > 0) box.append(make('p', {class: 'more'}, `${formatBytes(rest)} of messages, and what loops need inside`));
}

// At most so many points: of each stretch of steps the largest.
function thinned(steps, most) {
  const stretch = Math.ceil(steps.length / most);
  return d3.range(0, steps.length, stretch).map((begin) => {
    let best = begin;
    for (let s = begin; s < Math.min(begin + stretch, steps.length); ++s) if (steps[s] > steps[best]) best = s;
    return {step: best, bytes: steps[best]};
  });
}

function memoryChart(alive) {
  const steps = data.memory.steps;
  const size = {width: 820, height: 240, left: 84, bottom: 24, top: 16, right: 12};
  const x = d3.scaleLinear().domain([0, Math.max(1, steps.length - 1)]).range([size.left, size.width - size.right]);
  const y = d3.scaleLinear().domain([0, d3.max(steps) || 1]).range([size.height - size.bottom, size.top]);
  const svg = d3.create('svg').attr('viewBox', `0 0 ${size.width} ${size.height}`).attr('class', 'chart').attr('tabindex', 0)
      .attr('role', 'img').attr('aria-label', 'temporaries over steps');
  const points = thinned(steps, 800);
  svg.append('path').attr('class', 'area')
      .attr('d', d3.area().x((p) => x(p.step)).y0(y(0)).y1((p) => y(p.bytes)).curve(d3.curveStepAfter)(points));
  svg.append('g').attr('class', 'scale').attr('transform', `translate(0,${size.height - size.bottom})`).call(d3.axisBottom(x).ticks(8));
  svg.append('g').attr('class', 'scale').attr('transform', `translate(${size.left},0)`)
      .call(d3.axisLeft(y).tickValues(d3.range(0, 5).map((k) => y.domain()[1] * k / 4)).tickFormat(formatBytes));
  const mark = svg.append('line').attr('class', 'mark').attr('y1', size.top).attr('y2', size.height - size.bottom);
  const hover = svg.append('text').attr('class', 'hover').attr('y', 11);
  const pin = (step) => {
    pinnedStep = Math.min(Math.max(step, 0), steps.length - 1);
    mark.attr('x1', x(pinnedStep)).attr('x2', x(pinnedStep));
    showAlive(alive);
  };
  const node = svg.node();
  const stepAt = (event) => {
    const box = node.getBoundingClientRect();
    return Math.min(Math.max(Math.round(x.invert((event.clientX - box.left) * size.width / box.width)), 0), steps.length - 1);
  };
  node.addEventListener('mousemove', (event) => {
    const step = stepAt(event);
    hover.attr('x', Math.min(x(step), size.width - 260)).text(`step ${step} ${stepName(step)} ${formatBytes(steps[step])}`);
  });
  node.addEventListener('mouseleave', () => hover.text(''));
  node.addEventListener('click', (event) => pin(stepAt(event)));
  node.addEventListener('keydown', (event) => {
    const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (by === undefined) return;
    event.preventDefault();
    pin(pinnedStep + by);
  });
  mark.attr('x1', x(pinnedStep)).attr('x2', x(pinnedStep));
  return node;
}
