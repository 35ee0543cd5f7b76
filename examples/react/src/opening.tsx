/** What stands here until the page is connected to its server, or why it is not. */
export function Opening({ problem, onRetry }: { problem?: string; onRetry?: () => void }) {
  return (
    <main className="page">
      <div className="stack">
        <h1>Research panel</h1>
        {problem === undefined ? (
          <p role="status">Connecting to the MCP server.</p>
        ) : (
          <>
            <p role="alert" className="problem">
              The MCP server cannot be reached: {problem}
            </p>
            <div className="actions">
              <button type="button" className="button" data-kind="first" onClick={onRetry}>
                Connect again
              </button>
            </div>
          </>
        )}
      </div>
    </main>
  )
}
