import { applyDocumentTheme, applyHostStyleVariables, type App } from '@modelcontextprotocol/ext-apps'

/** Keeps the view looking like its host. Call it when the app is connected. */
export function followHost(app: App): void {
  const follow = () => {
    const { theme, styles } = app.getHostContext() ?? {}
    if (theme) applyDocumentTheme(theme)
    if (styles?.variables) applyHostStyleVariables(styles.variables)
  }
  app.addEventListener('hostcontextchanged', follow)
  follow()
}
