/** The view that hosts of MCP Apps show for a tool that names it in its `_meta.ui.resourceUri`. */
export const APP_URI = 'ui://mcp-task-machine/run.html'
