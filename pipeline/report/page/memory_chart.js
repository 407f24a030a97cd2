// Bytes over the steps of a program as an area, with a mark that a click or an arrow key moves.

// At most so many points: of each stretch of steps the largest.
function thinned(steps, most) {
  const stretch = Math.ceil(steps.length / most);
  return d3.range(0, steps.length, stretch).map((begin) => {
    let best = begin;
    for (let s = begin; s < Math.min(begin + stretch, steps.length); ++s) if (steps[s] > steps[best]) best = s;
    return {step: best, bytes: steps[best]};
  });
}

function largestStep(steps) { return steps.reduce((best, bytes, step) => bytes > steps[best] ? step : best, 0); }

// {label, steps: bytes of each, nameOf: (step) => text, pin: (step) => .., limit: bytes or undefined}
function memoryChart({label, steps, nameOf, pin, limit}) {
  const size = {width: 820, height: 240, left: 84, bottom: 24, top: 16, right: 12};
  const x = d3.scaleLinear().domain([0, Math.max(1, steps.length - 1)]).range([size.left, size.width - size.right]);
  const y = d3.scaleLinear().domain([0, Math.max(d3.max(steps) || 1, limit || 0)]).range([size.height - size.bottom, size.top]);
  const svg = d3.create('svg').attr('viewBox', `0 0 ${size.width} ${size.height}`).attr('class', 'chart').attr('tabindex', 0)
      .attr('role', 'slider').attr('aria-label', label).attr('aria-valuemin', 0).attr('aria-valuemax', steps.length - 1);
  svg.append('path').attr('class', 'area')
      .attr('d', d3.area().x((p) => x(p.step)).y0(y(0)).y1((p) => y(p.bytes)).curve(d3.curveStepAfter)(thinned(steps, 800)));
  if (limit !== undefined) {
    svg.append('line').attr('class', 'limit').attr('x1', size.left).attr('x2', size.width - size.right).attr('y1', y(limit)).attr('y2', y(limit));
  }
  svg.append('g').attr('class', 'scale').attr('transform', `translate(0,${size.height - size.bottom})`).call(d3.axisBottom(x).ticks(8));
  svg.append('g').attr('class', 'scale').attr('transform', `translate(${size.left},0)`)
      .call(d3.axisLeft(y).tickValues(d3.range(0, 5).map((k) => y.domain()[1] * k / 4)).tickFormat(formatBytes));
  const mark = svg.append('line').attr('class', 'mark').attr('y1', size.top).attr('y2', size.height - size.bottom);
  const hover = svg.append('text').attr('class', 'hover').attr('y', 11);
  const node = svg.node();
  let pinned = 0;
  const textOfStep = (step) => `step ${step} ${nameOf(step)} ${formatBytes(steps[step])}`;
  const pinAt = (step) => {
    pinned = Math.min(Math.max(step, 0), steps.length - 1);
    mark.attr('x1', x(pinned)).attr('x2', x(pinned));
    svg.attr('aria-valuenow', pinned).attr('aria-valuetext', textOfStep(pinned));
    pin(pinned);
  };
  const stepAt = (event) => {
    const box = node.getBoundingClientRect();
    return Math.min(Math.max(Math.round(x.invert((event.clientX - box.left) * size.width / box.width)), 0), steps.length - 1);
  };
  node.addEventListener('mousemove', (event) => {
    const step = stepAt(event);
    hover.attr('x', Math.min(x(step), size.width - 260)).text(textOfStep(step));
  });
  node.addEventListener('mouseleave', () => hover.text(''));
  node.addEventListener('click', (event) => pinAt(stepAt(event)));
  node.addEventListener('keydown', (event) => {
    const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (by === undefined) return;
    event.preventDefault();
    pinAt(pinned + by);
  });
  pinAt(largestStep(steps));
  return node;
}
