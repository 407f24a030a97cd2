// Findings of `tessera lint`, and the places where shardings cost most, as of `tessera explain` without a name.

function placeOf(location) { return make('span', {class: 'place', title: location}, shortPlace(location)); }

function findingElement(finding) {
  const place = finding.file === undefined ? '' : `${finding.file}:${finding.line}`;
  const item = make('li', {}, make('b', {class: 'severity ' + finding.severity}, finding.severity), ' ', make('code', {}, finding.rule), ' ',
                    ...linked(finding.message), ' ', placeOf(place));
  if (finding.fix) item.append(make('div', {class: 'reason'}, 'fix: ' + finding.fix));
  return item;
}

function lintElements() {
  const heading = make('h2', {}, 'Findings of lint');
  if (data.lint === undefined) return [heading, make('p', {class: 'refused'}, make('code', {}, data.no_lint))];
  const findings = data.lint.findings || [];
  if (findings.length === 0) return [heading, make('p', {}, 'None above the default budgets.')];
  return [heading, make('p', {class: 'hint'}, 'Above the default budgets; `tessera lint` takes those of a project.'),
          make('ol', {class: 'surprises'}, ...findings.map(findingElement))];
}

function surpriseElement(s) {
  const name = s.row === undefined ? 'an array' : rowLink(s.row);
  const item = make('li', {}, make('b', {}, formatBytes(s.bytes)), ' ', name, ' ');
  if (s.row !== undefined) {
    item.append(make('code', {}, textOf('shape', s.row)), ' ', s.what, s.alike > 1 ? ` (and ${s.alike - 1} like it)` : '',
                ' ', placeOf(textOf('location', s.row)));
  }
  if (s.why) item.append(make('div', {class: 'reason'}, ...linked(s.why)));
  return item;
}

function surpriseElements() {
  const surprises = data.surprises || [];
  const heading = make('h2', {}, 'The costliest places');
  if (surprises.length === 0) return [heading, make('p', {}, 'None: no large array is replicated beside sharded neighbours.')];
  return [heading, make('p', {class: 'hint'}, 'By bytes of one device that another sharding would save.'),
          make('ol', {class: 'surprises'}, ...surprises.map(surpriseElement))];
}

function makeFindings() { document.getElementById('view-findings').append(...lintElements(), ...surpriseElements()); }
