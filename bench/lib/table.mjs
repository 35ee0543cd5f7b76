/** One line of the table: what was measured, for us and for somebody else, and what we allow ourselves. */
export function row({ quantity, ours, peer = '', ratio = '', budget = '', holds }) {
  return [quantity, ours, peer, ratio, budget, holds === undefined ? '' : holds ? 'yes' : '**no**']
}

export function table(rows) {
  const lines = [['quantity', 'ours', 'compared with', 'ratio', 'budget', 'holds'], Array(6).fill('---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Prints a script's rows where it is run by itself. */
export async function printIfMain(meta, measure) {
  if (process.argv[1] === meta.filename) console.log(table(await measure()))
}
