// The chosen tensor: what it is, why it has its sharding, its neighbours, its picture.

// How a choice is remembered for the browser's Back: a step by keys takes the place of the step before.
const keepAddress = 'keep';
const newAddress = 'new';
const walkAddress = 'walk';

function addressedRow() { return rowByName.get(decodeURIComponent(location.hash.slice(1))); }

function remember(row, how) {
  if (how === keepAddress || addressedRow() === row) return;
  const isFurther = how === walkAddress && history.state === walkAddress;
  history[isFurther ? 'replaceState' : 'pushState'](how, '', '#' + encodeURIComponent(tensors.name[row]));
}

function choose(row, how = newAddress) {
  const before = list.elementOf(chosen);
  chosen = row;
  if (before !== null) markChosen(before, false);
  list.reveal(row);
  const now = list.elementOf(row);
  if (now !== null) markChosen(now, true);
  remember(row, how);
  showDetail(tensorAt(row));
}

function fact(name, ...value) { return make('div', {class: 'fact'}, make('dt', {}, name), make('dd', {}, ...value)); }

function showDetail(tensor) {
  const detail = document.getElementById('detail');
  const why = make('div', {class: 'why'}, '…');
  const facts = make('dl', {class: 'facts'},
      fact('shape', make('code', {}, tensor.shape)),
      fact('sharding', specElement(tensor.sharding)),
      fact('on a device', make('code', {}, JSON.stringify(tensor.localShape).replace(/"/g, '')), ' ' + formatBytes(tensor.bytes)));
  if (tensor.location) facts.append(fact('line', make('code', {title: tensor.location}, tensor.location)));
  if (tensor.opName) facts.append(fact('op_name', make('code', {}, tensor.opName)));
  facts.append(fact('in', make('code', {}, tensor.computation), ` (${tensor.opcode})`));
  detail.replaceChildren(
      make('h2', {}, tensor.name),
      facts,
      make('h3', {}, 'Why this sharding'), why,
      make('h3', {}, 'Neighbours'), neighboursElement(tensor.row),
      ...(hasDevice && tensor.opcode !== 'result' ? [make('h3', {}, 'What a device runs'), deviceElement(tensor.row)] : []),
      make('h3', {}, 'On the mesh'), meshPicture(tensor));
  detail.scrollTop = 0;
  explanationOf(tensor.row).then((lines) => {
    if (chosen === tensor.row) why.replaceChildren(...explanationElements(tensor, lines));
  }, () => why.replaceChildren('This browser cannot unpack the explanation; a newer one can.'));
}

function commandFor(tensor) {
  const name = tensor.opcode === 'result' ? tensor.name.replace(/^result$/, 'result{0}') : tensor.name;
  return `tessera explain ${data.file} "${name}"`;
}

// What `tessera explain` prints after its first line, which the facts say; names are links.
function explanationElements(tensor, lines) {
  const command = make('p', {class: 'command'}, make('code', {}, commandFor(tensor)));
  if (lines.length === 0) return [make('p', {}, 'The chains of this module are too long for a page. Ask:'), command];
  const box = make('div', {class: 'explanation'});
  let chain = null;  // consecutive steps of a chain stand together
  for (const {kind = '', text, how} of lines) {
    if (how === undefined) chain = null;
    else if (chain === null) box.append(chain = make('div', {class: 'chain'}));
    if (how !== undefined) chain.append(make('div', {class: 'step'}, make('span', {}, ...linked(text), ' '), make('span', {class: 'how'}, ...linked(how), '\n')));
    else box.append(make('div', {class: 'line ' + kind}, ...linked(text)), '\n');
  }
  const isCut = data.explanations.refused !== undefined && !lines.some((line) => line.kind === 'lacks');
  return isCut ? [box, make('p', {class: 'command'}, 'Why it does not have other axes is said of the largest tensors (--why-not=N), and by:'), command]
               : [box, command];
}

// Words that are names of rows become links.
function linked(line) {
  return line.split(/([^\s,;()]+)/).map((word) => {
    const name = rowByName.has(word) ? word : word.replace(/[.:]+$/, '');
    if (!rowByName.has(name) || name.length < 2 || /^(dim|to|by|of|on|is|in|it|at)$/.test(name)) return word;
    return name === word ? rowLink(rowByName.get(name), word) : make('span', {}, rowLink(rowByName.get(name), name), word.slice(name.length));
  });
}
