// Memory of a device: as the target's compiler will report it, if there is a target; then arguments, results and temporaries by
// liveness over the steps of the program.

const accent = () => 'var(--accent)';

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
  if (data.target !== undefined) view.append(...targetMemory());
  if (data.memory === undefined) {
    view.append(make('p', {class: 'refused'}, 'Memory is not known: ', make('code', {}, data.no_memory || '')));
    return;
  }
  view.append(...ownMemory());
}

// --- on a target

const verdicts = {fits: 'It fits', does_not_fit: 'It does not fit', too_close: 'It is too close to say whether it fits'};

function verdictText(m) {
  const between = `The compiler will report between ${formatBytes(m.band.low)} and ${formatBytes(m.band.high)}, as for ${m.band.within} of ${m.band.programs} comparisons.`;
  return m.verdict === undefined ? between : `${verdicts[m.verdict]}: the device has ${formatBytes(m.limit)}. ${between}`;
}

function bufferBars(buffers) {
  const most = 15;
  const entries = buffers.slice(0, most).map((b) => ({
    label: b.name, value: b.bytes, row: rowByName.get(b.name), title: [b.shape, b.sharding, b.op_name, b.location].filter(Boolean).join('  ')}));
  return [bars(entries, accent), ...(buffers.length > most ? [make('p', {class: 'more'}, `and ${buffers.length - most} more`)] : [])];
}

function targetMemory() {
  const m = data.target_memory;
  const heading = make('h2', {}, 'Peak on ', make('code', {}, data.target));
  if (m === undefined) return [heading, make('p', {class: 'refused'}, make('code', {}, data.no_target_memory))];
  const parts = [
    {label: 'arguments', value: m.arguments}, {label: 'results', value: m.results},
    {label: 'of these, in the memory of arguments', value: m.aliased},
    {label: 'temporaries at the peak', value: m.temporaries}, {label: 'the peak', value: m.peak}];
  return [heading, make('p', {class: m.verdict === 'does_not_fit' ? 'refused' : ''}, verdictText(m)), bars(parts, accent),
          ...targetCurve(m), make('h2', {}, 'At the peak'), ...bufferBars(m.at_peak || [])];
}

// The memory of the device, where it is near enough to be in the picture.
function nearLimit(m) { return m.limit < 4 * m.peak ? m.limit : undefined; }

function targetCurve(m) {
  const curve = m.curve || [];
  if (curve.length < 2) return [];
  const said = make('p', {class: 'hint', 'aria-live': 'polite'});
  const chart = memoryChart({
    label: 'memory over the step on ' + data.target, steps: curve.map((p) => p.bytes), nameOf: (k) => curve[k].name, limit: nearLimit(m),
    pin: (k) => { said.textContent = `${formatBytes(curve[k].bytes)} while ${curve[k].name} runs`; }});
  return [make('h2', {}, 'Memory over the step'),
          make('p', {class: 'hint'}, 'In the order in which the program is predicted to run; a loop counts at its own peak.' + (nearLimit(m) === undefined ? '' : ' The dashed line is the memory of the device.')),
          chart, said];
}

// --- by liveness

function ownMemory() {
  const m = data.memory;
  const parts = [
    {label: 'arguments', value: m.arguments, title: 'exact'},
    {label: 'results', value: m.results, title: 'exact'},
    {label: 'of these, in the memory of arguments', value: m.aliased, title: 'aliased or donated'},
    {label: 'constants', value: m.constants, title: 'exact'},
    {label: 'temporaries at their peak', value: m.temporaries, title: 'an estimate by liveness'},
  ];
  const sums = [make('h2', {}, data.target === undefined ? 'On a device' : 'Without a target'), bars(parts, accent)];
  if (m.steps === undefined || m.steps.length === 0) return sums;
  const alive = make('div', {id: 'alive', 'aria-live': 'polite'});
  const chart = memoryChart({label: 'temporaries over the steps of the program', steps: m.steps, nameOf: stepName, pin: (step) => showAlive(alive, step)});
  return [...sums, make('h2', {}, 'Temporaries over the steps of the entry'),
          make('p', {class: 'hint'}, 'An estimate by liveness, in the order of the module; a loop is one step. Click a step to see what is alive there; ← and → move.'),
          chart, alive];
}

function showAlive(box, step) {
  const all = aliveAt(step);
  const most = 15;
  const entries = all.slice(0, most).map((l) => ({label: l.name, value: l.bytes, row: l.row, title: `steps ${l.first} to ${l.last}`}));
  box.replaceChildren(
      make('h2', {}, `Alive at step ${step} `, make('code', {}, `${stepName(step)} ${formatBytes(data.memory.steps[step])}`)),
      bars(entries, accent));
  if (all.length > most) box.append(make('p', {class: 'more'}, `and ${all.length - most} more`));
  const rest = data.memory.steps[step] - d3.sum(all, (l) => l.bytes);
  if (rest > 0) box.append(make('p', {class: 'more'}, `${formatBytes(rest)} of messages, and what loops need inside`));
}
