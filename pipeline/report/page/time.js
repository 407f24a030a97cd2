// The time of a step on the target, as of `tessera cost`: what the device computes, what it waits for.

const kernelColumns = [
  {title: 'time', width: '10fr', value: (k) => k.seconds, className: 'number', isNumber: true, format: formatSeconds},
  {title: 'kernel', width: '20fr', value: (k) => k.name, className: 'name', format: (name) => linkTo(rowByName.get(name), name)},
  {title: 'kind', width: '14fr', value: (k) => k.kind},
  {title: 'runs', width: '8fr', value: (k) => k.runs, className: 'number', isNumber: true, format: formatCount},
  {title: 'bound by', width: '14fr', value: (k) => k.bound},
  {title: 'line', width: '16fr', value: (k) => k.location || k.op_name || '', className: 'place', format: placeCell},
];

// Of a combined collective those of its arrays.
function linesOf(c) {
  return c.location || c.op_name || [...new Set((c.parts || []).flatMap((part) => part.locations || []))].map(shortPlace).join(', ');
}

const timedCollectiveColumns = [
  {title: 'waits', width: '10fr', value: (c) => c.exposed_s, className: 'number', isNumber: true, format: formatSeconds},
  {title: 'links work', width: '10fr', value: (c) => c.links_s, className: 'number', isNumber: true, format: formatSeconds},
  {title: 'beside kernels', width: '9fr', value: (c) => c.asynchronous ? 'yes' : 'no'},
  {title: 'sends', width: '10fr', value: (c) => c.sent * c.runs, className: 'number', isNumber: true, format: formatBytes},
  {title: 'collective', width: '16fr', value: (c) => c.op},
  {title: 'along', width: '12fr', value: (c) => c.axes || ''},
  {title: 'runs', width: '7fr', value: (c) => c.runs, className: 'number', isNumber: true, format: formatCount},
  {title: 'result', width: '16fr', value: (c) => c.shape || '', className: 'mono'},
  {title: 'line', width: '14fr', value: linesOf, className: 'place', format: placeCell},
];

function timedList(title, hint, columns, items) {
  const box = make('div', {class: 'boxed'});
  const place = items.map((item) => rowByName.get(item.name));
  makeList(box, {label: title, columns: ofItems(columns, items), count: items.length, height: '34vh', empty: 'none',
                 choose: (k) => { if (place[k] !== undefined) choose(place[k]); }});
  return [make('h2', {}, title), make('p', {class: 'hint'}, hint), box];
}

function secondsBy(sums) { return sums.map((sum) => [sum.name, sum.seconds]); }

function makeTime() {
  const view = document.getElementById('view-time');
  if (data.target === undefined) {
    view.append(make('p', {}, 'The time of a step needs a machine: ',
                     make('code', {}, `tessera report ${data.file} --target=tpu-v5e:4x4 -o page.html`)));
    return;
  }
  if (data.cost === undefined) {
    view.append(make('p', {class: 'refused'}, 'The time is not known: ', make('code', {}, data.no_cost)));
    return;
  }
  view.append(...stepTime(data.cost));
  view.append(...timedList('Collectives that run on the target', 'After the passes of its compiler. Waits: how long the device waits for them.', timedCollectiveColumns, data.cost.collectives || []));
  view.append(...timedList('Kernels', 'The longest first, all runs together.', kernelColumns, data.cost.kernels || []));
}

function stepTime(cost) {
  const parts = [{label: 'the device computes', value: cost.device_s}, {label: 'its links work', value: cost.links_s},
                 {label: 'it waits for them', value: cost.exposed_s}];
  const unknown = (cost.unknown || []).length + (cost.collectives_without_time || 0);
  return [
    make('h2', {}, 'A step on ', make('code', {}, data.target)),
    make('p', {}, make('b', {}, formatSeconds(cost.total_s)), `: between ${formatSeconds(cost.least_s)} if all overlaps and ${formatSeconds(cost.most_s)} if nothing does`),
    bars(parts, accent, formatSeconds),
    ...(unknown > 0 ? [make('p', {class: 'refused'}, `${unknown} kernels or collectives have no known time and count as none.`)] : []),
    make('div', {class: 'rankings'},
         ranking('by operation', secondsBy(cost.by_op || []), accent, formatSeconds),
         ranking('by line', secondsBy(cost.by_line || []), accent, formatSeconds),
         ranking('by what bounds it', secondsBy(cost.by_bound || []), accent, formatSeconds),
         ranking('waits, by axis', (cost.by_axis || []).map((sum) => [sum.name, sum.exposed_s]), accent, formatSeconds))];
}
