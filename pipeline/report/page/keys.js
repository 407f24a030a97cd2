// The keys of the page, as a table that is also its help.

const views = ['tensors', 'communication', 'time', 'memory', 'findings'];

function focusSearch() {
  showView('tensors');
  const field = document.getElementById('search');
  field.focus();
  field.select();
}

// Esc: out of the help, out of the search, then back to all tensors.
function leave() {
  const help = document.getElementById('keys');
  const field = document.getElementById('search');
  if (help.open) help.close();
  else if (document.activeElement === field && field.value === '') field.blur();
  else if (field.value !== '') { field.value = ''; searchTyped(); field.blur(); }
  else document.activeElement.blur();
}

const keys = [
  {keys: ['/'], says: 'search', run: focusSearch},
  {keys: ['ArrowDown', 'j'], says: 'the next tensor of the list', run: () => chooseNext(1)},
  {keys: ['ArrowUp', 'k'], says: 'the one before', run: () => chooseNext(-1)},
  {keys: ['PageDown'], says: 'twenty on', run: () => chooseNext(20)},
  {keys: ['PageUp'], says: 'twenty back', run: () => chooseNext(-20)},
  {keys: ['Enter'], says: 'to the explanation of the tensor', run: () => { if (chosen < 0) chooseNext(1); document.getElementById('detail').focus(); }},
  {keys: ['Escape'], says: 'back; out of the search; all tensors', run: leave},
  {keys: ['1', '2', '3', '4', '5'], says: 'tensors, communication, time, memory, findings', run: (key) => showView(views[key - 1])},
  {keys: ['t'], says: 'light or dark', run: () => toggleTheme()},
  {keys: ['?'], says: 'these keys', run: () => document.getElementById('keys').showModal()},
];

// What may be pressed while a text is typed.
const keysOfFields = new Set(['ArrowDown', 'ArrowUp', 'Enter', 'Escape', 'PageDown', 'PageUp']);

function takeKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isField = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (isField && (!keysOfFields.has(event.key) || (event.target.tagName === 'SELECT' && event.key !== 'Escape'))) return;
  if (event.key === 'Enter' && event.target.closest('a, button, summary, .node') !== null) return;
  const isReading = event.target.closest('#detail, .boxed') !== null;
  if (isReading && /^(ArrowDown|ArrowUp|PageDown|PageUp)$/.test(event.key)) return;  // scroll the text
  const key = keys.find((k) => k.keys.includes(event.key));
  if (key === undefined) return;
  event.preventDefault();
  key.run(event.key);
}

function makeHelp() {
  const help = document.getElementById('keys');
  help.append(make('h2', {}, 'Keys'), make('dl', {}, ...keys.flatMap((key) => [
    make('dt', {}, ...key.keys.map((k) => make('kbd', {}, k.replace('Arrow', '').replace('Escape', 'Esc')))), make('dd', {}, key.says)])),
    make('form', {method: 'dialog'}, make('button', {}, 'close')));
  document.addEventListener('keydown', takeKey);
}
