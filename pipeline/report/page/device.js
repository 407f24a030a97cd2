// What a device runs for a tensor: the instruction that has its shards, and the steps to it.

const hasDevice = data.device !== undefined;
const device = data.device || {row: [], values: [], collectives: [], left_off: []};
const deviceEntries = groupedBy(device.row, device.row.map((_, k) => k));
const valueEntries = new Set(device.values);
const collectiveEntries = new Set(device.collectives);
const leftOff = new Map(device.left_off.map((one) => [one.row, one.count]));

// Of entry k. `computation`: where the device has it.
function deviceInstruction(k) {
  return {
    name: device.name[k],
    opcode: data.texts[device.opcode[k]],
    shape: data.texts[device.shape[k]],
    computation: data.texts[device.computation[k]],
    hasShards: valueEntries.has(k),
    isCollective: collectiveEntries.has(k),
  };
}

function deviceElement(row) {
  const entries = [...deviceEntries.get(row)].map(deviceInstruction);
  if (entries.length === 0) return make('p', {}, 'No instruction is for it alone.');
  const rows = entries.map((one) => make('tr', {class: one.isCollective ? 'collective' : ''},
      make('td', {title: 'in ' + one.computation}, one.name), make('td', {}, one.opcode), make('td', {}, one.shape),
      make('td', {class: 'how'}, [one.hasShards ? 'its shards' : '', one.isCollective ? 'collective' : ''].filter((word) => word !== '').join(', '))));
  const names = ['instruction', 'operation', 'on a device', 'note'].map((name) => make('th', {scope: 'col'}, name));
  const box = make('div', {class: 'device'}, make('table', {}, make('thead', {}, make('tr', {}, ...names)), make('tbody', {}, ...rows)));
  if (leftOff.has(row)) box.append(make('p', {class: 'left-off'}, `and ${formatCount(leftOff.get(row))} more`));
  return box;
}
