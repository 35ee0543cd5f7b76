import type { ToolResult } from '@mcp-task-machine/core'

/** The parts that the documented example leaves to its reader. */
export function Spinner({ status, onCancel }: { status: string; onCancel: () => void }) {
  return (
    <p>
      {status} <button onClick={onCancel}>Cancel</button>
    </p>
  )
}

export function ErrorBox({ error }: { error: Error & { readonly kind?: string } }) {
  return (
    <p role="alert">
      {error.kind}: {error.message}
    </p>
  )
}

export function Report({ data }: { data: ToolResult<{ report: string }> | null }) {
  return <article>{data?.data.report}</article>
}
