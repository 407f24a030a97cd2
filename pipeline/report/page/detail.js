// The chosen tensor: what it is, why it has its sharding, its neighbours, its picture.

function choose(row, keepAddress = false) {
  chosen = row;
  document.querySelectorAll('#tensors tr.chosen').forEach((element) => element.classList.remove('chosen'));
  reveal(row);
  document.querySelectorAll(`#tensors tr[data-row="${row}"]`).forEach((element) => element.classList.add('chosen'));
  if (!keepAddress) history.replaceState(null, '', '#' + encodeURIComponent(tensors.name[row]));
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
      make('h3', {}, 'On the mesh'), meshPicture(tensor));
  detail.scrollTop = 0;
  explanationOf(tensor.row).then((text) => {
    if (chosen === tensor.row) why.replaceChildren(...explanationElements(tensor, text));
  }, () => why.replaceChildren('This browser cannot unpack the explanation; a newer one can.'));
}

function commandFor(tensor) {
  const name = tensor.opcode === 'result' ? tensor.name.replace(/^result$/, 'result{0}') : tensor.name;
  return `tessera explain ${data.file} "${name}"`;
}

// The text of `tessera explain`, without its first line, which the facts say; names are links.
function explanationElements(tensor, text) {
  const command = make('p', {class: 'command'}, make('code', {}, commandFor(tensor)));
  if (text === '') {
    return [make('p', {}, 'The page has explanations for the largest tensors only (--explain=N). Ask:'), command];
  }
  const pre = make('pre', {class: 'explanation'});
  for (const line of text.trimEnd().split('\n').slice(1)) {
    const kind = /^dim \d+ (has|had) /.test(line) && !/has no axis/.test(line) ? 'has'
        : / (is|are) not on dim | has no axis| does not have /.test(line) ? 'lacks' : /^    \| /.test(line) ? 'source' : '';
    pre.append(make('span', {class: 'line ' + kind}, ...linked(line)), '\n');
  }
  return [pre, command];
}

// Words that are names of rows become links.
function linked(line) {
  return line.split(/([^\s,;()]+)/).map((word) => {
    const name = rowByName.has(word) ? word : word.replace(/[.:]+$/, '');
    if (!rowByName.has(name) || name.length < 2 || /^(dim|to|by|of|on|is|in|it|at)$/.test(name)) return word;
    return name === word ? rowLink(rowByName.get(name), word) : make('span', {}, rowLink(rowByName.get(name), name), word.slice(name.length));
  });
}
